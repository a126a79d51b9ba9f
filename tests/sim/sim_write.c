/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creation and deletion, and the part that is common to all writes. Updates and patches:
 * sim_update.c.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/time.h"
#include "sim/sim_kube.h"
#include "sim/sim_resource.h"

const char *const sim_actor_names[] = { "operator", "user", "scheduler", "kubelet",
	"garbage collector" };

struct sim_result sim_refuse(int status, const char *reason, const char *format, ...)
{
	struct sim_result r = { .status = status, .reason = reason };
	va_list args;
	va_start(args, format);
	vsnprintf(r.message, sizeof(r.message), format, args);
	va_end(args);
	return r;
}

void sim_status_body(const struct sim_result *r, struct str *out)
{
	yyjson_mut_doc *d = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *o = yyjson_mut_obj(d), *details = yyjson_mut_obj(d);
	yyjson_mut_doc_set_root(d, o);
	yyjson_mut_obj_add_str(d, o, "kind", "Status");
	yyjson_mut_obj_add_str(d, o, "apiVersion", "v1");
	yyjson_mut_obj_add_val(d, o, "metadata", yyjson_mut_obj(d));
	yyjson_mut_obj_add_str(d, o, "status", r->status < 300 ? "Success" : "Failure");
	yyjson_mut_obj_add_str(d, o, "message", r->message);
	yyjson_mut_obj_add_str(d, o, "reason", r->reason ? r->reason : "");
	yyjson_mut_obj_add_val(d, o, "details", details);
	if (r->cause) {
		yyjson_mut_val *causes = yyjson_mut_obj_add_arr(d, details, "causes"),
			       *cause = yyjson_mut_arr_add_obj(d, causes);
		yyjson_mut_obj_add_str(d, cause, "reason", r->cause);
	}
	yyjson_mut_obj_add_int(d, o, "code", r->status);
	size_t n;
	char *text = yyjson_mut_write(d, 0, &n);
	str_add_bytes(out, text, n);
	free(text);
	yyjson_mut_doc_free(d);
}

void sim_kube_fault_body(int status, struct str *out)
{
	struct sim_result r = status == 429
		? sim_refuse(429, "TooManyRequests", "too many requests, please try again later")
		: status == 503 ? sim_refuse(503, "ServiceUnavailable",
					  "the server is currently unable to handle the request")
				: sim_refuse(500, "InternalError",
					  "Internal error occurred: etcdserver: request timed out");
	sim_status_body(&r, out);
}

/* Nulls are as good as absent for the API server. */
static void drop_nulls(yyjson_mut_val *v)
{
	if (yyjson_mut_is_obj(v)) {
		yyjson_mut_obj_iter it = yyjson_mut_obj_iter_with(v);
		yyjson_mut_val *key;
		while ((key = yyjson_mut_obj_iter_next(&it))) {
			yyjson_mut_val *member = yyjson_mut_obj_iter_get_val(key);
			if (yyjson_mut_is_null(member))
				yyjson_mut_obj_iter_remove(&it);
			else
				drop_nulls(member);
		}
	} else if (yyjson_mut_is_arr(v)) {
		yyjson_mut_arr_iter it = yyjson_mut_arr_iter_with(v);
		yyjson_mut_val *item;
		while ((item = yyjson_mut_arr_iter_next(&it)))
			drop_nulls(item);
	}
}

void sim_drop_empty(yyjson_mut_val *root)
{
	static const char *const keys[] = { "labels", "annotations", "finalizers",
		"ownerReferences" };
	drop_nulls(root);
	yyjson_mut_val *meta = yyjson_mut_obj_get(root, "metadata");
	if (!meta)
		return;
	for (size_t i = 0; i < LENGTH(keys); i++) {
		yyjson_mut_val *v = yyjson_mut_obj_get(meta, keys[i]);
		if (v &&
			(yyjson_mut_is_obj(v) ? yyjson_mut_obj_size(v) : yyjson_mut_arr_size(v)) ==
				0)
			yyjson_mut_obj_remove_key(meta, keys[i]);
	}
	yyjson_mut_obj_remove_key(meta, "managedFields");
	yyjson_mut_obj_remove_key(meta, "selfLink");
}

static bool good_name(const char *s)
{
	size_t n = strlen(s);
	if (n == 0 || n > 253 || !isalnum((unsigned char)s[0]) || !isalnum((unsigned char)s[n - 1]))
		return false;
	for (; *s; s++)
		if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '-' &&
			*s != '.')
			return false;
	return true;
}

static void set_str(yyjson_mut_doc *d, yyjson_mut_val *object, const char *key, const char *value)
{
	yyjson_mut_obj_put(object, yyjson_mut_strcpy(d, key), yyjson_mut_strcpy(d, value));
}

static void set_time(struct sim_kube *k, yyjson_mut_doc *d, yyjson_mut_val *meta, const char *key,
	int64_t after_ms)
{
	char text[TIME_RFC3339_BYTES];
	time_format(sim_loop_server_ms(k->loop) + after_ms, text);
	set_str(d, meta, key, text);
}

static void notify(struct sim_kube *k, const struct sim_write *w)
{
	if (k->on_write)
		k->on_write(k->ctx, w);
}

/* Whether a body may become a new object; OK is status 0. */
static struct sim_result check_create(struct sim_kube *k, enum resource r, const char *ns,
	yyjson_val *body)
{
	const struct resource_row *row = &resource_rows[r];
	yyjson_val *meta = sim_get(body, "metadata");
	const char *body_ns = sim_str(meta, "namespace");
	if (strcmp(sim_str(body, "kind"), row->kind) != 0 ||
		strcmp(sim_str(body, "apiVersion"), row->api_version) != 0)
		return sim_refuse(400, "BadRequest",
			"the object provided is unrecognized: not a %s of %s", row->kind,
			row->api_version);
	if (row->namespaced && *body_ns && strcmp(body_ns, ns) != 0)
		return sim_refuse(400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on "
			"the request");
	if (*sim_str(meta, "resourceVersion"))
		return sim_refuse(400, "BadRequest",
			"resourceVersion should not be set on objects to be created");
	if (!*sim_str(meta, "generateName") && !good_name(sim_str(meta, "name")))
		return sim_refuse(422, "Invalid", "%s \"%s\" is invalid: metadata.name", row->kind,
			sim_str(meta, "name"));
	const char *missing = sim_resources[r].missing ? sim_resources[r].missing(body) : NULL;
	if (missing)
		return sim_refuse(422, "Invalid", "%s \"%s\" is invalid: %s", row->kind,
			sim_str(meta, "name"), missing);
	if (!row->namespaced)
		return (struct sim_result){ 0 };
	const struct sim_version *space = sim_store_find(&k->store, RES_NAMESPACE, "", ns);
	if (!space)
		return sim_refuse(404, "NotFound", "namespaces \"%s\" not found", ns);
	if (sim_terminating(space)) {
		struct sim_result no = sim_refuse(403, "Forbidden",
			"%s is forbidden: unable to create new content in namespace %s because it "
			"is being terminated",
			row->plural, ns);
		no.cause = "NamespaceTerminating";
		return no;
	}
	return (struct sim_result){ 0 };
}

static void add_finalizer(yyjson_mut_doc *d, yyjson_mut_val *meta, const char *name)
{
	yyjson_mut_val *list = yyjson_mut_obj_get(meta, "finalizers");
	if (!list)
		list = yyjson_mut_obj_add_arr(d, meta, "finalizers");
	yyjson_mut_arr_add_strcpy(d, list, name);
}

static void fill_new(struct sim_kube *k, enum resource r, const char *ns, yyjson_mut_doc *d,
	yyjson_mut_val *root)
{
	yyjson_mut_val *meta = yyjson_mut_obj_get(root, "metadata");
	const struct sim_resource *row = &sim_resources[r];
	char text[300];
	const char *base = yyjson_mut_get_str(yyjson_mut_obj_get(meta, "generateName"));
	if (!yyjson_mut_obj_get(meta, "name") && base) {
		snprintf(text, sizeof(text), "%s%05llx", base,
			(unsigned long long)(sim_rand_next(&k->rand) & 0xfffff));
		set_str(d, meta, "name", text);
	}
	if (resource_rows[r].namespaced)
		set_str(d, meta, "namespace", ns);
	snprintf(text, sizeof(text), "%08llx-0000-4000-8000-%012llx",
		(unsigned long long)(sim_rand_next(&k->rand) >> 32), (unsigned long long)++k->uids);
	set_str(d, meta, "uid", text);
	set_str(d, meta, "resourceVersion", "0");
	set_time(k, d, meta, "creationTimestamp", 0);
	yyjson_mut_obj_remove_key(meta, "deletionTimestamp");
	yyjson_mut_obj_remove_key(meta, "deletionGracePeriodSeconds");
	yyjson_mut_obj_remove_key(meta, "generation");
	if (yyjson_mut_obj_get(root, "spec") && !row->ungenerated)
		yyjson_mut_obj_add_int(d, meta, "generation", 1);
	yyjson_mut_obj_remove_key(root, "status");
	if (row->finalizer)
		add_finalizer(d, meta, row->finalizer);
	if (row->phase)
		set_str(d, yyjson_mut_obj_add_obj(d, root, "status"), "phase", row->phase);
}

/* Events go away by themselves; a small world keeps few. */
static void expire(struct sim_kube *k, enum resource r)
{
	const struct sim_list *all = &k->store.of[r];
	if (!sim_resources[r].most || all->n < sim_resources[r].most)
		return;
	struct sim_version *oldest = all->at[0];
	for (size_t i = 1; i < all->n; i++)
		if (all->at[i]->rv < oldest->rv)
			oldest = all->at[i];
	sim_store_remove(&k->store, oldest);
}

struct sim_result sim_create(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, yyjson_val *body)
{
	struct sim_result out = check_create(k, r, ns, body);
	if (out.status)
		return out;
	expire(k, r);
	yyjson_mut_doc *d = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_val_mut_copy(d, body);
	yyjson_mut_doc_set_root(d, root);
	fill_new(k, r, ns, d, root);
	sim_drop_empty(root);
	const char *name =
		yyjson_mut_get_str(yyjson_mut_obj_get(yyjson_mut_obj_get(root, "metadata"),
			"name"));
	if (sim_store_find(&k->store, r, resource_rows[r].namespaced ? ns : "", name)) {
		out = sim_refuse(409, "AlreadyExists", "%s \"%s\" already exists",
			resource_rows[r].plural, name);
	} else {
		out.status = 201;
		out.version = sim_store_put(&k->store, r, yyjson_mut_doc_imut_copy(d, NULL));
		notify(k,
			&(struct sim_write){
				.actor = o.actor,
				.verb = "create",
				.resource = r,
				.subresource = "",
				.after = out.version,
				.request = o.request,
			});
	}
	yyjson_mut_doc_free(d);
	return out;
}

/* ---- deletion ---- */

static struct sim_result check_preconditions(const struct sim_version *v, yyjson_val *options)
{
	yyjson_val *pre = sim_get(options, "preconditions");
	const char *uid = sim_str(pre, "uid"), *rv = sim_str(pre, "resourceVersion");
	if (*uid && strcmp(uid, v->uid) != 0)
		return sim_refuse(409, "Conflict",
			"Precondition failed: UID in precondition: %s, UID in object meta: %s", uid,
			v->uid);
	if (*rv && strcmp(rv, v->rv_text) != 0)
		return sim_refuse(409, "Conflict",
			"Precondition failed: ResourceVersion in precondition: %s, ResourceVersion "
			"in object meta: %s",
			rv, v->rv_text);
	return (struct sim_result){ 0 };
}

/*
 * The seconds that an object stays after its deletion was accepted; 0: it goes at once.
 */
static int64_t grace_of(const struct sim_version *v, yyjson_val *options)
{
	if (!sim_resources[v->resource].has_grace)
		return 0;
	const char *phase = sim_str(sim_get(v->root, "status"), "phase");
	if (!*sim_str(sim_get(v->root, "spec"), "nodeName") || strcmp(phase, "Failed") == 0 ||
		strcmp(phase, "Succeeded") == 0)
		return 0;
	int64_t by_default = sim_int(sim_get(v->root, "spec"), "terminationGracePeriodSeconds", 30);
	return sim_int(options, "gracePeriodSeconds", by_default);
}

/*
 * The finalizer by which the garbage collector knows what is meant; NULL: the usual way.
 */
static const char *finalizer_of(yyjson_val *options)
{
	const char *policy = sim_str(options, "propagationPolicy");
	return strcmp(policy, "Foreground") == 0 ? "foregroundDeletion"
		: strcmp(policy, "Orphan") == 0  ? "orphan"
						 : NULL;
}

static struct sim_version *mark(struct sim_kube *k, struct sim_version *v, int64_t grace_s,
	const char *finalizer)
{
	yyjson_mut_doc *d = yyjson_doc_mut_copy(v->doc, NULL);
	yyjson_mut_val *root = yyjson_mut_doc_get_root(d),
		       *meta = yyjson_mut_obj_get(root, "metadata");
	if (!yyjson_mut_obj_get(meta, "deletionTimestamp") &&
		yyjson_mut_obj_get(meta, "generation"))
		yyjson_mut_obj_put(meta, yyjson_mut_str(d, "generation"),
			yyjson_mut_int(d,
				yyjson_mut_get_sint(yyjson_mut_obj_get(meta, "generation")) + 1));
	if (finalizer && !sim_has_finalizer(v, finalizer))
		add_finalizer(d, meta, finalizer);
	set_time(k, d, meta, "deletionTimestamp", grace_s * 1000);
	yyjson_mut_obj_put(meta, yyjson_mut_str(d, "deletionGracePeriodSeconds"),
		yyjson_mut_int(d, grace_s));
	if (sim_resources[v->resource].stays_until_empty)
		set_str(d, yyjson_mut_obj_get(root, "status"), "phase", "Terminating");
	struct sim_version *out = sim_store_put(&k->store, v->resource,
		yyjson_mut_doc_imut_copy(d, NULL));
	yyjson_mut_doc_free(d);
	return out;
}

struct sim_result sim_delete(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, const char *name, yyjson_val *options)
{
	struct sim_version *v = sim_store_find(&k->store, r, ns, name);
	if (!v)
		return sim_refuse(404, "NotFound", "%s \"%s\" not found", resource_rows[r].plural,
			name);
	struct sim_result out = check_preconditions(v, options);
	if (out.status)
		return out;
	int64_t grace_s = grace_of(v, options);
	const char *finalizer = sim_terminating(v) ? NULL : finalizer_of(options);
	bool held = grace_s > 0 || finalizer || sim_resources[r].stays_until_empty ||
		yyjson_arr_size(sim_get(sim_meta(v), "finalizers")) > 0;
	struct sim_version *before = sim_version_keep(v);
	struct sim_write w = {
		.actor = o.actor,
		.verb = "delete",
		.resource = r,
		.subresource = "",
		.before = before,
		.request = o.request,
	};
	out.status = 200;
	if (!held) {
		w.removed = true;
		w.marked = !sim_terminating(before);
		out.version = sim_store_remove(&k->store, v);
	} else if (!sim_terminating(v) ||
		grace_s < sim_int(sim_meta(v), "deletionGracePeriodSeconds", 0)) {
		w.marked = !sim_terminating(v);
		out.version = mark(k, v, grace_s, finalizer);
	} else {
		out.version = v;
	}
	w.after = out.version;
	notify(k, &w);
	sim_version_drop(before);
	return out;
}

struct sim_result sim_delete_by(struct sim_kube *k, enum sim_actor who, enum resource r,
	const char *ns, const char *name, const char *propagation)
{
	char options[80];
	snprintf(options, sizeof(options), "{'propagationPolicy':'%s'}", propagation);
	yyjson_doc *doc = sim_json(options);
	struct sim_result out = sim_delete(k, (struct sim_origin){ .actor = who }, r, ns, name,
		yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	return out;
}

bool sim_has_finalizer(const struct sim_version *v, const char *name)
{
	yyjson_val *each;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(v), "finalizers"));
	while ((each = yyjson_arr_iter_next(&it)))
		if (yyjson_equals_str(each, name))
			return true;
	return false;
}

void sim_pod_ended(struct sim_kube *k, const char *ns, const char *name, const char *uid)
{
	struct sim_version *v = sim_store_find(&k->store, RES_POD, ns, name);
	if (!v || strcmp(v->uid, uid) != 0)
		return;
	if (yyjson_arr_size(sim_get(sim_meta(v), "finalizers")) > 0) {
		if (sim_int(sim_meta(v), "deletionGracePeriodSeconds", 0) > 0)
			mark(k, v, 0, NULL);
		return;
	}
	struct sim_version *before = sim_version_keep(v), *last = sim_store_remove(&k->store, v);
	notify(k,
		&(struct sim_write){
			.actor = ACTOR_KUBELET,
			.verb = "delete",
			.resource = RES_POD,
			.subresource = "",
			.before = before,
			.after = last,
			.removed = true,
		});
	sim_version_drop(before);
}
