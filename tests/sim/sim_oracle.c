/* SPDX-License-Identifier: Apache-2.0 */
/* What the program was shown, secrets, and convergence. The rules: sim_rules.c. */
#include "sim/sim_oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/time.h"
#include "sim/sim_kind.h"

/* ---- words ---- */

const char *sim_slurm_name(const struct sim_version *pod)
{
	const char *hostname = sim_str(sim_get(pod->root, "spec"), "hostname");
	return *hostname ? hostname : pod->name;
}

bool sim_other_name(const struct sim_version *pod)
{
	return strstr(sim_str(yyjson_arr_get_first(sim_at(pod->root, "spec", "containers")),
			      "image"),
		       "alt") != NULL;
}

bool sim_mute(const struct sim_version *pod)
{
	return strncmp(sim_str(yyjson_arr_get_first(sim_at(pod->root, "spec", "containers")),
			       "image"),
		       "mute", 4) == 0;
}

int64_t sim_replicas(const struct sim_version *nodeset)
{
	return sim_int(sim_get(nodeset->root, "spec"), "replicas", 0);
}

bool sim_own_key(const char *key)
{
	return strstr(key, "slinky.slurm.net") || strncasecmp(key, "slurm", 5) == 0 ||
		strcmp(key, "controller.kubernetes.io/hash") == 0;
}

bool sim_pod_available(const struct sim_version *pod, int64_t min_ready_s, int64_t wall_ms)
{
	int64_t since = 0;
	if (sim_terminating(pod) ||
		strcmp(sim_str(sim_get(pod->root, "status"), "phase"), "Running") != 0 ||
		!sim_condition_true(pod, "Ready"))
		return false;
	if (min_ready_s <= 0)
		return true;
	return time_parse(sim_str(sim_condition(pod, "Ready"), "lastTransitionTime"), &since) &&
		wall_ms - since >= min_ready_s * 1000;
}

static bool part_of(yyjson_val *part, yyjson_val *whole)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(part);
	yyjson_val *key;
	while ((key = yyjson_obj_iter_next(&it)))
		if (!yyjson_equals(yyjson_obj_iter_get_val(key),
			    sim_get(whole, yyjson_get_str(key))))
			return false;
	return true;
}

bool sim_pod_current(const struct sim_version *pod, const struct sim_version *nodeset)
{
	yyjson_val *template = sim_at(nodeset->root, "spec", "template"),
		   *meta = sim_get(template, "metadata"), *container;
	yyjson_val *have = sim_at(pod->root, "spec", "containers");
	if (!part_of(sim_get(meta, "labels"), sim_get(sim_meta(pod), "labels")) ||
		!part_of(sim_get(meta, "annotations"), sim_get(sim_meta(pod), "annotations")))
		return false;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_at(template, "spec", "containers"));
	for (size_t i = 0; (container = yyjson_arr_iter_next(&it)); i++)
		if (!part_of(container, yyjson_arr_get(have, i)))
			return false;
	return true;
}

/* ---- what was shown ---- */

static void shown(struct oracle_shown *s, int64_t at_ms, int64_t value)
{
	int64_t last = s->n ? s->ring[(s->n - 1) % ORACLE_SHOWN].value : -1;
	if (value <= last)
		return;
	s->ring[s->n % ORACLE_SHOWN].at_ms = at_ms;
	s->ring[s->n++ % ORACLE_SHOWN].value = value;
}

int64_t sim_oracle_shown_at(const struct oracle_shown *s, int64_t at_ms)
{
	uint64_t oldest = s->n > ORACLE_SHOWN ? s->n - ORACLE_SHOWN : 0;
	for (uint64_t i = s->n; i > oldest; i--)
		if (s->ring[(i - 1) % ORACLE_SHOWN].at_ms <= at_ms)
			return s->ring[(i - 1) % ORACLE_SHOWN].value;
	return -1;
}

static void on_shown(void *ctx, enum resource r, int64_t rv)
{
	struct sim_oracle *o = ctx;
	shown(&o->objects[r], o->kube->loop->now_ms, rv);
}

/* After an outage, or in a new life, it has its time to remember anew. */
static void note_home(struct sim_oracle *o)
{
	enum { OUTAGE_MS = 15000 };
	int64_t now_ms = o->kube->loop->now_ms;
	if (!o->home_ms || now_ms - o->answered_ms > OUTAGE_MS)
		o->home_ms = now_ms;
	o->answered_ms = now_ms;
}

static void on_seen(void *ctx, struct sim_seen seen)
{
	struct sim_oracle *o = ctx;
	if (seen.what == SIM_SEEN_STRANGER && !o->stranger_ms)
		o->stranger_ms = o->kube->loop->now_ms;
	if (seen.what == SIM_SEEN_NODES || seen.what == SIM_SEEN_SLURM)
		o->stranger_ms = 0;
	if (seen.what == SIM_SEEN_NODES)
		note_home(o);
	if (seen.what == SIM_SEEN_NODES)
		shown(&o->nodes, o->kube->loop->now_ms, seen.value);
	else if (seen.what >= SIM_SEEN_LIST && seen.what < SIM_SEEN_LIST + RES_COUNT)
		shown(&o->objects[seen.what - SIM_SEEN_LIST], o->kube->loop->now_ms, seen.value);
}

/*
 * A mark in the ring: what comes later knows nothing of before. Requests of the life
 * before, which may still arrive, are judged by what it knew.
 */
static void forget(struct oracle_shown *s, int64_t at_ms)
{
	if (s->n == 0)
		return;
	s->ring[s->n % ORACLE_SHOWN].at_ms = at_ms;
	s->ring[s->n++ % ORACLE_SHOWN].value = -1;
}

void sim_oracle_forget(struct sim_oracle *o)
{
	int64_t at_ms = o->kube->loop->now_ms + 1;
	for (int r = 0; r < RES_COUNT; r++)
		forget(&o->objects[r], at_ms);
	forget(&o->nodes, at_ms);
	o->life_ms = at_ms;
	o->stranger_ms = o->home_ms = 0;
}

bool sim_oracle_strange(const struct sim_oracle *o, const struct sim_request *rq)
{
	return o->slurm->stand_in && o->stranger_ms && o->stranger_ms <= rq->sent_ms - o->race_ms;
}

/* ---- verdicts ---- */

static double seconds(const struct sim_oracle *o)
{
	return (double)(o->kube->loop->now_ms - SIM_LOOP_START_MS) / 1000;
}

void sim_oracle_break(struct sim_oracle *o, const char *promise, const struct sim_request *rq,
	const char *format, ...)
{
	char text[420];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (o->trace)
		str_addf(&o->log, "%10.3f  %s BROKEN: %s\n", seconds(o), promise, text);
	if (o->n_broken++ > 0)
		return;
	snprintf(o->promise, sizeof(o->promise), "%s", promise);
	snprintf(o->broken, sizeof(o->broken), "seed %llu, %.3f s: %s is broken by %s %.120s: %s",
		(unsigned long long)o->seed, seconds(o), promise, rq ? rq->method : "(no request)",
		rq ? rq->path : "", text);
}

const char *sim_oracle_broken(const struct sim_oracle *o) { return o->n_broken ? o->broken : NULL; }

/* ---- secrets (P10) and counting ---- */

void sim_oracle_secret(struct sim_oracle *o, const char *token)
{
	if (o->n_tokens < ORACLE_TOKENS)
		o->tokens[o->n_tokens++] = own_strdup(token);
}

void sim_oracle_text(struct sim_oracle *o, const char *what, const char *text, size_t n)
{
	for (int i = 0; i < o->n_tokens; i++)
		if (n && memmem(text, n, o->tokens[i], strlen(o->tokens[i])))
			sim_oracle_break(o, "P10", NULL, "a token is in %s", what);
}

static void count(struct sim_oracle *o, const struct sim_request *rq)
{
	if (strcmp(rq->method, "GET") == 0 || strstr(rq->path, "/leases"))
		return;
	sim_oracle_once(o, rq);
	o->writes++;
	o->last_write_ms = o->kube->loop->now_ms;
	snprintf(o->last_write, sizeof(o->last_write), "%s %.200s", rq->method, rq->path);
}

static void on_kube_request(void *ctx, const struct sim_request *rq)
{
	struct sim_oracle *o = ctx;
	if (!rq->observed)
		return;
	count(o, rq);
	for (int i = 0; i < o->n_tokens; i++)
		if (memmem(rq->body, rq->body_bytes, o->tokens[i], strlen(o->tokens[i])) ||
			strstr(rq->path, o->tokens[i]))
			sim_oracle_break(o, "P10", rq, "the request holds a token");
}

static void on_slurm_request(void *ctx, const struct sim_request *rq)
{
	struct sim_oracle *o = ctx;
	if (!rq->observed)
		return;
	count(o, rq);
	if (memmem(rq->body, rq->body_bytes, "\"state\"", 7) && sim_oracle_strange(o, rq))
		sim_oracle_break(o, "P11", rq,
			"another Slurm than the one before answers there, and the program knew");
}

static void on_slurm_note(void *ctx, const char *format, va_list args)
{
	struct sim_oracle *o = ctx;
	char text[400];
	if (!o->trace)
		return;
	vsnprintf(text, sizeof(text), format, args);
	str_addf(&o->log, "%10.3f  slurm: %s\n", seconds(o), text);
}

static void on_fault(void *ctx, const char *kind, const char *what)
{
	struct sim_oracle *o = ctx;
	if (o->trace)
		str_addf(&o->log, "%10.3f  fault: %s: %s\n", seconds(o), kind, what);
	sim_oracle_on_lost(o, what);
}

/* One line for a write: who, what, and the little of the content that stories turn on. */
static void trace(struct sim_oracle *o, const struct sim_write *w)
{
	const struct sim_version *v = w->after;
	const struct sim_kind *kind = sim_kind_of(w->resource);
	AUTO(str_free) struct str words = { 0 };
	if (kind && kind->trace && !kind->trace(w, &words))
		return;
	str_addf(&o->log, "%10.3f  %s %s %s %s/%s%s%s -> %s%s", seconds(o),
		sim_actor_names[w->actor], w->verb, resource_rows[w->resource].plural, v->ns,
		v->name, *w->subresource ? "/" : "", w->subresource, v->rv_text,
		w->removed                      ? " gone"
			: w->before == w->after ? " unchanged"
						: "");
	str_addf(&o->log, "%s\n", str_text(&words));
}

static void on_kube_write(void *ctx, const struct sim_write *w)
{
	struct sim_oracle *o = ctx;
	const struct sim_kind *kind = sim_kind_of(w->resource);
	if (o->trace)
		trace(o, w);
	sim_oracle_note_known(o);
	if (w->actor == ACTOR_OPERATOR)
		sim_oracle_on_kept(o, w);
	if (kind && kind->on_write)
		kind->on_write(o, w);
}

void sim_oracle_init(struct sim_oracle *o, uint64_t seed, struct sim_kube *kube,
	struct sim_slurm *slurm)
{
	*o = (struct sim_oracle){
		.seed = seed,
		.kube = kube,
		.slurm = slurm,
		.known_rv = -1,
		.race_ms = 1000,
		.fresh_ms = 5000,
		.patience_ms = 35000,
		.absent_ms = 10000,
	};
	kube->on_request = on_kube_request;
	kube->on_write = on_kube_write;
	kube->on_shown = on_shown;
	kube->on_denied = sim_oracle_on_denied;
	kube->ctx = o;
	kube->net->faults.on_fault = on_fault;
	kube->net->faults.ctx = o;
	kube->net->on_seen = on_seen;
	kube->net->seen_ctx = o;
	slurm->on_request = on_slurm_request;
	slurm->on_update = sim_oracle_on_update;
	slurm->on_note = on_slurm_note;
	slurm->ctx = o;
	sim_oracle_secret(o, slurm->token);
}

void sim_oracle_free(struct sim_oracle *o)
{
	for (size_t i = 0; i < o->n_deleted; i++)
		free(o->deleted[i].uid);
	free(o->deleted);
	for (size_t i = 0; i < o->n_cordons; i++)
		free(o->cordons[i]);
	free(o->cordons);
	sim_oracle_data_free(o);
	sim_oracle_denied_free(o);
	for (int i = 0; i < o->n_tokens; i++)
		free(o->tokens[i]);
	str_free(&o->log);
}
