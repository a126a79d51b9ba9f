/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the fact of a pod from its object. */
#include "engine/pod/pod.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/pod/pod_daemon.h"
#include "engine/pod/pod_halt.h"
#include "engine/pod/pod_shown.h"
#include "engine/pod/pod_wishes.h"
#include "engine/pod/pod_why.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "object/resource.h"

/*
 * Makes one allocation: the struct, its arrays, then the strings. The first pass measures
 * the size, the second fills the memory.
 */
struct packer {
	char *at; /* NULL while measuring */
	size_t bytes;
	const char *why, *wishes, *secrets, *mounts;
	const struct daemon_words *daemon;
	bool in_short; /* only few labels and claims are kept */
};

/*
 * Names of Kubernetes have at most 253 characters, but the API server accepts a megabyte
 * as the kind or name of an owner.
 */
enum { TEXT_BYTES = 512 };

static const char *pack_most(struct packer *p, const char *s, size_t most)
{
	size_t n = strnlen(s, most);
	char *here = p->at;
	p->bytes += n + 1;
	if (!here)
		return "";
	memcpy(here, s, n);
	here[n] = '\0';
	p->at += n + 1;
	return here;
}

static const char *pack(struct packer *p, const char *s) { return pack_most(p, s, TEXT_BYTES - 1); }

static enum pod_phase phase_of(const char *word)
{
	static const struct {
		const char *word;
		enum pod_phase phase;
	} rows[] = {
		{ "", POD_EMPTY },
		{ "Pending", POD_PENDING },
		{ "Running", POD_RUNNING },
		{ "Succeeded", POD_SUCCEEDED },
		{ "Failed", POD_FAILED },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (str_eq(word, rows[i].word))
			return rows[i].phase;
	return POD_PHASE_UNKNOWN;
}

static int64_t when(const struct json *v)
{
	int64_t ms = 0;
	return time_parse(json_str(v, ""), &ms) ? ms : 0;
}

static const struct json *ready_condition(const struct json *status)
{
	return condition_find(json_get(status, "conditions"), "Ready");
}

static void read_disruption(struct pod_fact *f, const struct json *status)
{
	const struct json *c = condition_find(json_get(status, "conditions"), "DisruptionTarget");
	const char *reason = json_str(json_get(c, "reason"), "");
	f->disrupted = condition_is(c, "True");
	f->unseen_end = f->disrupted && str_eq(reason, "DeletionByPodGC") &&
		f->phase == POD_FAILED && f->exit_code < 0;
}

static void read_ready(struct pod_fact *f, const struct json *status)
{
	const struct json *ready = ready_condition(status);
	f->ready = condition_is(ready, "True");
	int64_t since_ms = when(json_get(ready, "lastTransitionTime"));
	f->ready_since_ms = f->ready ? since_ms : 0;
	f->unready_since_ms = f->ready ? 0 : since_ms ? since_ms : f->created_ms;
}

/*
 * A kubelet reports "ContainerCreating" and "PodInitializing" for a container that may
 * start at any moment (Kubernetes 1.34).
 */
static bool cannot_start(const struct json *statuses)
{
	struct json_iter it = json_iter(statuses);
	while (json_next(&it)) {
		const char *why =
			json_str(json_get(json_at(it.value, "state", "waiting"), "reason"), "");
		if (!str_empty(why) && !str_eq(why, "ContainerCreating") &&
			!str_eq(why, "PodInitializing"))
			return true;
	}
	return false;
}

static void read_halt(struct pod_fact *f, struct packer *p, const struct json *pod)
{
	int64_t end_ms = 0;
	f->unstarted = f->phase == POD_PENDING && pod_unstarted(pod);
	f->halted = !pod_phase_over(f->phase) && pod_halted(pod);
	f->halted_end_ms = f->halted && time_parse(pod_halted_end(pod), &end_ms) ? end_ms : 0;
	f->secrets = pack(p, p->secrets);
	f->mounts = pack(p, p->mounts);
}

static int64_t restarts_of(const struct json *status)
{
	int64_t n = 0;
	struct json_iter it = json_iter(json_get(status, "containerStatuses"));
	while (json_next(&it))
		/* An int32 in the API; the sum stays defined for any value */
		n += json_i64(json_get(it.value, "restartCount"), 0) & INT32_MAX;
	return n;
}

/* ---- the first container ---- */

/* The member of its state: "waiting", "running" or "terminated"; NULL: absent. */
static const struct json *first_state(const struct json *status, const char *which)
{
	return json_at(json_item(json_get(status, "containerStatuses"), 0), "state", which);
}

/*
 * Some virtual nodes leave "running" beside "terminated", and "waiting" in a pod that has
 * failed. If the container has no such text, that of the pod is used.
 */
static const char *said(const struct json *status, bool over, const char *key)
{
	const char *word = json_str(json_get(first_state(status, "terminated"), key), "");
	if (str_empty(word) && !over)
		word = json_str(json_get(first_state(status, "waiting"), key), "");
	return str_empty(word) ? json_str(json_get(status, key), "") : word;
}

static int64_t begun_of(const struct json *status)
{
	int64_t ms = when(json_get(first_state(status, "terminated"), "startedAt"));
	return ms ? ms : when(json_get(first_state(status, "running"), "startedAt"));
}

static void read_daemon(struct pod_fact *f, struct packer *p)
{
	f->daemon = p->daemon->daemon;
	f->release = pack(p, p->daemon->release);
	f->container = pack(p, p->daemon->container);
	f->ending = pack(p, str_text(&p->daemon->ending));
	f->refused = pack(p, str_text(&p->daemon->refused));
}

/* Some virtual nodes leave out an exit code of 0. */
static void read_first(struct pod_fact *f, struct packer *p, const struct json *status)
{
	const struct json *ended = first_state(status, "terminated");
	bool over = pod_phase_over(f->phase);
	f->begun_ms = begun_of(status);
	f->exit_code = json_is_obj(ended) ? json_i64(json_get(ended, "exitCode"), 0) : -1;
	f->reason = pack(p, said(status, over, "reason"));
	f->message = pack(p, said(status, over, "message"));
	read_daemon(f, p);
}

/* ---- when it ended ---- */

static int64_t last_end(const struct json *statuses)
{
	int64_t last_ms = 0;
	struct json_iter it = json_iter(statuses);
	while (json_next(&it)) {
		int64_t ms = when(json_get(json_at(it.value, "state", "terminated"), "finishedAt"));
		last_ms = ms > last_ms ? ms : last_ms;
	}
	return last_ms;
}

/* No container has a time if the kubelet refused the pod or the machine is gone. */
static int64_t ended_of(const struct json *status)
{
	int64_t ms = last_end(json_get(status, "containerStatuses"));
	ms = ms ? ms : last_end(json_get(status, "initContainerStatuses"));
	ms = ms ? ms : when(json_get(ready_condition(status), "lastTransitionTime"));
	return ms ? ms : when(json_get(status, "startTime"));
}

static void read_times(struct pod_fact *f, const struct json *metadata, const struct json *status)
{
	bool over = pod_phase_over(f->phase);
	f->ends_at_ms = when(json_get(metadata, "deletionTimestamp"));
	f->created_ms = when(json_get(metadata, "creationTimestamp"));
	f->started_ms = when(json_get(status, "startTime"));
	f->ended_ms = over ? ended_of(status) : 0;
	read_ready(f, status);
}

static void read_controller(struct pod_fact *f, struct packer *p, const struct json *metadata)
{
	struct json_iter it = json_iter(json_get(metadata, "ownerReferences"));
	f->controller = (struct owner_fact){ .kind = "", .name = "", .uid = "" };
	f->n_owners = (int)it.left;
	f->controller_at = -1;
	for (int i = 0; json_next(&it); i++) {
		if (!json_bool(json_get(it.value, "controller"), false))
			continue;
		f->controller.kind = pack(p, json_str(json_get(it.value, "kind"), ""));
		f->controller.name = pack(p, json_str(json_get(it.value, "name"), ""));
		f->controller.uid = pack(p, json_str(json_get(it.value, "uid"), ""));
		f->controller.controller = true;
		f->controller.resource = resource_of_owner(it.value);
		f->controller_at = i;
		return;
	}
}

/*
 * The last reference to a Namespace counts: ours is added behind existing references,
 * which may name an earlier Namespace.
 */
static void read_second_owner(struct pod_fact *f, struct packer *p, const struct json *metadata)
{
	const char *uid = "";
	struct json_iter it = json_iter(json_get(metadata, "ownerReferences"));
	f->second_owner_at = -1;
	for (int i = 0; json_next(&it); i++) {
		if (!str_eq(json_str(json_get(it.value, "kind"), ""),
			    resource_rows[RES_NAMESPACE].kind))
			continue;
		uid = json_str(json_get(it.value, "uid"), "");
		f->second_owner_at = i;
	}
	f->second_owner_uid = pack(p, uid);
}

/*
 * Only keys of our domains are kept, because users may write 256 kB of annotations.
 */
static bool own_key(const char *key)
{
	for (const struct resource_row *r = resource_rows; r < resource_rows + RES_COUNT; r++) {
		const char *at = r->custom ? strstr(key, r->group) : NULL;
		if (at && at[strlen(r->group)] == '/')
			return true;
	}
	return false;
}

/*
 * Limits of the labels, and of the claims: a hundred of 80 bytes each, or a dozen. No pod
 * that we create has more. Other owners may create many pods.
 */
enum { MAP_BYTES = 8000, SHORT_MAP_BYTES = 1000 };

/* The limit of p->bytes for a map that begins here. */
static size_t end_of_map(const struct packer *p)
{
	return p->bytes + (p->in_short ? SHORT_MAP_BYTES : MAP_BYTES);
}

static int unreported_place(const struct json *metadata)
{
	struct json_iter it = json_iter(json_get(metadata, "finalizers"));
	for (int i = 0; json_next(&it); i++)
		if (str_eq(json_str(it.value, ""), FINALIZER_UNREPORTED))
			return i;
	return -1;
}

static void keep_pair(struct kv *to, size_t at, struct packer *p, const struct json_iter *it)
{
	struct kv pair = { pack(p, it->key), pack(p, json_str(it->value, "")), 0 };
	pair.key_bytes = strlen(pair.key);
	if (p->at)
		to[at] = pair;
}

/* Returns the number of annotations that are kept. */
static size_t read_annotations(struct kv *to, struct packer *p, const struct json *metadata)
{
	size_t n = 0, most = p->bytes + MAP_BYTES;
	struct json_iter it = json_iter(json_get(metadata, "annotations"));
	while (json_next(&it) && p->bytes < most)
		if (own_key(it.key))
			keep_pair(to, n++, p, &it);
	return n;
}

static size_t read_labels(struct kv *to, struct packer *p, const struct json *metadata, bool *cut)
{
	size_t n = 0, most = end_of_map(p);
	for (struct json_iter it = json_iter(json_get(metadata, "labels")); json_next(&it);) {
		bool kept = p->bytes < most && (!p->in_short || own_key(it.key));
		if (kept)
			keep_pair(to, n++, p, &it);
		*cut |= !kept;
	}
	return n;
}

static size_t read_claims(struct claim_fact *to, struct packer *p, const struct json *spec,
	bool *cut)
{
	size_t n = 0, most = end_of_map(p);
	for (struct json_iter it = json_iter(json_get(spec, "volumes")); json_next(&it);) {
		const char *claim =
			json_str(json_at(it.value, "persistentVolumeClaim", "claimName"), NULL);
		if (!claim)
			continue;
		if (p->bytes >= most) {
			*cut = true;
			break;
		}
		struct claim_fact fact = { pack(p, json_str(json_get(it.value, "name"), "")),
			pack(p, claim) };
		if (p->at)
			to[n] = fact;
		n++;
	}
	return n;
}

static void fill(struct pod_fact *f, struct packer *p, const struct json *pod, struct kv *labels,
	struct kv *annotations, struct claim_fact *claims)
{
	const struct json *m = json_get(pod, "metadata"), *spec = json_get(pod, "spec"),
			  *status = json_get(pod, "status");
	enum pod_phase phase = phase_of(json_str(json_get(status, "phase"), ""));
	*f = (struct pod_fact){
		.ns = pack(p, json_str(json_get(m, "namespace"), "")),
		.name = pack(p, json_str(json_get(m, "name"), "")),
		.uid = pack(p, json_str(json_get(m, "uid"), "")),
		.resource_version = pack(p, json_str(json_get(m, "resourceVersion"), "")),
		.node_name = pack(p, json_str(json_get(spec, "nodeName"), "")),
		.hostname = pack(p, json_str(json_get(spec, "hostname"), "")),
		.ip = pack(p, json_str(json_get(status, "podIP"), "")),
		.host_network = json_bool(json_get(spec, "hostNetwork"), false),
		.second_ip = pack(p,
			json_str(json_get(json_item(json_get(status, "podIPs"), 1), "ip"), "")),
		.phase = phase,
		.restarts = restarts_of(status),
		.stuck = cannot_start(json_get(status, "containerStatuses")) ||
			cannot_start(json_get(status, "initContainerStatuses")),
		.why = pack(p, p->why),
		.wishes = pack_most(p, p->in_short ? "" : p->wishes, WISHES_BYTES),
		.terminating = !json_is_null(json_get(m, "deletionTimestamp")),
		.finalizer = pack(p, json_str(json_item(json_get(m, "finalizers"), 0), "")),
		.unreported_at = unreported_place(m),
		.labels = labels,
		.annotations = annotations,
		.claims = claims,
	};
	read_halt(f, p, pod);
	read_times(f, m, status); /* also ready */
	read_first(f, p, status);
	read_disruption(f, status);
	read_controller(f, p, m);
	read_second_owner(f, p, m);
	f->annotated = json_count(json_get(m, "annotations")) != 0;
	f->n_annotations = read_annotations(annotations, p, m);
	f->cut = !may_be_ours(pod);
	if (f->cut)
		return;
	f->n_labels = read_labels(labels, p, m, &f->cut);
	f->n_claims = read_claims(claims, p, spec, &f->cut);
}

static struct pod_fact *fact_of(const struct json *pod, bool in_short)
{
	struct pod_fact measured;
	struct str why AUTO(str_free) = { 0 }, mounts AUTO(str_free) = { 0 };
	struct str wishes AUTO(str_free) = { 0 }, secrets AUTO(str_free) = { 0 };
	struct daemon_words daemon = pod_daemon(pod);
	struct str ending AUTO(str_free) = daemon.ending, refused AUTO(str_free) = daemon.refused;
	pod_why(pod, &why);
	pod_secrets(pod, &secrets);
	pod_mounts(pod, &mounts);
	pod_wishes(pod, &wishes);
	const struct packer empty = {
		.why = str_text(&why),
		.wishes = str_text(&wishes),
		.secrets = str_text(&secrets),
		.mounts = str_text(&mounts),
		.daemon = &daemon,
		.in_short = in_short,
	};
	struct packer p = empty;
	fill(&measured, &p, pod, NULL, NULL, NULL);
	size_t pairs = measured.n_labels + measured.n_annotations;
	size_t bytes = sizeof(struct pod_fact) + pairs * sizeof(struct kv) +
		measured.n_claims * sizeof(struct claim_fact) + p.bytes;
	char *block = own_alloc(bytes);
	struct pod_fact *f = (struct pod_fact *)(void *)block;
	struct kv *labels = (struct kv *)(f + 1);
	struct claim_fact *claims = (struct claim_fact *)(labels + pairs);
	p = empty;
	p.at = (char *)(claims + measured.n_claims);
	fill(f, &p, pod, labels, labels + measured.n_labels, claims);
	f->shown = pod_shown(pod);
	f->bytes = bytes;
	return f;
}

struct pod_fact *pod_fact_new(const struct json *pod) { return fact_of(pod, false); }
struct pod_fact *pod_fact_in_short(const struct json *pod) { return fact_of(pod, true); }

/* False after a new phase, another machine or a restart: then the processes are new. */
static bool same_process(const struct pod_fact *old, const struct pod_fact *now)
{
	return old->phase == now->phase && old->restarts == now->restarts &&
		str_eq(old->node_name, now->node_name);
}

void pod_fact_times(struct pod_fact *now, const struct pod_fact *old, const char *mark,
	int64_t now_ms)
{
	if (old && !str_eq(old->uid, now->uid))
		old = NULL;
	now->phase_seen_ms = old && same_process(old, now) ? old->phase_seen_ms : now_ms;
	/* A deletion has the version for which it was sent as a precondition. */
	bool same_version = old && str_eq(old->resource_version, now->resource_version);
	now->deletion_sent_ms = same_version ? old->deletion_sent_ms : 0;
	bool was_ending = old && old->terminating && old->ending_seen_ms;
	now->ending_seen_ms = !now->terminating ? 0 : was_ending ? old->ending_seen_ms : now_ms;
	bool was_unreported = old && old->unreported_at >= 0;
	int64_t since = was_unreported ? old->unreported_seen_ms : now_ms;
	now->unreported_seen_ms = now->unreported_at < 0 ? 0 : since;
	/* 0 if it was halted when first seen: how long it had been halted is unknown. */
	bool still = !old || (old->halted && old->restarts == now->restarts);
	now->halted_ms = !now->halted ? 0 : still ? (old ? old->halted_ms : 0) : now_ms;
	if (old && mark && pod_annotation(now, mark))
		now->marked_ms = pod_annotation(old, mark) ? old->marked_ms : now_ms;
}
