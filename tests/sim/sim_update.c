/* SPDX-License-Identifier: Apache-2.0 */
/* Updates and patches in the simulated API server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kube.h"
#include "sim/sim_resource.h"

/* The member of the stored object replaces the draft's. */
void sim_put_back(yyjson_mut_doc *d, yyjson_mut_val *object, yyjson_val *stored, const char *key)
{
	yyjson_val *v = sim_get(stored, key);
	if (v)
		yyjson_mut_obj_put(object, yyjson_mut_strcpy(d, key), yyjson_val_mut_copy(d, v));
	else
		yyjson_mut_obj_remove_key(object, key);
}

static const char *mut_str(yyjson_mut_val *object, const char *key)
{
	const char *s = object ? yyjson_mut_get_str(yyjson_mut_obj_get(object, key)) : NULL;
	return s ? s : "";
}

static struct sim_result check_identity(const struct sim_version *old, yyjson_mut_val *meta)
{
	const char *plural = resource_rows[old->resource].plural;
	const char *uid = mut_str(meta, "uid"), *rv = mut_str(meta, "resourceVersion"),
		   *name = mut_str(meta, "name"), *ns = mut_str(meta, "namespace");
	if (*name && strcmp(name, old->name) != 0)
		return sim_refuse(400, "BadRequest",
			"the name of the object (%s) does not match the name on the URL (%s)", name,
			old->name);
	if (*ns && strcmp(ns, old->ns) != 0)
		return sim_refuse(400, "BadRequest",
			"the namespace of the object does not match the namespace on the request");
	if (*uid && strcmp(uid, old->uid) != 0)
		return sim_refuse(409, "Conflict",
			"Operation cannot be fulfilled on %s \"%s\": Precondition failed: UID in "
			"precondition: %s, UID in object meta: %s",
			plural, old->name, uid, old->uid);
	if (*rv && strcmp(rv, "0") != 0 && strcmp(rv, old->rv_text) != 0)
		return sim_refuse(409, "Conflict",
			"Operation cannot be fulfilled on %s \"%s\": the object has been modified; "
			"please apply your changes to the "
			"latest version and try again",
			plural, old->name);
	return (struct sim_result){ 0 };
}

bool sim_same(yyjson_mut_doc *d, yyjson_mut_val *draft, yyjson_val *stored)
{
	if (!draft || !stored)
		return !draft && !stored;
	return yyjson_mut_equals(draft, yyjson_val_mut_copy(d, stored));
}

static struct sim_result check_fixed(const struct sim_version *old, yyjson_mut_doc *d,
	yyjson_mut_val *root)
{
	const struct sim_resource *row = &sim_resources[old->resource];
	if (row->fixed && row->fixed(old, d, root))
		return sim_refuse(422, "Invalid",
			"%s \"%s\" is invalid: Forbidden: updates to fields other than the mutable "
			"ones are forbidden",
			resource_rows[old->resource].kind, old->name);
	if (!sim_terminating(old))
		return (struct sim_result){ 0 };
	yyjson_mut_val *name;
	yyjson_mut_arr_iter it =
		yyjson_mut_arr_iter_with(yyjson_mut_obj_get(yyjson_mut_obj_get(root, "metadata"),
			"finalizers"));
	while ((name = yyjson_mut_arr_iter_next(&it))) {
		bool had = false;
		yyjson_val *each;
		yyjson_arr_iter in = yyjson_arr_iter_with(sim_get(sim_meta(old), "finalizers"));
		while ((each = yyjson_arr_iter_next(&in)))
			had = had || yyjson_equals_str(each, yyjson_mut_get_str(name));
		if (!had)
			return sim_refuse(422, "Invalid",
				"metadata.finalizers: Forbidden: no new finalizers can be added if "
				"the object is being deleted");
	}
	return (struct sim_result){ 0 };
}

static void take_notes(yyjson_mut_doc *d, yyjson_mut_val *to, yyjson_mut_val *from)
{
	static const char *const notes[] = { "labels", "annotations" };
	for (size_t i = 0; i < LENGTH(notes); i++) {
		yyjson_mut_val *v = yyjson_mut_obj_get(from, notes[i]);
		yyjson_mut_obj_remove_key(to, notes[i]);
		if (v)
			yyjson_mut_obj_add_val(d, to, notes[i], yyjson_mut_val_mut_copy(d, v));
	}
}

/*
 * Makes the draft what it would be after the write: only what the subresource may change,
 * system fields as they were.
 */
static struct sim_result shape(const struct sim_version *old, yyjson_mut_doc *d, const char *sub,
	bool internal)
{
	static const char *const system[] = { "name", "namespace", "uid", "resourceVersion",
		"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
		"generation" };
	yyjson_mut_val *root = yyjson_mut_doc_get_root(d),
		       *meta = yyjson_mut_obj_get(root, "metadata");
	if (*sub) {
		yyjson_mut_val *status = yyjson_mut_obj_get(root, "status"),
			       *whole = yyjson_val_mut_copy(d, old->root);
		if (status)
			yyjson_mut_obj_put(whole, yyjson_mut_str(d, "status"), status);
		else
			yyjson_mut_obj_remove_key(whole, "status");
		if (!internal && sim_resources[old->resource].status_has_notes)
			take_notes(d, yyjson_mut_obj_get(whole, "metadata"), meta);
		yyjson_mut_doc_set_root(d, whole);
		return (struct sim_result){ 0 };
	}
	sim_put_back(d, root, old->root, "apiVersion");
	sim_put_back(d, root, old->root, "kind");
	for (size_t i = 0; i < LENGTH(system); i++)
		sim_put_back(d, meta, sim_meta(old), system[i]);
	if (sim_has_status(old->resource))
		sim_put_back(d, root, old->root, "status");
	bool spec_same = sim_same(d, yyjson_mut_obj_get(root, "spec"), sim_get(old->root, "spec"));
	struct sim_result bad = internal ? (struct sim_result){ 0 } : check_fixed(old, d, root);
	if (!bad.status && !spec_same && sim_get(sim_meta(old), "generation"))
		yyjson_mut_obj_put(meta, yyjson_mut_str(d, "generation"),
			yyjson_mut_int(d, sim_int(sim_meta(old), "generation", 0) + 1));
	return bad;
}

/* An object under deletion goes with its last finalizer. */
static bool goes(const struct sim_version *v)
{
	if (!sim_terminating(v) || sim_resources[v->resource].stays_until_empty ||
		yyjson_arr_size(sim_get(sim_meta(v), "finalizers")) > 0)
		return false;
	return !sim_resources[v->resource].has_grace ||
		sim_int(sim_meta(v), "deletionGracePeriodSeconds", 0) == 0;
}

/* An annotation that the object had before stays. */
static void strip(const struct sim_version *old, yyjson_mut_val *meta)
{
	const char *key = sim_resources[old->resource].orphaned;
	yyjson_mut_val *annotations = yyjson_mut_obj_get(meta, "annotations");
	if (key && annotations && !*sim_annotation(old, key))
		yyjson_mut_obj_remove_key(annotations, key);
}

struct sim_result sim_finish_update(struct sim_kube *k, struct sim_origin o,
	struct sim_version *old, const char *verb, yyjson_mut_doc *draft, const char *sub)
{
	yyjson_mut_val *root = yyjson_mut_doc_get_root(draft),
		       *meta = yyjson_mut_obj_get(root, "metadata");
	if (!yyjson_mut_is_obj(meta))
		return sim_refuse(422, "Invalid", "%s \"%s\" is invalid: metadata",
			resource_rows[old->resource].kind, old->name);
	struct sim_result out = check_identity(old, meta);
	if (out.status)
		return out;
	if (k->strips && o.actor == ACTOR_OPERATOR)
		strip(old, meta);
	sim_drop_empty(root);
	out = shape(old, draft, sub, o.actor == ACTOR_SCHEDULER || o.actor == ACTOR_KUBELET);
	if (out.status)
		return out;
	out.status = 200;
	yyjson_doc *doc = yyjson_mut_doc_imut_copy(draft, NULL);
	struct sim_version *before = sim_version_keep(old);
	struct sim_write w = {
		.actor = o.actor,
		.verb = verb,
		.resource = old->resource,
		.subresource = sub,
		.before = before,
		.request = o.request,
	};
	if (yyjson_equals(yyjson_doc_get_root(doc), old->root)) {
		yyjson_doc_free(doc);
		out.version = old;
	} else {
		out.version = sim_store_put(&k->store, old->resource, doc);
		if (goes(out.version)) {
			w.removed = true;
			out.version = sim_store_remove(&k->store, out.version);
		}
	}
	w.after = out.version;
	if (k->on_write)
		k->on_write(k->ctx, &w);
	sim_version_drop(before);
	return out;
}

static struct sim_version *find(struct sim_kube *k, enum resource r, const char *ns,
	const char *name, struct sim_result *no)
{
	struct sim_version *v = sim_store_find(&k->store, r, ns, name);
	if (!v)
		*no = sim_refuse(404, "NotFound", "%s \"%s\" not found", resource_rows[r].plural,
			name);
	return v;
}

struct sim_result sim_update(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, const char *name, const char *sub, yyjson_val *body)
{
	struct sim_result out;
	struct sim_version *old = find(k, r, ns, name, &out);
	if (!old)
		return out;
	if (strcmp(sim_str(body, "kind"), resource_rows[r].kind) != 0)
		return sim_refuse(400, "BadRequest",
			"the object provided is unrecognized: not a %s", resource_rows[r].kind);
	bool unversioned = !*sim_str(sim_get(body, "metadata"), "resourceVersion");
	if (unversioned && sim_versioned(r))
		return sim_refuse(422, "Invalid",
			"%s \"%s\" is invalid: metadata.resourceVersion: Invalid value: 0x0: must "
			"be specified for an update",
			resource_rows[r].kind, name);
	yyjson_mut_doc *draft = yyjson_mut_doc_new(NULL);
	yyjson_mut_doc_set_root(draft, yyjson_val_mut_copy(draft, body));
	out = sim_finish_update(k, o, old, "update", draft, sub);
	yyjson_mut_doc_free(draft);
	return out;
}

struct sim_result sim_patch(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, const char *name, const char *sub, enum sim_patch type, yyjson_val *patch)
{
	struct sim_result out;
	struct sim_version *old = find(k, r, ns, name, &out);
	if (!old)
		return out;
	yyjson_mut_doc *draft = yyjson_mut_doc_new(NULL);
	const char *why = NULL;
	if (type == SIM_MERGE_PATCH) {
		yyjson_mut_val *base = yyjson_val_mut_copy(draft, old->root),
			       *over = yyjson_val_mut_copy(draft, patch);
		yyjson_mut_doc_set_root(draft, yyjson_mut_merge_patch(draft, base, over));
	} else {
		yyjson_mut_doc_set_root(draft, yyjson_val_mut_copy(draft, old->root));
		why = sim_json_patch(draft, yyjson_mut_doc_get_root(draft), patch);
	}
	out = why
		? sim_refuse(422, "Invalid",
			  "the server rejected our request due to an error in our request: %s", why)
		: sim_finish_update(k, o, old, "patch", draft, sub);
	yyjson_mut_doc_free(draft);
	return out;
}

struct sim_result sim_patch_text(struct sim_kube *k, enum sim_actor who, enum resource r,
	const char *ns, const char *name, const char *sub, const char *merge_patch)
{
	yyjson_doc *doc = sim_json(merge_patch);
	struct sim_result out = sim_patch(k, (struct sim_origin){ .actor = who }, r, ns, name, sub,
		SIM_MERGE_PATCH, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	return out;
}

/* ---- JSON patch (RFC 6902): add, replace, remove, test ---- */

static const char *apply_op(yyjson_mut_doc *d, yyjson_mut_val *root, const char *op,
	const char *path, yyjson_mut_val *value)
{
	bool there = yyjson_mut_ptr_get(root, path) != NULL;
	if (strcmp(op, "test") == 0)
		return there && value && yyjson_mut_equals(yyjson_mut_ptr_get(root, path), value)
			? NULL
			: "testing value failed";
	if (strcmp(op, "remove") == 0)
		return yyjson_mut_ptr_remove(root, path) ? NULL
							 : "remove of a path that does not exist";
	if (!value)
		return "value is missing";
	if (strcmp(op, "replace") == 0)
		return yyjson_mut_ptr_replace(root, path, value)
			? NULL
			: "replace of a path that does not exist";
	if (strcmp(op, "add") != 0)
		return "unknown op";
	/* add to an object replaces; add to a list inserts */
	yyjson_ptr_ctx ctx = { 0 };
	yyjson_mut_ptr_getx(root, path, strlen(path), &ctx, NULL);
	if (there && yyjson_mut_is_obj(ctx.ctn))
		return yyjson_mut_ptr_replace(root, path, value) ? NULL : "add failed";
	return yyjson_mut_ptr_addx(root, path, strlen(path), value, d, false, NULL, NULL)
		? NULL
		: "add to a parent that does not exist";
}

const char *sim_json_patch(yyjson_mut_doc *doc, yyjson_mut_val *root, yyjson_val *patch)
{
	if (!yyjson_is_arr(patch))
		return "a JSON patch is a list";
	yyjson_val *op;
	yyjson_arr_iter it = yyjson_arr_iter_with(patch);
	while ((op = yyjson_arr_iter_next(&it))) {
		yyjson_val *value = sim_get(op, "value");
		const char *why = apply_op(doc, root, sim_str(op, "op"), sim_str(op, "path"),
			value ? yyjson_val_mut_copy(doc, value) : NULL);
		if (why)
			return why;
	}
	return NULL;
}
