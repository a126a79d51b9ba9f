/* SPDX-License-Identifier: Apache-2.0 */
/* Actions of stories, on the simulator. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "story/player.h"

enum {
	READY_MS = 120000,
	START_MS = 60000,
	KILL_MS = 240000,
	APISERVER_DOWN_MS = 3000,
	END_MS = 20000,
	FREEZE_MS = 3600000,
	OPEN_S = 3600
};

/* ---- managers ---- */

static bool cluster_is_ready(struct player *p, const struct story_step *s)
{
	return player_find_ask("cluster_ready")(p, s);
}

static void do_manager(struct player *p, const struct story_step *s)
{
	player_live(p, 0, false);
	player_wait(p, s, cluster_is_ready, READY_MS, "the Cluster to be ready");
}

static bool somebody_leads(struct player *p, const struct story_step *s)
{
	(void)s;
	return player_leader(p) >= 0;
}

static void do_managers(struct player *p, const struct story_step *s)
{
	for (int i = 0; i < SIM_PROGRAMS; i++)
		player_live(p, i, true);
	player_wait(p, s, somebody_leads, READY_MS, "one of two managers to lead");
	player_wait(p, s, cluster_is_ready, READY_MS, "the Cluster to be ready");
}

static void do_manager_kill(struct player *p, const struct story_step *s)
{
	(void)s;
	player_die(p, 0);
}

static void do_manager_start(struct player *p, const struct story_step *s)
{
	(void)s;
	player_live(p, 0, false);
}

static void do_leader_kill(struct player *p, const struct story_step *s)
{
	(void)s;
	p->killed_leader = player_leader(p);
	if (p->killed_leader < 0)
		player_fail(p, "no manager leads");
	else
		player_die(p, p->killed_leader);
}

static bool has_ended(struct player *p, const struct story_step *s)
{
	(void)s;
	return !p->w->managers[p->killed_leader].controller;
}

static void do_leader_end(struct player *p, const struct story_step *s)
{
	p->killed_leader = player_leader(p);
	if (p->killed_leader < 0) {
		player_fail(p, "no manager leads");
		return;
	}
	sim_manager_end(&p->w->managers[p->killed_leader]);
	player_wait(p, s, has_ended, END_MS, "the manager to end");
}

/*
 * The manager must not carry out its last decision when it goes on: the oracle sees to
 * that.
 */
static void do_leader_freeze(struct player *p, const struct story_step *s)
{
	(void)s;
	p->killed_leader = player_leader(p);
	if (p->killed_leader < 0)
		player_fail(p, "no manager leads");
	else
		sim_manager_freeze(&p->w->managers[p->killed_leader], FREEZE_MS);
}

static void do_leader_thaw(struct player *p, const struct story_step *s)
{
	(void)s;
	sim_manager_thaw(&p->w->managers[p->killed_leader]);
}

/*
 * Lives of 0 to 400 ms, and now and then a longer one, so that there is progress to be
 * interrupted.
 */
static void do_kill_until(struct player *p, const struct story_step *s)
{
	struct sim_rand *rand = &p->w->rand;
	int64_t end = loop_now_ms(world_loop(p->w)) + KILL_MS;
	int least = player_number(s, 0), n = 0;
	player_ask *is = player_find_ask(s->ask->phrase->verb);
	player_die(p, 0);
	for (; !p->trouble[0] && (n < least || !is(p, s->ask)); n++) {
		if (loop_now_ms(world_loop(p->w)) > end)
			player_fail(p, "killed %d times, and still not: %s", n, s->ask->text);
		player_live(p, 0, false);
		player_run(p,
			sim_rand_range(rand, 0, 3) ? sim_rand_range(rand, 0, 400)
						   : sim_rand_range(rand, 0, 3000));
		player_die(p, 0);
	}
	p->kills += (uint64_t)n;
	player_live(p, 0, false);
}

/* ---- NodeSets ---- */

/* All its pods are ready, and their nodes idle and able to take jobs. */
static bool nodeset_rests(struct player *p, const struct story_step *s)
{
	char name[160];
	int n = player_number(s, 1);
	if (world_ready_pods(p->w, s->args[0]) != (size_t)n)
		return false;
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s-%d", s->args[0], i);
		const struct sim_node *node = sim_slurm_node(&p->w->slurm, name);
		if (!node || node->down || node->drain || node->not_responding || node->job ||
			node->ending)
			return false;
	}
	return true;
}

static void do_nodeset(struct player *p, const struct story_step *s)
{
	world_add_nodeset(p->w, s->args[0], player_number(s, 1), "slurmd:0", "1");
	player_wait(p, s, nodeset_rests, READY_MS, "its nodes to be ready");
	for (int i = 0; i < player_number(s, 1) && p->n_pods < PLAYER_PODS; i++) {
		struct player_pod *pod = &p->pods[p->n_pods++];
		snprintf(pod->name, sizeof(pod->name), "%.50s-%d", s->args[0], i);
		snprintf(pod->uid, sizeof(pod->uid), "%s", player_pod_uid(p, pod->name));
	}
}

static void do_scale(struct player *p, const struct story_step *s)
{
	world_scale(p->w, WORLD_NS, s->args[0], player_number(s, 1));
}
static void do_template(struct player *p, const struct story_step *s)
{
	world_set_template_image(p->w, WORLD_NS, s->args[0], "slurmd:1");
}
static void do_delete(struct player *p, const struct story_step *s)
{
	world_delete_nodeset(p->w, WORLD_NS, s->args[0]);
}

/* ---- jobs ---- */

static bool job_runs(struct player *p, const struct story_step *s)
{
	(void)s;
	return sim_slurm_job(&p->w->slurm, p->job_ids[p->n_jobs])->state == JOB_RUNNING;
}

static void start_job(struct player *p, const struct story_step *s, const char *node,
	const char *pod, int seconds)
{
	if (p->n_jobs == PLAYER_JOBS) {
		player_fail(p, "more than %d jobs", PLAYER_JOBS);
		return;
	}
	struct player_pod *at = &p->jobs[p->n_jobs];
	snprintf(at->name, sizeof(at->name), "%.60s", pod);
	snprintf(at->uid, sizeof(at->uid), "%s", player_pod_uid(p, at->name));
	p->job_ids[p->n_jobs] = world_start_job_on(p->w, node, seconds);
	player_wait(p, s, job_runs, START_MS, "the job to start");
	p->n_jobs++;
}

static void do_job(struct player *p, const struct story_step *s)
{
	start_job(p, s, s->args[0], s->args[0], OPEN_S);
}
static void do_job_of(struct player *p, const struct story_step *s)
{
	start_job(p, s, s->args[0], s->args[1], OPEN_S);
}
static void do_job_for(struct player *p, const struct story_step *s)
{
	start_job(p, s, s->args[1], s->args[1], player_number(s, 0));
}

static void do_let_jobs_end(struct player *p, const struct story_step *s)
{
	(void)s;
	for (size_t i = 0; i < p->n_jobs; i++)
		sim_slurm_let_end(&p->w->slurm, sim_slurm_job(&p->w->slurm, p->job_ids[i]));
}

/* ---- administrators and troubles ---- */

static void do_drain(struct player *p, const struct story_step *s)
{
	if (!world_admin_drain(p->w, s->args[0], s->args[1]))
		player_fail(p, "Slurm does not know the node");
}

static void do_resume(struct player *p, const struct story_step *s)
{
	if (!world_admin_undrain(p->w, s->args[0]))
		player_fail(p, "Slurm does not know the node");
}

static void do_token_spoil(struct player *p, const struct story_step *s)
{
	(void)s;
	world_patch(p->w, RES_SECRET, WORLD_NS, "slurm-token", "",
		"{'data':{'auth-token':'bm90LWEtdG9rZW4='}}");
}

static void do_token_repair(struct player *p, const struct story_step *s)
{
	(void)s;
	world_rotate_token(p->w);
}

static void do_slurmrestd_stop(struct player *p, const struct story_step *s)
{
	(void)s;
	world_slurmrestd(p->w, false);
}

static void do_slurmrestd_start(struct player *p, const struct story_step *s)
{
	(void)s;
	world_slurmrestd(p->w, true);
}

static void do_slurmctld_kill(struct player *p, const struct story_step *s)
{
	(void)s;
	world_slurmctld_restart(p->w, true);
}

static void do_apiserver_kill(struct player *p, const struct story_step *s)
{
	(void)s;
	world_apiserver_restart(p->w, APISERVER_DOWN_MS);
}

static const struct {
	const char *verb;
	player_do *fn;
} words[] = {
	{ "manager", do_manager },
	{ "managers", do_managers },
	{ "manager_kill", do_manager_kill },
	{ "manager_start", do_manager_start },
	{ "kill_until", do_kill_until },
	{ "leader_kill", do_leader_kill },
	{ "leader_end", do_leader_end },
	{ "leader_freeze", do_leader_freeze },
	{ "leader_thaw", do_leader_thaw },
	{ "nodeset", do_nodeset },
	{ "scale", do_scale },
	{ "template", do_template },
	{ "delete", do_delete },
	{ "job", do_job },
	{ "job_of", do_job_of },
	{ "job_for", do_job_for },
	{ "let_jobs_end", do_let_jobs_end },
	{ "drain", do_drain },
	{ "resume", do_resume },
	{ "token_spoil", do_token_spoil },
	{ "token_repair", do_token_repair },
	{ "slurmrestd_stop", do_slurmrestd_stop },
	{ "slurmrestd_start", do_slurmrestd_start },
	{ "slurmctld_kill", do_slurmctld_kill },
	{ "apiserver_kill", do_apiserver_kill },
};

player_do *player_find_do(const char *verb)
{
	for (size_t i = 0; i < LENGTH(words); i++)
		if (str_eq(words[i].verb, verb))
			return words[i].fn;
	return player_find_rough_do(verb);
}
