/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of stories, on the simulator. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "story/player.h"

enum { SRUN_MS = 60000 };

/* ---- managers ---- */

static bool ask_other_leads(struct player *p, const struct story_step *s)
{
	(void)s;
	return player_leader(p) == 1 - p->killed_leader;
}

static bool ask_frozen_ended(struct player *p, const struct story_step *s)
{
	(void)s;
	return !p->w->managers[p->killed_leader].controller;
}

static bool ask_never_both(struct player *p, const struct story_step *s)
{
	(void)s;
	return p->w->oracle.lease.elected; /* the oracle has judged every write */
}

/* ---- NodeSets ---- */

static yyjson_val *status_of(const struct player *p, const struct story_step *s)
{
	const struct sim_version *v = player_nodeset(p, s);
	return v ? sim_get(v->root, "status") : NULL;
}

static bool ask_pods(struct player *p, const struct story_step *s)
{
	return world_pods(p->w, s->args[0]) == (size_t)player_number(s, 1);
}

static bool ask_ready(struct player *p, const struct story_step *s)
{
	return ask_pods(p, s) && world_ready_pods(p->w, s->args[0]) == (size_t)player_number(s, 1);
}

static bool ask_observed(struct player *p, const struct story_step *s)
{
	const struct sim_version *v = player_nodeset(p, s);
	return v &&
		sim_int(sim_get(v->root, "status"), "observedGeneration", 0) ==
		sim_int(sim_meta(v), "generation", -1);
}

static bool ask_updated(struct player *p, const struct story_step *s)
{
	int n = player_number(s, 1);
	yyjson_val *status = status_of(p, s);
	return ask_observed(p, s) && ask_pods(p, s) && sim_int(status, "updatedReplicas", 0) == n &&
		sim_int(status, "readyReplicas", 0) == n;
}

static bool ask_draining(struct player *p, const struct story_step *s)
{
	const struct sim_version *v = player_nodeset(p, s);
	return v && sim_condition_true(v, "Draining");
}

static bool ask_gone(struct player *p, const struct story_step *s)
{
	size_t of_it = strlen(s->args[0]);
	const struct sim_list *pods = &p->w->kube.store.of[RES_POD];
	/* they have no owner any more, but their names tell */
	for (size_t i = 0; i < pods->n; i++)
		if (strncmp(pods->at[i]->name, s->args[0], of_it) == 0 &&
			pods->at[i]->name[of_it] == '-')
			return false;
	return !player_nodeset(p, s);
}

static bool ask_event(struct player *p, const struct story_step *s)
{
	const struct sim_list *events = &p->w->kube.store.of[RES_EVENT];
	for (size_t i = 0; i < events->n; i++)
		if (str_eq(sim_str(sim_get(events->at[i]->root, "involvedObject"), "name"),
			    s->args[0]) &&
			str_eq(sim_str(events->at[i]->root, "reason"), s->args[1]))
			return true;
	return false;
}

/* Any of its conditions: a reason belongs to one type only. */
static bool ask_says(struct player *p, const struct story_step *s)
{
	static const char *const types[] = { "Available", "Progressing", "Draining", "Degraded" };
	const struct sim_version *v = player_nodeset(p, s);
	for (size_t i = 0; v && i < LENGTH(types); i++)
		if (str_eq(sim_str(sim_condition(v, types[i]), "reason"), s->args[1]))
			return true;
	return false;
}

/* The status that the subresource shows: the simulator has no such path of its own. */
static bool ask_subresource(struct player *p, const struct story_step *s)
{
	return sim_int(status_of(p, s), "replicas", -1) == player_number(s, 1);
}

static bool ask_same_pod(struct player *p, const struct story_step *s)
{
	for (size_t i = 0; i < p->n_pods; i++)
		if (str_eq(p->pods[i].name, s->args[0]))
			return str_eq(p->pods[i].uid, player_pod_uid(p, s->args[0]));
	player_fail(p, "no NodeSet of this story began with that pod");
	return false;
}

/* ---- jobs ---- */

static enum sim_job_state state_of(const struct player *p, size_t i)
{
	return sim_slurm_job(&p->w->slurm, p->job_ids[i])->state;
}

static bool ask_job_ended(struct player *p, const struct story_step *s)
{
	size_t i = (size_t)player_number(s, 0);
	if (i >= 1 && i <= p->n_jobs)
		/* player_step sees to it that it was not requeued */
		return state_of(p, i - 1) == JOB_COMPLETED;
	player_fail(p, "the story has started %zu jobs", p->n_jobs);
	return false;
}

static bool ask_jobs_ended(struct player *p, const struct story_step *s)
{
	size_t n = 0;
	(void)s;
	for (size_t i = 0; i < p->n_jobs; i++)
		n += state_of(p, i) == JOB_COMPLETED;
	return n == p->n_jobs;
}

static bool ask_jobs_run(struct player *p, const struct story_step *s)
{
	(void)s;
	for (size_t i = 0; i < p->n_jobs; i++)
		if (state_of(p, i) != JOB_RUNNING ||
			!str_eq(player_pod_uid(p, p->jobs[i].name), p->jobs[i].uid))
			return false;
	return true;
}

static bool ask_srun(struct player *p, const struct story_step *s)
{
	int n = player_number(s, 0);
	struct str names AUTO(str_free) = { 0 };
	const struct sim_job *job = sim_slurm_job(&p->w->slurm, world_start_job(p->w, n, 1));
	for (int64_t end = loop_now_ms(world_loop(p->w)) + SRUN_MS; job->state != JOB_COMPLETED;)
		if (!player_step(p) || loop_now_ms(world_loop(p->w)) > end)
			return false;
	for (int i = 0; i < n; i++)
		str_addf(&names, "%s%s-%d", i ? "," : "", s->args[1], i);
	return str_eq(job->hosts, str_text(&names));
}

/* ---- the rest ---- */

static bool ask_drained(struct player *p, const struct story_step *s)
{
	const struct sim_node *node = sim_slurm_node(&p->w->slurm, s->args[0]);
	return node && node->drain && str_eq(node->reason, s->args[1]);
}

static bool cluster_says(const struct player *p, bool ready, const char *reason)
{
	const struct sim_version *v = world_object(p->w, RES_CLUSTER, WORLD_NS, WORLD_CLUSTER);
	return sim_condition(v, "Ready") && sim_condition_true(v, "Ready") == ready &&
		(!reason || str_eq(sim_str(sim_condition(v, "Ready"), "reason"), reason));
}

static bool ask_cluster_ready(struct player *p, const struct story_step *s)
{
	(void)s;
	return cluster_says(p, true, NULL);
}

static bool ask_cluster_unready(struct player *p, const struct story_step *s)
{
	(void)s;
	return cluster_says(p, false, NULL);
}

static bool ask_cluster_reason(struct player *p, const struct story_step *s)
{
	return cluster_says(p, false, s->args[0]);
}

static const struct {
	const char *verb;
	player_ask *fn;
} words[] = {
	{ "other_leads", ask_other_leads },
	{ "frozen_ended", ask_frozen_ended },
	{ "never_both", ask_never_both },
	{ "pods", ask_pods },
	{ "ready", ask_ready },
	{ "updated", ask_updated },
	{ "observed", ask_observed },
	{ "draining", ask_draining },
	{ "gone", ask_gone },
	{ "event", ask_event },
	{ "says", ask_says },
	{ "subresource", ask_subresource },
	{ "same_pod", ask_same_pod },
	{ "srun", ask_srun },
	{ "job_ended", ask_job_ended },
	{ "jobs_ended", ask_jobs_ended },
	{ "jobs_run", ask_jobs_run },
	{ "drained", ask_drained },
	{ "cluster_ready", ask_cluster_ready },
	{ "cluster_unready", ask_cluster_unready },
	{ "cluster_reason", ask_cluster_reason },
};

player_ask *player_find_ask(const char *verb)
{
	for (size_t i = 0; i < LENGTH(words); i++)
		if (str_eq(words[i].verb, verb))
			return words[i].fn;
	return player_find_rough_ask(verb);
}
