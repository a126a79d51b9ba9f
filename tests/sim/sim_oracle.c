/* SPDX-License-Identifier: Apache-2.0 */
/* The view of the program, secrets, and convergence. The rules: sim_rules.c. */
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

/*
 * For a manifest that leaves it to the program: the number that the program meant last,
 * or that of its pods.
 */
int64_t sim_replicas(const struct sim_version *nodeset)
{
	yyjson_val *spec = sim_get(nodeset->root, "spec"), *block = sim_get(spec, "autoscaling");
	yyjson_val *status = sim_get(nodeset->root, "status");
	int64_t most = sim_int(block, "maxReplicas", -1), least = sim_int(block, "minReplicas", 0);
	if (sim_get(spec, "replicas") || most < least)
		return sim_int(spec, "replicas", 0);
	return sim_int(sim_get(status, "autoscaling"), "replicas", sim_int(status, "replicas", 0));
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
	if (strcmp(rq->method, "GET") != 0 && !strstr(rq->path, "/leases"))
		sim_oracle_on_sent(o, rq);
	for (int i = 0; i < o->n_tokens; i++)
		if (memmem(rq->body, rq->body_bytes, o->tokens[i], strlen(o->tokens[i])) ||
			strstr(rq->path, o->tokens[i]))
			sim_oracle_break(o, "P10", rq, "the request holds a token");
}

void sim_oracle_on_slurm_request(void *ctx, const struct sim_request *rq)
{
	const struct oracle_slurm *s = ctx;
	struct sim_oracle *o = s->o;
	if (!rq->observed)
		return;
	count(o, rq);
	if (memmem(rq->body, rq->body_bytes, "\"state\"", 7) && sim_oracle_strange(o, rq, s->slurm))
		sim_oracle_break(o, "P11", rq,
			"another Slurm than the one before answers there, and the program knew");
}

void sim_oracle_on_slurm_note(void *ctx, const char *format, va_list args)
{
	const struct oracle_slurm *s = ctx;
	struct sim_oracle *o = s->o;
	char text[400];
	if (!o->trace)
		return;
	vsnprintf(text, sizeof(text), format, args);
	bool first = s == o->slurms;
	str_addf(&o->log, "%10.3f  slurm%s%s%s%s: %s\n", seconds(o), first ? "" : " of ",
		first ? "" : s->ns, first ? "" : "/", first ? "" : s->cluster, text);
}

static void on_fault(void *ctx, const char *kind, const char *what)
{
	struct sim_oracle *o = ctx;
	sim_oracle_on_act(o);
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

void sim_oracle_init(struct sim_oracle *o, uint64_t seed, struct sim_kube *kube)
{
	*o = (struct sim_oracle){
		.seed = seed,
		.kube = kube,
		.known_rv = -1,
		.race_ms = 1000,
		.fresh_ms = 5000,
		.patience_ms = 35000,
		.absent_ms = 10000,
	};
	kube->on_request = on_kube_request;
	kube->on_write = on_kube_write;
	kube->on_shown = sim_oracle_on_shown;
	kube->on_denied = sim_oracle_on_denied;
	kube->ctx = o;
	kube->net->faults.on_fault = on_fault;
	kube->net->faults.ctx = o;
	kube->net->on_seen = sim_oracle_on_seen;
	kube->net->seen_ctx = o;
}

void sim_oracle_free(struct sim_oracle *o)
{
	for (size_t i = 0; i < o->n_deleted; i++) {
		free(o->deleted[i].uid);
		free(o->deleted[i].of);
	}
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
