/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trims pods and their owners to the members that are read later. A user may assign many
 * pods to a virtual node. etcd accepts pods of up to 1.5 MB, and in memory a pod takes
 * ten times as much.
 */
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "virtual_node/parts.h"
#include "object/metadata.h"

enum {
	CONTAINERS_MOST = 20, /* the pod of a job has one or two */
	REFUSED_BYTES = 100,
	/* names have up to 253; an image and an owner's name may be any text */
	TEXT_BYTES = 1000,
};

/* Copies the first bytes of the text. */
static void keep_text(struct arena *a, struct jdoc *d, struct jval *to, const struct json *of,
	const char *key, size_t bytes)
{
	const struct json *text = json_get(of, key);
	if (json_is_str(text))
		j_set_str(d, to, key, arena_strndup(a, json_str(text, ""), bytes));
}

/* Copies the owner that controls the pod. */
static void keep_owner(struct arena *a, struct jdoc *d, struct jval *to, const struct json *owner)
{
	static const char *const keys[] = { "apiVersion", "kind", "name", "uid" };
	if (!owner)
		return;
	struct jval *list = j_set(d, to, "ownerReferences", j_arr(d));
	struct jval *kept = j_push(d, list, j_obj(d));
	for (size_t i = 0; i < LENGTH(keys); i++)
		keep_text(a, d, kept, owner, keys[i], TEXT_BYTES);
	j_set_bool(d, kept, "controller", true);
}

/* The annotations that are read. Ours are never longer (plan/vnode/status.c). */
static const struct {
	const char *key;
	size_t bytes;
} annotations[] = {
	{ ANNOTATION_JOB_ID, 100 },
	{ ANNOTATION_JOB_NODES, 2100 },
	{ ANNOTATION_JOB_STATE, 200 },
	{ ANNOTATION_JOB_SUBMITTED, 100 },
	{ ANNOTATION_JOB_TASKS, 100 },
	{ ANNOTATION_JOB_ARRAY, 1000 },
	{ ANNOTATION_JOB_ENDED, 9000 },
	{ ANNOTATION_JOB_FAILURE, 300 },
	{ ANNOTATION_JOB_KEY, 300 },
	{ ANNOTATION_JOB_ACCOUNT, 300 },
	{ ANNOTATION_INPUTS_WANTED, 100 },
	{ ANNOTATION_INPUTS_THERE, 300 },
	{ ANNOTATION_INPUTS_FAILED, 1000 },
};

static void keep_annotations(struct arena *a, struct jdoc *d, struct jval *to,
	const struct json *all)
{
	struct jval *kept = j_child(d, to, "annotations");
	for (size_t i = 0; i < LENGTH(annotations); i++)
		keep_text(a, d, kept, all, annotations[i].key, annotations[i].bytes);
}

static void keep_names(struct arena *a, struct jdoc *d, struct jval *to,
	const struct json *metadata)
{
	static const char *const keys[] = { "name", "namespace", "uid", "resourceVersion",
		"deletionTimestamp" };
	for (size_t i = 0; i < LENGTH(keys); i++)
		keep_text(a, d, to, metadata, keys[i], TEXT_BYTES);
}

static void keep_metadata(struct arena *a, struct jdoc *d, struct jval *to, const struct json *pod)
{
	const struct json *m = json_get(pod, "metadata");
	keep_names(a, d, to, m);
	keep_owner(a, d, to, controller_of(pod));
	keep_annotations(a, d, to, json_get(m, "annotations"));
}

static void keep_containers(struct arena *a, struct jdoc *d, struct jval *to,
	const struct json *all)
{
	struct jval *list = j_set(d, to, "containers", j_arr(d));
	struct json_iter it = json_iter(all);
	for (int i = 0; i < CONTAINERS_MOST && json_next(&it); i++) {
		struct jval *kept = j_push(d, list, j_obj(d));
		keep_text(a, d, kept, it.value, "name", TEXT_BYTES);
		keep_text(a, d, kept, it.value, "image", TEXT_BYTES);
	}
}

/* Copies the document into as little memory as it needs. */
static struct json_doc *compact(struct jdoc *d, const struct jval *object)
{
	AUTO(json_auto) struct json_doc *doc = j_doc(d, object);
	return doc ? json_copy(json_root(doc)) : NULL;
}

/*
 * Copies the identity and the end of a refused pod. "kubectl logs" needs its container's
 * name.
 */
static struct json_doc *refused_kept(const struct json *pod)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *kept = j_obj(d), *status = j_child(d, kept, "status");
	struct jval *list = j_set(d, j_child(d, kept, "spec"), "containers", j_arr(d));
	keep_names(&a, d, j_child(d, kept, "metadata"), json_get(pod, "metadata"));
	keep_text(&a, d, j_push(d, list, j_obj(d)),
		json_item(json_at(pod, "spec", "containers"), 0), "name", REFUSED_BYTES);
	keep_text(&a, d, status, json_get(pod, "status"), "phase", REFUSED_BYTES);
	keep_text(&a, d, status, json_get(pod, "status"), "reason", REFUSED_BYTES);
	return compact(d, kept);
}

struct json_doc *pod_kept(const struct json *pod, bool begun)
{
	if (!begun && vpod_is_refused(pod))
		return refused_kept(pod);
	AUTO(arena_free) struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *kept = j_obj(d);
	keep_metadata(&a, d, j_child(d, kept, "metadata"), pod);
	keep_containers(&a, d, j_child(d, kept, "spec"), json_at(pod, "spec", "containers"));
	j_set(d, kept, "status", j_copy(d, json_get(pod, "status")));
	return compact(d, kept);
}

/* ---- members that are submitted ---- */

/* Copies the only list that is kept (binds); its items are strings. */
static void keep_list(struct jdoc *d, struct jval *to, const char *key, const struct json *list)
{
	struct jval *kept = j_set(d, to, key, j_arr(d));
	struct json_iter it = json_iter(list);
	for (int i = 0; i < BINDS_MOST && json_next(&it); i++)
		j_push(d, kept, j_str(d, json_str(it.value, "")));
}

static void keep_members(struct jdoc *d, struct jval *spec, const char *key, const struct json *all)
{
	struct jval *kept = j_child(d, spec, key);
	for (struct json_iter it = json_iter(json_is_obj(all) ? all : NULL); json_next(&it);)
		if (json_is_arr(it.value))
			keep_list(d, kept, it.key, it.value);
		else if (!json_is_obj(it.value))
			j_set(d, kept, it.key, j_copy(d, it.value));
}

struct json_doc *owner_kept(const struct json *owner)
{
	static const char *const texts[] = { "batch", "image" };
	AUTO(arena_free) struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *kept = j_obj(d), *spec = j_child(d, kept, "spec");
	const struct json *from = json_get(owner, "spec");
	for (size_t i = 0; i < LENGTH(texts); i++)
		if (json_is_str(json_get(from, texts[i])))
			j_set(d, spec, texts[i], j_copy(d, json_get(from, texts[i])));
	keep_members(d, spec, "options", json_get(from, "options"));
	keep_members(d, spec, "resources", json_get(from, "resources"));
	return compact(d, kept);
}
