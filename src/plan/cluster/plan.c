/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of a Cluster: its finalizer, its condition, its Events. */
#include "plan/cluster/plan.h"

#include <string.h>

#include "api/cluster.h"
#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "object/condition.h"
#include "object/metadata.h"
#include "plan/cluster/tokens.h"
#include "plan/grace.h"

#define FINALIZER "cluster.slinky.slurm.net/in-use"
#define REFUSED "ConfigurationRefused" /* type and reason of the condition */

/*
 * Reason and advice for each state of the link. If secret is true, the name of the Secret
 * follows.
 */
static const struct {
	enum slurm_health health;
	const char *reason, *advice;
	bool secret;
} health_rows[] = {
	{ SLURM_UP, "Reachable", "slurmrestd and slurmctld answer, and the token is accepted" },
	{ SLURM_UNREACHABLE, "Unreachable", "check spec.server and that slurmrestd runs" },
	{ SLURM_DENIED, "TokenRefused", "put a valid token into the key auth-token of Secret ",
		true },
	{ SLURM_TLS, "TLSFailed", "check the scheme of spec.server and the key ca.crt of Secret ",
		true },
	{ SLURM_VERSION, "VersionUnsupported",
		"if spec.server has a path, take it away: it must be http(s)://HOST:PORT of slurmrestd" },
	{ SLURM_CTLD_DOWN, "ControllerDown", "check that slurmctld runs" },
	{ SLURM_NOT_SLURM, "NotSlurm", "spec.server must be the address of slurmrestd" },
	{ SLURM_OTHER_CLUSTER, "OtherSlurm",
		"all facts count as unknown, so no pod is deleted; bring the right Slurm back or, if this one is right, set the annotation " ANNOTATION_SLURM_CLUSTER
		" of the Cluster to its name" },
};

static const char *secret_of(const struct cluster_view *v, struct arena *a)
{
	struct cluster c;
	cluster_read(v->object, &c);
	return arena_printf(a, "%s/%s", json_str(json_at(v->object, "metadata", "namespace"), ""),
		cluster_secret(&c));
}

static bool is_minting(const struct cluster_view *v)
{
	struct cluster c;
	cluster_read(v->object, &c);
	return !str_empty(c.key_ref);
}

/*
 * Advice for a token that has expired, or that the operator made. A refused token of the
 * operator means that the key, the user, or a clock is wrong.
 */
static void say_of_refusal(const struct cluster_view *v, struct arena *a, struct condition *c)
{
	const char *advice = "put a new one there (scontrol token lifespan=SECONDS)";
	if (!v->link.token_expired && !is_minting(v))
		return;
	if (v->link.token_expired)
		c->reason = "TokenExpired";
	if (is_minting(v))
		advice =
			"it must be the jwt_key of slurmctld, spec.token.user a user of that Slurm, and the clocks must agree";
	c->message = arena_printf(a, "%s; %s", v->link.trouble, advice);
}

static struct condition health_condition(const struct cluster_view *v, struct arena *a)
{
	struct condition c = { "Ready", v->link.health == SLURM_UP ? COND_TRUE : COND_FALSE, "",
		"" };
	for (size_t i = 0; i < LENGTH(health_rows); i++) {
		if (health_rows[i].health != v->link.health)
			continue;
		c.reason = health_rows[i].reason;
		c.message = v->link.health == SLURM_UP
			? arena_printf(a, "%s (API %s)%s%s", health_rows[i].advice, v->link.version,
				  str_empty(v->link.trouble) ? "" : "; ", v->link.trouble)
			: arena_printf(a, "%s; %s%s", v->link.trouble, health_rows[i].advice,
				  health_rows[i].secret ? secret_of(v, a) : "");
	}
	if (v->link.health == SLURM_DENIED)
		say_of_refusal(v, a, &c);
	return c;
}

/* Slurm does not answer: finds the cause in a pod of one of its daemons. */
static bool find_cause(const struct cluster_view *v, int64_t now_wall_ms, struct plan *out,
	struct condition *c)
{
	struct broken_link broken = chain_broken(&v->chain, now_wall_ms, out->arena);
	if (!broken.reason)
		return false;
	c->reason = broken.reason;
	c->message = arena_printf(out->arena, "%s; the operator sees: %s", broken.message,
		v->link.health == SLURM_UP ? v->slurm.trouble : v->link.trouble);
	return true;
}

/* The ping succeeds, but the list of nodes cannot be read. */
static bool nodes_unreadable(const struct cluster_view *v, int64_t now_ms, struct plan *out)
{
	int64_t left_ms = v->slurm.nodes_seen_ms + SLURM_GRACE_MS - now_ms;
	if (v->link.health != SLURM_UP || v->slurm.usable != NO)
		return false;
	if (v->slurm.nodes_seen_ms && left_ms > 0)
		plan_again(out, left_ms);
	return !v->slurm.nodes_seen_ms || left_ms <= 0;
}

static struct condition checked_condition(const struct cluster_view *v, int64_t now_ms,
	int64_t now_wall_ms, struct plan *out)
{
	bool unreadable = nodes_unreadable(v, now_ms, out),
	     silent = v->link.health == SLURM_UNREACHABLE || v->link.health == SLURM_CTLD_DOWN;
	struct condition cause = { "Ready", COND_FALSE, "", "" };
	if ((unreadable || silent) && find_cause(v, now_wall_ms, out, &cause))
		return cause;
	if (!unreadable)
		return health_condition(v, out->arena);
	return (struct condition){ "Ready", COND_FALSE, "NodesUnreadable",
		arena_printf(out->arena,
			"%s; Slurm answers the ping but not the list of nodes, so no pod is deleted: see the log of slurmrestd",
			v->slurm.trouble) };
}

/* The Secret of a new Cluster does not exist yet: no Event warns of that. */
static bool is_coming(const struct cluster_view *v, int64_t now_wall_ms, struct plan *out)
{
	int64_t left_ms = grace_left_ms(v->object, now_wall_ms);
	if (v->link.secret == NO && left_ms)
		plan_again(out, left_ms);
	return v->link.secret == NO && left_ms;
}

static struct condition ready_condition(const struct cluster_view *v, int64_t now_ms,
	int64_t now_wall_ms, struct plan *out)
{
	struct cluster spec;
	cluster_read(v->object, &spec);
	struct err bad = cluster_check(&spec);
	if (failed(bad))
		return (struct condition){ "Ready", COND_FALSE, "InvalidSpec",
			arena_strdup(out->arena, bad.text) };
	if (v->link.forbidden)
		return (struct condition){ "Ready", COND_FALSE, "ServerForbidden",
			arena_printf(out->arena,
				"%s; name one that it may query, or have the administrator of the manager allow this one",
				v->link.trouble) };
	if (v->link.consent == CONSENT_REFUSED)
		return (struct condition){ "Ready", COND_FALSE, "NoConsent",
			arena_printf(out->arena,
				"%s; a user who may edit the Secret can add it there",
				v->link.trouble) };
	if (v->link.secret == NO && !is_coming(v, now_wall_ms, out))
		return (struct condition){ "Ready", COND_FALSE, "SecretMissing", v->link.trouble };
	if (v->link.checked)
		return checked_condition(v, now_ms, now_wall_ms, out);
	return (struct condition){ "Ready", COND_UNKNOWN, "NotChecked",
		str_empty(v->link.trouble) ? "Slurm has not been queried yet" : v->link.trouble };
}

/*
 * Reports whether the Secret names the servers that may get its token. A Secret without
 * the annotation works as it did before the annotation existed, so it is no error.
 */
static struct condition consent_condition(const struct cluster_view *v, const char *server,
	struct arena *a)
{
	struct condition c = { "SecretConsents", COND_FALSE, "ServerNotNamed",
		arena_printf(a, "Secret %s does not name %s in its annotation " ANNOTATION_SERVERS,
			secret_of(v, a), server) };
	if (v->link.consent == CONSENT_UNSAID) {
		c.reason = "NoAnnotation";
		c.message = arena_printf(a,
			"any user who may edit a Cluster of this namespace can send the token of Secret %s to any server, because the Secret has no annotation " ANNOTATION_SERVERS
			": set it to %s",
			secret_of(v, a), server);
	} else if (v->link.consent == CONSENT_GIVEN) {
		c = (struct condition){ "SecretConsents", COND_TRUE, "ServerNamed",
			arena_printf(a, "Secret %s names %s", secret_of(v, a), server) };
	}
	return c;
}

/*
 * Jobs wait while no partition is up, and only this condition reports it. No decision
 * relies on it.
 */
static bool no_job_starts(const struct cluster_view *v)
{
	return v->partitions.known && !v->partitions.up;
}

static struct condition partitions_condition(const struct cluster_view *v, struct arena *a)
{
	const struct partitions_fact *p = &v->partitions;
	const char *more = p->n > p->named ? arena_printf(a, " and %zu more", p->n - p->named) : "";
	if (!p->n)
		return (struct condition){
			"PartitionsUp", COND_FALSE, "NoPartition",
			"Slurm has no partition, so no job can be submitted: add one to slurm.conf"
		};
	return (struct condition){ "PartitionsUp", COND_FALSE, "PartitionsDown",
		arena_printf(a,
			"no partition of Slurm is UP, so no job starts: %s%s; scontrol update partitionname=NAME state=up",
			p->others, more) };
}

static bool is_deleting(const struct cluster_view *v)
{
	return !json_is_null(json_at(v->object, "metadata", "deletionTimestamp"));
}

/*
 * A Cluster that is deleted before its NodeSets waits for them; the message names them.
 */
static struct condition terminating_condition(const struct cluster_view *v, struct arena *a)
{
	return (struct condition){ "Terminating", COND_TRUE, "NodeSetsLeft",
		arena_printf(a,
			"the Cluster is deleted when no NodeSet needs it any more to drain its nodes; still there: %s. Delete them as well. To keep them, remove the finalizer " FINALIZER
			" and apply the Cluster again at once",
			v->nodesets ? v->nodesets : "") };
}

/* slurmctld continues with its last configuration. Jobs continue, so Ready stays true. */
static struct condition refused_condition(const struct pod_fact *slurmctld, struct arena *a)
{
	return (struct condition){ REFUSED, COND_TRUE, REFUSED,
		arena_printf(a,
			"%s; jobs go on; correct the configuration and apply it again (helm upgrade); see kubectl -n %s logs %s -c reconfigure",
			slurmctld->refused, slurmctld->ns, slurmctld->name) };
}

static struct action *act_on(const struct cluster_view *v, struct plan *out,
	struct operation operation, const char *why)
{
	struct metadata m = metadata_of(v->object);
	struct action *a = plan_add(out, operation, why);
	a->ns = m.ns;
	a->name = m.name;
	return a;
}

/*
 * Emits an Event when the reason of a condition changes. A new Cluster that is ready or
 * was not queried yet gets no Event.
 */
static void tell(const struct cluster_view *v, const struct condition *c, struct plan *out)
{
	const struct json *old = condition_find(json_at(v->object, "status", "conditions"),
		c->type);
	bool trouble = str_eq(c->type, "Terminating") || str_eq(c->type, REFUSED);
	bool well = !trouble && c->status == COND_TRUE;
	bool new = !old && (well || (c->status == COND_UNKNOWN && str_empty(v->link.trouble)));
	if (new || str_eq(json_str(json_get(old, "reason"), ""), c->reason))
		return;
	struct action *a = act_on(v, out, DO(TELL, EVENT), c->message);
	a->warning = !well;
	a->with_status = true;
	a->reason = c->reason;
}

static void add_condition(struct jdoc *d, struct jval *list, const struct cluster_view *v,
	const struct condition *c, int64_t now_wall_ms)
{
	int64_t generation = json_i64(json_at(v->object, "metadata", "generation"), 0);
	condition_set(d, list, json_at(v->object, "status", "conditions"), c, generation,
		now_wall_ms);
}

/* The conditions of a Cluster that this plan sets. */
struct conditions {
	struct condition ready;
	struct {
		struct condition condition;
		bool told; /* an Event reports it, too */
	} rows[7];         /* with ready; without conditions that do not apply */
	size_t n;
	/* The facts are unknown, so the published condition stays */
	bool consent_stays, tokens_stay, partitions_stay, refused_stays;
};

static void put(struct conditions *all, bool applies, struct condition c, bool told)
{
	if (!applies)
		return;
	all->rows[all->n].condition = c;
	all->rows[all->n++].told = told;
}

static struct conditions conditions_of(const struct cluster_view *v, int64_t now_ms,
	int64_t now_wall_ms, struct plan *out)
{
	static const struct condition plain = {
		"InsecureTransport", COND_TRUE, "PlainHTTP",
		"spec.server begins with http://, so the token is sent unencrypted: let slurmrestd, or a proxy before it, use https"
	};
	struct cluster spec;
	cluster_read(v->object, &spec);
	bool valid = !failed(cluster_check(&spec)), asked = valid && !v->link.forbidden;
	struct conditions all = { .ready = ready_condition(v, now_ms, now_wall_ms, out) };
	struct condition tokens;
	enum tokens_said said = tokens_condition(v, now_wall_ms, out->arena, &tokens);
	all.consent_stays = asked && v->link.consent == CONSENT_UNKNOWN && v->link.secret != NO;
	put(&all, true, all.ready, !is_coming(v, now_wall_ms, out));
	put(&all, asked && v->link.consent != CONSENT_UNKNOWN,
		consent_condition(v, spec.server, out->arena), false);
	put(&all, asked && cluster_is_plain(&spec), plain, false);
	put(&all, said == TOKENS_SAID, tokens, true);
	all.tokens_stay = said == TOKENS_STAYS;
	all.refused_stays = !v->chain.refusing && !v->pods_known;
	if (v->chain.refusing)
		put(&all, true, refused_condition(v->chain.refusing, out->arena), true);
	put(&all, asked && no_job_starts(v), partitions_condition(v, out->arena), true);
	all.partitions_stay = asked && !v->partitions.known;
	put(&all, is_deleting(v), terminating_condition(v, out->arena), true);
	return all;
}

/*
 * Reason of a condition other than Ready: the new one, or the published one if it stays;
 * "" if the condition is absent.
 */
static const char *reason_of(const struct cluster_view *v, const struct conditions *all,
	const char *type, bool stays)
{
	const struct json *old = json_at(v->object, "status", "conditions");
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->rows[i].condition.type, type))
			return all->rows[i].condition.reason;
	return stays ? json_str(json_get(condition_find(old, type), "reason"), "") : "";
}

/* For the column TROUBLE. */
static const char *trouble_of(const struct cluster_view *v, const struct conditions *all)
{
	const char *refused = reason_of(v, all, REFUSED, all->refused_stays);
	if (all->ready.status != COND_TRUE)
		return all->ready.reason;
	return *refused ? refused : reason_of(v, all, "PartitionsUp", all->partitions_stay);
}

static struct jval *status_of(const struct cluster_view *v, const struct conditions *all,
	int64_t now_wall_ms, struct jdoc *d)
{
	const char *ours[8] = { "Ready", "Terminating", "InsecureTransport" };
	size_t n = 3;
	if (!all->consent_stays)
		ours[n++] = "SecretConsents";
	if (!all->tokens_stay)
		ours[n++] = "TokensWritten";
	if (!all->partitions_stay)
		ours[n++] = "PartitionsUp";
	if (!all->refused_stays)
		ours[n++] = REFUSED;
	struct jval *status = j_obj(d);
	struct jval *conditions = j_set(d, status, "conditions", j_arr(d));
	j_set_bool(d, status, "isReady", all->ready.status == COND_TRUE);
	j_set_str(d, status, "trouble", trouble_of(v, all));
	if (!str_empty(v->link.meant))
		j_set_str(d, status, "slurmCluster", v->link.meant);
	condition_keep_foreign(d, conditions, json_at(v->object, "status", "conditions"), ours);
	for (size_t i = 0; i < all->n; i++)
		add_condition(d, conditions, v, &all->rows[i].condition, now_wall_ms);
	return status;
}

enum { LOOK_AGAIN_MS = 10000 }; /* a change of a pod triggers no plan of its Cluster */

static void plan_status(const struct cluster_view *v, int64_t now_ms, int64_t now_wall_ms,
	struct plan *out)
{
	struct conditions all = conditions_of(v, now_ms, now_wall_ms, out);
	const struct condition *ready = &all.ready;
	if (v->chain.known)
		plan_again(out, LOOK_AGAIN_MS);
	/*
	 * After a restart of the manager nothing is known yet. The published status stays
	 * until the first check has ended or has failed to start.
	 */
	if (ready->status == COND_UNKNOWN && str_empty(v->link.trouble) &&
		condition_find(json_at(v->object, "status", "conditions"), "Ready"))
		return;
	struct jdoc *d = jdoc_new(out->arena);
	const char *text = status_patch(d, out->arena, v->object,
		status_of(v, &all, now_wall_ms, d));
	if (!text)
		return;
	const char *why = arena_printf(out->arena, "the Cluster is %s: %s",
		ready->status == COND_TRUE ? "ready" : "not ready", ready->message);
	struct action *patch = act_on(v, out, DO(PATCH_STATUS, CLUSTER), why);
	patch->body = text;
	patch->event_failed = "FailedUpdate";
	for (size_t i = 0; i < all.n; i++)
		if (all.rows[i].told)
			tell(v, &all.rows[i].condition, out);
}

static void order_finalizer(const struct cluster_view *v, bool add, const char *why,
	struct plan *out)
{
	struct metadata m = metadata_of(v->object);
	struct jdoc *d = jdoc_new(out->arena);
	struct jval *body = patch_of(d, m.uid, m.resource_version);
	patch_finalizer(d, body, v->object, FINALIZER, add);
	struct action *a = act_on(v, out, DO(PATCH, CLUSTER), why);
	a->body = j_text(d, body);
	a->event_failed = "FailedUpdate";
}

/*
 * The finalizer is written before the status. If its write is refused, the status
 * follows.
 */
void cluster_plan(const struct cluster_view *v, int64_t now_ms, int64_t now_wall_ms,
	struct plan *out)
{
	bool has = has_finalizer(v->object, FINALIZER);
	bool add = !has && !is_deleting(v) && v->n_nodesets;
	bool remove = has && v->nodesets_known && !v->n_nodesets;
	order_tokens(v, now_wall_ms, out);
	plan_ask_partitions(out);
	if (v->in_flight)
		return;
	if (add)
		order_finalizer(v, true,
			"NodeSets need this Cluster to drain their nodes: it must outlive them",
			out);
	else if (remove)
		order_finalizer(v, false, "no NodeSet needs this Cluster any more", out);
	if ((!add && !remove) || v->n_failing)
		plan_status(v, now_ms, now_wall_ms, out);
}
