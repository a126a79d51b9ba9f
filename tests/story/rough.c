/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words for what is beyond the everyday, on the simulator: suspended jobs, other
 * names, another Slurm, slow lists.
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "story/player.h"

enum { SOON_MS = 120000 };

/* ---- jobs ---- */

static struct sim_job *job_of_story(struct player *p, const struct story_step *s)
{
	size_t i = (size_t)player_number(s, 0);
	if (i >= 1 && i <= p->n_jobs)
		return sim_slurm_job(&p->w->slurm, p->job_ids[i - 1]);
	player_fail(p, "the story has started %zu jobs", p->n_jobs);
	return NULL;
}

static void do_suspend(struct player *p, const struct story_step *s)
{
	struct sim_job *job = job_of_story(p, s);
	if (job)
		sim_slurm_suspend(&p->w->slurm, job);
}

static void do_resume_job(struct player *p, const struct story_step *s)
{
	struct sim_job *job = job_of_story(p, s);
	if (job)
		sim_slurm_resume(&p->w->slurm, job);
}

static bool ask_jobs_suspended(struct player *p, const struct story_step *s)
{
	(void)s;
	for (size_t i = 0; i < p->n_jobs; i++)
		if (sim_slurm_job(&p->w->slurm, p->job_ids[i])->state != JOB_SUSPENDED ||
			!str_eq(player_pod_uid(p, p->jobs[i].name), p->jobs[i].uid))
			return false;
	return true;
}

/* ---- nodes ---- */

static const struct sim_node *node_of(const struct player *p, const struct story_step *s)
{
	return sim_slurm_node(&p->w->slurm, s->args[0]);
}

static bool ask_node_drained(struct player *p, const struct story_step *s)
{
	const struct sim_node *node = node_of(p, s);
	return node && node->drain;
}

static bool ask_node_free(struct player *p, const struct story_step *s)
{
	const struct sim_node *node = node_of(p, s);
	return node && !node->down && !node->drain && !node->not_responding && !sim_node_job(node);
}

static void do_cordon(struct player *p, const struct story_step *s)
{
	world_patch(p->w, RES_POD, WORLD_NS, s->args[0], "",
		"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/pod-cordon':'true'}}}");
}

static void do_uncordon(struct player *p, const struct story_step *s)
{
	world_patch(p->w, RES_POD, WORLD_NS, s->args[0], "",
		"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/pod-cordon':null}}}");
}

static void do_release(struct player *p, const struct story_step *s)
{
	world_patch(p->w, RES_NODESET, WORLD_NS, s->args[0], "",
		"{'metadata':{'annotations':{'nodeset.slinky.slurm.net/release-now':'true'}}}");
}

/* ---- NodeSets whose slurmd has another name, or is missing ---- */

static bool nodes_have_names(struct player *p, const struct story_step *s)
{
	char name[STORY_ARG_BYTES * 2 + 16];
	for (int i = 0; i < player_number(s, 1); i++) {
		snprintf(name, sizeof(name), "%s%s-%d", s->args[2], s->args[0], i);
		if (!sim_slurm_node(&p->w->slurm, name))
			return false;
	}
	return world_ready_pods(p->w, s->args[0]) == (size_t)player_number(s, 1);
}

static void do_nodeset_named(struct player *p, const struct story_step *s)
{
	if (!str_eq(s->args[2], "alt-"))
		player_fail(p, "the simulator's slurmds can only call themselves alt-");
	world_add_nodeset(p->w, s->args[0], player_number(s, 1), "slurmd:alt", "1");
	player_wait(p, s, nodes_have_names, SOON_MS, "its nodes to register under their names");
}

static bool pods_run(struct player *p, const struct story_step *s)
{
	return world_ready_pods(p->w, s->args[0]) == (size_t)player_number(s, 1);
}

static void do_nodeset_absent(struct player *p, const struct story_step *s)
{
	world_add_nodeset(p->w, s->args[0], player_number(s, 1), "mute:0", "1");
	player_wait(p, s, pods_run, SOON_MS, "its pods to run");
}

/* ---- another Slurm, slow lists ---- */

static void do_other_slurm(struct player *p, const struct story_step *s)
{
	struct sim_slurm *other = p->w->other = own_alloc(sizeof(*other));
	(void)s;
	sim_slurm_init(other, p->w->net, "http://other:6820", p->w->seed + 1);
	other->cluster = "other";
	snprintf(other->token, sizeof(other->token), "%s", p->w->slurm.token);
}

static void do_other_slurm_gone(struct player *p, const struct story_step *s)
{
	(void)p, (void)s; /* it goes with the world */
}

static void point_at(struct player *p, const char *server)
{
	char patch[200];
	snprintf(patch, sizeof(patch), "{'spec':{'server':'%s'}}", server);
	world_patch(p->w, RES_CLUSTER, WORLD_NS, WORLD_CLUSTER, "", patch);
}

static void do_server_other(struct player *p, const struct story_step *s)
{
	(void)s;
	point_at(p, "http://other:6820");
}

static void do_server_back(struct player *p, const struct story_step *s)
{
	(void)s;
	point_at(p, WORLD_SLURM_URL);
}

static void do_service_other(struct player *p, const struct story_step *s)
{
	(void)s;
	p->w->slurm.stand_in = p->w->other;
}

static void do_service_back(struct player *p, const struct story_step *s)
{
	(void)s;
	p->w->slurm.stand_in = NULL;
}

static void do_slow_list(struct player *p, const struct story_step *s)
{
	p->w->slurm.list_ms = p->w->slurm.list_least_ms = (int64_t)player_number(s, 0) * 1000;
	p->w->slurm.busy = true;
}

static const struct {
	const char *verb;
	player_do *does;
	player_ask *asks;
} words[] = {
	{ "suspend", .does = do_suspend },
	{ "resume_job", .does = do_resume_job },
	{ "jobs_suspended", .asks = ask_jobs_suspended },
	{ "cordon", .does = do_cordon },
	{ "uncordon", .does = do_uncordon },
	{ "release", .does = do_release },
	{ "node_drained", .asks = ask_node_drained },
	{ "node_free", .asks = ask_node_free },
	{ "nodeset_named", .does = do_nodeset_named },
	{ "nodeset_absent", .does = do_nodeset_absent },
	{ "other_slurm", .does = do_other_slurm },
	{ "other_slurm_gone", .does = do_other_slurm_gone },
	{ "server_other", .does = do_server_other },
	{ "server_back", .does = do_server_back },
	{ "service_other", .does = do_service_other },
	{ "service_back", .does = do_service_back },
	{ "slow_list", .does = do_slow_list },
};

player_do *player_find_rough_do(const char *verb)
{
	for (size_t i = 0; i < LENGTH(words); i++)
		if (str_eq(words[i].verb, verb))
			return words[i].does;
	return NULL;
}

player_ask *player_find_rough_ask(const char *verb)
{
	for (size_t i = 0; i < LENGTH(words); i++)
		if (str_eq(words[i].verb, verb))
			return words[i].asks;
	return NULL;
}
