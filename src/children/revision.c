/* SPDX-License-Identifier: Apache-2.0 */
/* Builds ControllerRevisions: the template as a canonical text, and its hash. */
#include "children/revision.h"

#include <string.h>

#include "api/names.h"
#include "base/codec.h"
#include "children/owner.h"
#include "json/build.h"

static struct jval *data_of(struct jdoc *d, const struct nodeset *n)
{
	struct jval *data = j_obj(d);
	struct jval *template = j_set(d, j_set(d, data, "spec", j_obj(d)), "template",
		json_is_obj(n->template) ? j_copy(d, n->template) : j_obj(d));
	j_set_str(d, template, "$patch", "replace");
	return data;
}

const char *revision_data(struct jdoc *d, const struct nodeset *n)
{
	return j_text_sorted(d, data_of(d, n));
}
const char *revision_data_of(struct jdoc *d, const struct json *revision)
{
	return j_text_sorted(d, j_copy(d, json_get(revision, "data")));
}

const char *revision_hash(struct arena *a, const char *data, int64_t collisions)
{
	const char *counter = arena_printf(a, "%lld", (long long)collisions);
	uint32_t hash = fnv1_32(fnv1_32(FNV1_START, data, strlen(data)), counter, strlen(counter));
	char *text = arena_printf(a, "%u", hash);
	safe_encode(text);
	return text;
}

const char *revision_name(struct arena *a, const struct nodeset *n, const char *hash)
{
	return arena_printf(a, "%s-%s", n->name, hash);
}

const char *revision_hash_of(const struct json *revision)
{
	const struct json *m = json_get(revision, "metadata");
	return json_str(json_at(m, "labels", LABEL_HASH), json_str(json_get(m, "name"), ""));
}

const char *revision_build(struct jdoc *d, struct arena *a, const struct nodeset *n,
	const char *hash, int64_t number)
{
	const struct json *labels = json_at(n->template, "metadata", "labels"),
			  *annotations = json_at(n->object, "metadata", "annotations");
	struct jval *r = j_obj(d);
	j_set_str(d, r, "apiVersion", "apps/v1");
	j_set_str(d, r, "kind", "ControllerRevision");
	struct jval *m = j_set(d, r, "metadata", j_obj(d));
	j_set_str(d, m, "name", revision_name(a, n, hash));
	j_set_str(d, m, "namespace", n->ns);
	struct jval *to = j_set(d, m, "labels", json_is_obj(labels) ? j_copy(d, labels) : j_obj(d));
	j_set_str(d, to, LABEL_HASH, hash);
	if (json_count(annotations))
		j_del(j_set(d, m, "annotations", j_copy(d, annotations)), ANNOTATION_NEXT_PODS);
	j_push(d, j_set(d, m, "ownerReferences", j_arr(d)), nodeset_reference(d, n));
	j_set(d, r, "data", data_of(d, n));
	j_set_int(d, r, "revision", number);
	return j_text_canonical(a, r);
}

/* Whether the members of each object are sorted by name. */
static bool in_order(const struct json *v)
{
	const char *before = NULL;
	struct json_iter it = json_iter(v);
	while (json_next(&it)) {
		if ((json_is_obj(v) && before && strcmp(before, it.key) > 0) || !in_order(it.value))
			return false;
		before = it.key;
	}
	return true;
}

bool revision_comes_through(const struct json *revision)
{
	return in_order(json_get(revision, "data"));
}

const char *revision_twin_name(struct arena *a, const struct json *revision)
{
	return arena_printf(a, "%s-again", json_str(json_at(revision, "metadata", "name"), ""));
}

const char *revision_twin(struct jdoc *d, struct arena *a, const struct nodeset *n,
	const struct json *revision, int64_t number)
{
	const struct json *was = json_get(revision, "metadata"), *old = json_get(was, "labels");
	const struct json *annotations = json_get(was, "annotations");
	struct jval *r = j_obj(d);
	j_set_str(d, r, "apiVersion", "apps/v1");
	j_set_str(d, r, "kind", "ControllerRevision");
	struct jval *m = j_set(d, r, "metadata", j_obj(d));
	j_set_str(d, m, "name", revision_twin_name(a, revision));
	j_set_str(d, m, "namespace", n->ns);
	struct jval *labels = j_set(d, m, "labels", json_is_obj(old) ? j_copy(d, old) : j_obj(d));
	j_set_str(d, labels, LABEL_HASH, revision_hash_of(revision));
	if (json_count(annotations))
		j_set(d, m, "annotations", j_copy(d, annotations));
	j_push(d, j_set(d, m, "ownerReferences", j_arr(d)), nodeset_reference(d, n));
	j_set(d, r, "data", j_copy(d, json_get(revision, "data")));
	j_set_int(d, r, "revision", number);
	return j_text_canonical(a, r);
}
