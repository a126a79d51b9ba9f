/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of the simulated Slurm. */
#include "sim/sim_slurm_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static struct loop *loop_of(const struct sim_slurm *s) { return &s->loop->loop; }

struct sim_job *sim_slurm_job(const struct sim_slurm *s, int64_t id)
{
	for (struct sim_job *j = s->jobs; j; j = j->next)
		if (j->id == id)
			return j;
	return NULL;
}

bool sim_job_on(const struct sim_job *j, const char *node)
{
	size_t n = strlen(node);
	for (const char *at = j->hosts; *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, node, n) == 0 && (at[n] == ',' || at[n] == '\0'))
			return true;
	return false;
}

int64_t sim_slurm_busy(const struct sim_slurm *s, const char *name)
{
	const struct sim_node *n = sim_slurm_node(s, name);
	return n ? sim_node_job(n) : 0;
}

int64_t sim_node_job(const struct sim_node *n)
{
	if (n->job || n->ending)
		return n->job ? n->job : n->ending;
	for (const struct sim_job *j = n->s->jobs; j; j = j->next)
		if (j->state == JOB_SUSPENDED && sim_job_on(j, n->name))
			return j->id;
	return 0;
}

size_t sim_slurm_running(const struct sim_slurm *s)
{
	size_t n = 0;
	for (const struct sim_job *j = s->jobs; j; j = j->next)
		n += j->state == JOB_RUNNING;
	return n;
}

/* Takes the job off its nodes. */
static void leave_nodes(struct sim_slurm *s, struct sim_job *j)
{
	for (struct sim_node *n = s->nodes; n; n = n->next) {
		if (n->job != j->id && n->ending != j->id)
			continue;
		n->job = n->ending = 0;
		n->last_busy_s = sim_slurm_clock_s(s);
		sim_slurm_touch(s, n);
	}
}

static void go_back(struct sim_job *j)
{
	j->state = JOB_PENDING;
	j->again = j->resumes = false;
	j->requeues++;
	free(j->hosts);
	j->hosts = own_strdup("");
}

static void on_completed(void *arg)
{
	struct sim_job *j = arg;
	j->timer = NULL;
	j->state = JOB_COMPLETED;
	sim_slurm_note(j->s, "job %lld has ended", (long long)j->id);
	leave_nodes(j->s, j);
	if (j->again)
		go_back(j);
	sim_slurm_wake(j->s);
}

static void on_end(void *arg)
{
	struct sim_job *j = arg;
	struct sim_slurm *s = j->s;
	j->state = JOB_COMPLETING;
	for (struct sim_node *n = s->nodes; n; n = n->next) {
		if (n->job != j->id)
			continue;
		n->job = 0;
		n->ending = j->id;
		sim_slurm_touch(s, n);
	}
	j->timer = timer_start(loop_of(s), sim_rand_range(&s->rand, 50, s->epilog_ms), on_completed,
		j);
}

static void lose(struct sim_slurm *s, struct sim_job *j, const struct sim_node *n)
{
	sim_slurm_note(s, "job %lld loses node %s", (long long)j->id, n->name);
	timer_stop(loop_of(s), j->timer);
	j->timer = NULL;
	leave_nodes(s, j);
	if (j->state == JOB_COMPLETING && !j->again)
		j->state = JOB_COMPLETED;
	else
		go_back(j);
	sim_slurm_wake(s);
}

void sim_job_node_lost(struct sim_slurm *s, struct sim_node *n)
{
	struct sim_job *j;
	while ((j = sim_slurm_job(s, sim_node_job(n))))
		lose(s, j, n);
}

static void run(struct sim_slurm *s, struct sim_job *j)
{
	j->state = JOB_RUNNING;
	j->ends_ms = s->loop->now_ms + j->run_ms;
	j->timer = timer_start(loop_of(s), j->run_ms, on_end, j);
}

void sim_slurm_cancel_waiting(struct sim_slurm *s, int but)
{
	for (struct sim_job *j = s->jobs; j; j = j->next)
		if (j->state == JOB_PENDING && but-- <= 0)
			j->state = JOB_COMPLETED;
}

void sim_slurm_let_end(struct sim_slurm *s, struct sim_job *j)
{
	j->run_ms = 1;
	if (j->state != JOB_RUNNING)
		return;
	timer_stop(loop_of(s), j->timer);
	run(s, j);
}

/* ---- suspended, requeued ---- */

void sim_slurm_suspend(struct sim_slurm *s, struct sim_job *j)
{
	if (s->ctld_down || j->state != JOB_RUNNING)
		return;
	sim_slurm_note(s, "job %lld is suspended on %s", (long long)j->id, j->hosts);
	timer_stop(loop_of(s), j->timer);
	j->timer = NULL;
	leave_nodes(s, j);
	j->state = JOB_SUSPENDED;
	j->resumes = false;
	j->run_ms = j->ends_ms > s->loop->now_ms ? j->ends_ms - s->loop->now_ms : 1;
	sim_slurm_wake(s);
}

void sim_slurm_resume(struct sim_slurm *s, struct sim_job *j)
{
	j->resumes = j->state == JOB_SUSPENDED;
	sim_slurm_wake(s);
}

static void go_on(struct sim_slurm *s, struct sim_job *j)
{
	for (const struct sim_node *n = s->nodes; n; n = n->next)
		if (sim_job_on(j, n->name) && (n->job || n->ending))
			return;
	for (struct sim_node *n = s->nodes; n; n = n->next) {
		if (!sim_job_on(j, n->name))
			continue;
		n->job = j->id;
		sim_slurm_touch(s, n);
	}
	sim_slurm_note(s, "job %lld goes on", (long long)j->id);
	j->resumes = false;
	run(s, j);
}

void sim_slurm_requeue(struct sim_slurm *s, struct sim_job *j)
{
	if (s->ctld_down || j->state != JOB_RUNNING)
		return;
	sim_slurm_note(s, "job %lld is requeued", (long long)j->id);
	timer_stop(loop_of(s), j->timer);
	j->again = true;
	on_end(j);
}

static bool can_take(const struct sim_node *n, const struct sim_job *j)
{
	if (n->down || n->drain || n->not_responding || n->job || n->ending)
		return false;
	return !j->only || strcmp(j->only, n->name) == 0;
}

/* The first node by name that can take the job. */
static struct sim_node *next_node(const struct sim_slurm *s, const struct sim_job *j)
{
	struct sim_node *first = NULL;
	for (struct sim_node *n = s->nodes; n; n = n->next)
		if (can_take(n, j) && (!first || strcmp(n->name, first->name) < 0))
			first = n;
	return first;
}

static void start(struct sim_slurm *s, struct sim_job *j)
{
	struct str hosts = { 0 };
	struct sim_node *n;
	for (int left = j->want; left > 0 && (n = next_node(s, j)); left--) {
		n->job = j->id;
		if (s->keeps_reasons)
			*n->reason = '\0';
		str_addf(&hosts, "%s%s", hosts.len ? "," : "", n->name);
		sim_slurm_touch(s, n);
	}
	free(j->hosts);
	j->hosts = str_take(&hosts);
	sim_slurm_note(s, "job %lld starts on %s", (long long)j->id, j->hosts);
	j->start_s = sim_slurm_clock_s(s);
	run(s, j);
	sim_slurm_save(s);
}

static void on_schedule(void *arg)
{
	struct sim_slurm *s = arg;
	s->schedule = NULL;
	if (s->ctld_down)
		return;
	for (struct sim_job *j = s->jobs; j; j = j->next) {
		int fit = 0;
		if (j->resumes)
			go_on(s, j);
		for (struct sim_node *n = s->nodes; n && j->state == JOB_PENDING; n = n->next)
			fit += can_take(n, j);
		if (j->state == JOB_PENDING && fit >= j->want)
			start(s, j);
	}
}

void sim_slurm_wake(struct sim_slurm *s)
{
	if (!s->schedule)
		s->schedule = timer_start(loop_of(s), sim_rand_range(&s->rand, 5, 800), on_schedule,
			s);
}

int64_t sim_slurm_submit(struct sim_slurm *s, int nodes, const char *only, int64_t run_ms)
{
	struct sim_job *j = own_alloc(sizeof(*j)), **at = &s->jobs;
	*j = (struct sim_job){
		.s = s,
		.id = s->next_job++,
		.want = nodes,
		.only = own_strdup(only),
		.run_ms = run_ms,
		.hosts = own_strdup(""),
	};
	j->limit_min = sim_rand_chance(&s->rand, 200)
		? 0
		: run_ms / 60000 + sim_rand_range(&s->rand, 1, 10);
	while (*at)
		at = &(*at)->next;
	*at = j;
	sim_slurm_wake(s);
	return j->id;
}

void sim_jobs_free(struct sim_slurm *s)
{
	for (struct sim_job *j = s->jobs, *next; j; j = next) {
		next = j->next;
		timer_stop(loop_of(s), j->timer);
		free(j->only);
		free(j->hosts);
		free(j);
	}
}
