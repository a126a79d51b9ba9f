/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P9: what others wrote stays; whose pods are, and who cordoned them. And: nothing is
 * ordered twice.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "sim/sim_call.h"
#include "sim/sim_oracle.h"
#include "sim/sim_resource.h"

#define CORDON "nodeset.slinky.slurm.net/pod-cordon"
#define CORDONED_BY "nodeset.slinky.slurm.net/cordoned-by"

static const struct sim_version *owner_of(const struct sim_oracle *o, const struct sim_version *v)
{
	const char *uid = sim_owner_uid(v);
	return *uid ? sim_store_by_uid(&o->kube->store, uid) : NULL;
}

/* ---- P9: what others wrote stays ---- */

static void check_map(struct sim_oracle *o, const struct sim_write *w, const char *what)
{
	yyjson_val *before = sim_get(sim_meta(w->before), what),
		   *after = sim_get(sim_meta(w->after), what), *key;
	yyjson_obj_iter it = yyjson_obj_iter_with(before);
	while ((key = yyjson_obj_iter_next(&it)))
		if (!sim_own_key(yyjson_get_str(key)) &&
			!yyjson_equals(yyjson_obj_iter_get_val(key),
				sim_get(after, yyjson_get_str(key))))
			sim_oracle_break(o, "P9", w->request,
				"%s %s of %s %s/%s was lost or changed", what, yyjson_get_str(key),
				resource_rows[w->resource].kind, w->before->ns, w->before->name);
}

static bool holds(yyjson_val *list, yyjson_val *item)
{
	yyjson_val *each;
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	while ((each = yyjson_arr_iter_next(&it)))
		if (yyjson_equals(each, item))
			return true;
	return false;
}

/* A pod's conditions are the kubelet's; elsewhere foreign types have a domain. */
static bool foreign_condition(enum resource r, const char *type)
{
	if (sim_own_key(type))
		return false;
	return r == RES_POD || r == RES_PVC || strchr(type, '/');
}

static void check_lists(struct sim_oracle *o, const struct sim_write *w)
{
	yyjson_val *item;
	const char *kind = resource_rows[w->resource].kind, *name = w->before->name;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(w->before), "finalizers"));
	while ((item = yyjson_arr_iter_next(&it)))
		if (!sim_own_key(yyjson_get_str(item)) &&
			!holds(sim_get(sim_meta(w->after), "finalizers"), item))
			sim_oracle_break(o, "P9", w->request, "finalizer %s of %s %s was removed",
				yyjson_get_str(item), kind, name);
	it = yyjson_arr_iter_with(sim_get(sim_meta(w->before), "ownerReferences"));
	while ((item = yyjson_arr_iter_next(&it))) {
		const char *of = sim_str(item, "kind");
		bool own = strcmp(of, "NodeSet") == 0 || strcmp(of, "Pod") == 0 ||
			strcmp(of, "Namespace") == 0;
		if (!own && !holds(sim_get(sim_meta(w->after), "ownerReferences"), item))
			sim_oracle_break(o, "P9", w->request, "the owner %s of %s %s was removed",
				sim_str(item, "name"), kind, name);
	}
	it = yyjson_arr_iter_with(sim_at(w->before->root, "status", "conditions"));
	while ((item = yyjson_arr_iter_next(&it)))
		if (foreign_condition(w->resource, sim_str(item, "type")) &&
			!holds(sim_at(w->after->root, "status", "conditions"), item))
			sim_oracle_break(o, "P9", w->request,
				"condition %s of %s %s was lost or changed", sim_str(item, "type"),
				kind, name);
}

/* How many pods one with spec.autoscaling has is the program's to say. */
static bool same_spec(yyjson_val *before, yyjson_val *after)
{
	bool scales = yyjson_is_obj(sim_get(before, "autoscaling"));
	yyjson_val *key;
	yyjson_obj_iter it = yyjson_obj_iter_with(after);
	if (!scales)
		return yyjson_equals(before, after);
	while ((key = yyjson_obj_iter_next(&it))) {
		const char *name = yyjson_get_str(key);
		if (strcmp(name, "replicas") != 0 &&
			!yyjson_equals(sim_get(before, name), yyjson_obj_iter_get_val(key)))
			return false;
	}
	return sim_get(before, "replicas") ? yyjson_obj_size(before) == yyjson_obj_size(after)
					   : yyjson_obj_size(before) <= yyjson_obj_size(after);
}

void sim_oracle_on_kept(struct sim_oracle *o, const struct sim_write *w)
{
	bool changed = w->before && w->before != w->after && strcmp(w->verb, "delete") != 0;
	if (!changed || sim_resources[w->resource].own)
		return;
	check_map(o, w, "labels");
	check_map(o, w, "annotations");
	check_lists(o, w);
	if (resource_rows[w->resource].custom &&
		!same_spec(sim_get(w->before->root, "spec"), sim_get(w->after->root, "spec")))
		sim_oracle_break(o, "P9", w->request, "the spec of %s %s/%s was changed",
			resource_rows[w->resource].kind, w->before->ns, w->before->name);
}

/* ---- pods of others ---- */

/* An empty selector selects nothing: its writer did not mean every pod. */
bool sim_selects(const struct sim_version *nodeset, yyjson_val *labels)
{
	yyjson_val *wanted = sim_get(sim_at(nodeset->root, "spec", "selector"), "matchLabels"),
		   *key;
	yyjson_obj_iter it = yyjson_obj_iter_with(wanted);
	if (yyjson_obj_size(wanted) == 0)
		return false;
	while ((key = yyjson_obj_iter_next(&it)))
		if (!yyjson_equals_str(yyjson_obj_iter_get_val(key),
			    sim_str(labels, yyjson_get_str(key))))
			return false;
	return true;
}

static bool selects(const struct sim_version *nodeset, const void *pod)
{
	return sim_selects(nodeset, sim_get(sim_meta(pod), "labels"));
}

static void check_taken(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *nodeset = owner_of(o, w->after);
	bool had = w->before && *sim_owner_uid(w->before);
	if (had || !nodeset || sim_oracle_at_any_time(o, w->request, nodeset, selects, w->after))
		return;
	sim_oracle_break(o, "P9", w->request,
		"pod %s/%s was %s for NodeSet %s, whose selector does not select it", w->after->ns,
		w->after->name, w->before ? "taken" : "made", nodeset->name);
}

static void check_foreign(struct sim_oracle *o, const struct sim_write *w)
{
	if (w->before && strcmp(w->verb, "delete") == 0 && !*sim_owner_uid(w->before) &&
		!*sim_oracle_orphaned_of(o, w->before->uid))
		sim_oracle_break(o, "P9", w->request,
			"pod %s/%s, which no NodeSet controls, was deleted", w->before->ns,
			w->before->name);
}

/* ---- cordons of others ---- */

static bool cordoned(const struct sim_version *pod)
{
	return pod && strcmp(sim_annotation(pod, CORDON), "true") == 0;
}

static size_t find(const struct sim_oracle *o, const char *uid)
{
	size_t i = 0;
	while (i < o->n_cordons && strcmp(o->cordons[i], uid) != 0)
		i++;
	return i;
}

static void forget(struct sim_oracle *o, size_t i)
{
	if (i == o->n_cordons)
		return;
	free(o->cordons[i]);
	o->cordons[i] = o->cordons[--o->n_cordons];
}

/*
 * A cordon on a pod that still says that the operator cordons it cannot be told from the
 * operator's.
 */
static void note_cordon(struct sim_oracle *o, const struct sim_version *before,
	const struct sim_version *after)
{
	if (!cordoned(after)) {
		forget(o, find(o, after->uid));
	} else if (!cordoned(before) &&
		strncmp(sim_annotation(after, CORDONED_BY), "operator", 8) != 0) {
		o->cordons = own_realloc(o->cordons, (o->n_cordons + 1) * sizeof(*o->cordons));
		o->cordons[o->n_cordons++] = own_strdup(after->uid);
	}
}

void sim_oracle_on_pod(struct sim_oracle *o, const struct sim_write *w)
{
	if (w->actor == ACTOR_USER) {
		if (!w->before) {
			o->stray_ms = o->kube->loop->now_ms;
			o->stray_rv = w->after->rv;
		}
		note_cordon(o, w->before, w->after);
	} else if (w->actor == ACTOR_OPERATOR) {
		check_taken(o, w);
		check_foreign(o, w);
		if (cordoned(w->before) && !cordoned(w->after) &&
			find(o, w->after->uid) < o->n_cordons)
			sim_oracle_break(o, "P9", w->request,
				"the cordon of pod %s/%s was lifted; a user had set it",
				w->after->ns, w->after->name);
	}
}

/* ---- once ---- */

static bool same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static uint32_t hash_of(const struct sim_request *rq)
{
	static const char version[] = "resourceVersion\"", digits[] = "0123456789";
	const char *server = rq->call->server->base_url;
	/* A new life cannot know what one before it has written within these seconds */
	int sender[] = { rq->who, rq->life };
	uint32_t hash = fnv1_32(FNV1_START, sender, sizeof(sender));
	hash = fnv1_32(hash, server, strlen(server));
	hash = fnv1_32(fnv1_32(hash, rq->method, strlen(rq->method)), rq->path, strlen(rq->path));
	for (const char *at = rq->body, *end = at + rq->body_bytes; at && at < end;) {
		const char *v = memmem(at, (size_t)(end - at), version, strlen(version));
		hash = fnv1_32(hash, at, (size_t)((v ? v : end) - at));
		at = v ? v + strlen(version) : end;
		at += v ? strcspn(at, digits) : 0;
		at += v ? strspn(at, digits) : 0;
	}
	return hash;
}

/*
 * The program must not answer a client without end that undoes its writes, or does not do
 * what it asks for.
 */
static void check_haste(struct sim_oracle *o, const struct sim_request *rq)
{
	enum { HASTE_MS = 5000, HASTE_TIMES = 16 };
	int64_t now = o->kube->loop->now_ms;
	uint32_t what = hash_of(rq);
	int times = 0;
	if (strstr(rq->path, "/events"))
		return;
	o->row[o->n_row % ORACLE_ROW].at_ms = now;
	o->row[o->n_row++ % ORACLE_ROW].what = what;
	for (size_t i = 0; i < ORACLE_ROW && i < o->n_row; i++)
		times += o->row[i].what == what && now - o->row[i].at_ms < HASTE_MS;
	if (times > HASTE_TIMES)
		sim_oracle_break(o, "P6", rq, "the same was written %d times within %d s", times,
			HASTE_MS / 1000);
}

/*
 * A request that has reached the server may be known by the watch before its answer: only
 * a request still on its way there counts. Nor does a creation whose name another client
 * took and gave back meanwhile: at most one of the two can succeed.
 */
void sim_oracle_once(struct sim_oracle *o, const struct sim_request *rq)
{
	const struct http_call *c = rq->call;
	check_haste(o, rq);
	if (!c->client || strstr(rq->path, "/events"))
		return;
	for (const struct http_call *each = c->net->calls; each; each = each->next) {
		bool overtaken = same(each->method, "POST") && each->asked_ms <= o->stray_ms;
		bool under_way = each != c && each->client == c->client &&
			each->state == CALL_SENT && !overtaken;
		if (under_way && same(each->method, c->method) && same(each->path, c->path) &&
			same(each->body, c->body))
			sim_oracle_break(o, "P6", rq,
				"it was sent while the same request was on its way");
	}
}
