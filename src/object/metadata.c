/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of objects, and patches of one version of them. */
#include "object/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "json/build.h"
#include "object/condition.h"

struct metadata metadata_of(const struct json *object)
{
	const struct json *m = json_get(object, "metadata");
	return (struct metadata){
		.ns = json_str(json_get(m, "namespace"), ""),
		.name = json_str(json_get(m, "name"), ""),
		.uid = json_str(json_get(m, "uid"), ""),
		.resource_version = json_str(json_get(m, "resourceVersion"), ""),
		.generation = json_i64(json_get(m, "generation"), 0),
		.deleting = !json_is_null(json_get(m, "deletionTimestamp")),
	};
}

uint64_t object_version(const struct json *object)
{
	return strtoull(json_str(json_at(object, "metadata", "resourceVersion"), "0"), NULL, 10);
}

const struct json *controller_of(const struct json *object)
{
	struct json_iter it = json_iter(json_at(object, "metadata", "ownerReferences"));
	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller"), false))
			return it.value;
	return NULL;
}

const char *controller_uid(const struct json *object)
{
	return json_str(json_get(controller_of(object), "uid"), "");
}

/* Whether the reference's apiVersion is of this group, in any version. */
static bool is_of_group(const struct json *reference, const char *group)
{
	const char *version = json_str(json_get(reference, "apiVersion"), "");
	size_t n = strlen(group);
	return strncmp(version, group, n) == 0 && version[n] == '/';
}

enum resource resource_of_owner(const struct json *reference)
{
	const char *kind = json_str(json_get(reference, "kind"), "");
	for (enum resource r = RES_NONE; r < RES_COUNT; r++) {
		const struct resource_row *row = &resource_rows[r];
		if (row->custom && str_eq(row->kind, kind) && is_of_group(reference, row->group))
			return r;
	}
	return RES_NONE;
}

bool may_be_ours(const struct json *object)
{
	const struct json *controller = controller_of(object);
	return !controller || resource_of_owner(controller) != RES_NONE;
}

struct jval *owner_reference(struct jdoc *d, enum resource r, const char *name, const char *uid,
	bool controls)
{
	struct jval *owner = j_obj(d);
	j_set_str(d, owner, "apiVersion", resource_rows[r].api_version);
	j_set_str(d, owner, "kind", resource_rows[r].kind);
	j_set_str(d, owner, "name", name);
	j_set_str(d, owner, "uid", uid);
	if (controls) {
		j_set_bool(d, owner, "controller", true);
		j_set_bool(d, owner, "blockOwnerDeletion", true);
	}
	return owner;
}

bool has_finalizer(const struct json *object, const char *finalizer)
{
	struct json_iter it = json_iter(json_at(object, "metadata", "finalizers"));
	while (json_next(&it))
		if (str_eq(json_str(it.value, ""), finalizer))
			return true;
	return false;
}

struct jval *patch_of(struct jdoc *d, const char *uid, const char *resource_version)
{
	struct jval *patch = j_obj(d), *m = patch_metadata(d, patch);
	j_set_str(d, m, "uid", uid);
	j_set_str(d, m, "resourceVersion", resource_version);
	return patch;
}

struct jval *patch_metadata(struct jdoc *d, struct jval *patch)
{
	return j_child(d, patch, "metadata");
}

void patch_finalizer(struct jdoc *d, struct jval *patch, const struct json *object,
	const char *finalizer, bool with)
{
	struct jval *list = j_set(d, patch_metadata(d, patch), "finalizers", j_arr(d));
	struct json_iter it = json_iter(json_at(object, "metadata", "finalizers"));
	while (json_next(&it))
		if (!str_eq(json_str(it.value, ""), finalizer))
			j_push(d, list, j_copy(d, it.value));
	if (with)
		j_push(d, list, j_str(d, finalizer));
}

static bool says_all_of(const struct json *old, const struct json *new)
{
	struct json_iter it = json_iter(new);
	bool same = new != NULL;
	while (json_next(&it))
		same &= json_equal(it.value, json_get(old, it.key));
	return same;
}

/*
 * True if the whole status is known. A cut object may lack parts of it. A patch replaces
 * the list of conditions as a whole, so it would drop conditions of other writers that
 * were cut. And a comparison with a missing status would patch it again and again.
 */
static bool is_known(const struct json *object)
{
	const struct json *status = json_get(object, "status");
	bool known = !json_is_obj(status) || json_is_arr(json_get(status, "conditions"));
	for (struct json_iter it = json_iter(status); json_next(&it);)
		known &= !json_is_null(it.value);
	return known || !json_is_cut(object);
}

const char *status_patch(struct jdoc *d, struct arena *a, const struct json *object,
	struct jval *status)
{
	if (!is_known(object))
		return NULL;
	struct metadata m = metadata_of(object);
	struct jval *patch = patch_of(d, m.uid, m.resource_version);
	j_set(d, patch, "status", status);
	const char *text = j_text(d, patch);
	const struct json *new = json_parse_in(a, text, strlen(text), SIZE_MAX);
	return says_all_of(json_get(object, "status"), json_get(new, "status")) ? NULL : text;
}

const struct json *refusal_of(const struct resource_row *row, const struct json *object)
{
	int64_t generation = metadata_of(object).generation;
	if (!row->judged_by || generation <= 0)
		return NULL;
	const struct json *c = condition_find(json_at(object, "status", "conditions"),
		row->judged_by);
	bool of_now = json_i64(json_get(c, "observedGeneration"), 0) == generation;
	for (const char *const *reason = row->judged; *reason; reason++)
		if (of_now && condition_is(c, "False") &&
			str_eq(json_str(json_get(c, "reason"), ""), *reason))
			return c;
	return NULL;
}
