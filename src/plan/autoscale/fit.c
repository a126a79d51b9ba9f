/* SPDX-License-Identifier: Apache-2.0 */
/* Compares CPUs, memory and GRES of a job with those of a node. */
#include "plan/autoscale/fit.h"

#include <string.h>

#include "slurm/gres.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
/* Divides and rounds up. all + each could overflow, because both come from Slurm. */
static int64_t parts(int64_t all, int64_t each)
{
	return each > 0 ? all / each + (all % each > 0) : 0;
}

/* ---- GRES ---- */

/* Limits the count so that its product with a number of tasks does not overflow. */
static bool next_gres(const char **at, struct gres *g)
{
	enum { COUNT_MOST = 1000000000 };
	bool found = gres_next(at, g);
	if (found)
		g->count = least(g->count, COUNT_MOST);
	return found;
}

/*
 * The next GRES of the TRES of a job, "cpu=2,gres/gpu=1". CPUs and memory have fields of
 * their own, and are skipped.
 */
static bool next_asked(const char **at, struct gres *g)
{
	while (next_gres(at, g))
		if (g->marked)
			return true;
	return false;
}

static bool is_of(const struct gres *had, const struct gres *asked)
{
	return had->name_n == asked->name_n && !strncmp(had->name, asked->name, asked->name_n) &&
		(!asked->type_n ||
			(had->type_n == asked->type_n &&
				!strncmp(had->type, asked->type, asked->type_n)));
}

static int64_t gres_had(const struct node_shape *shape, const struct gres *asked)
{
	const char *at = shape->gres ? shape->gres : "";
	int64_t n = 0;
	for (struct gres g; next_gres(&at, &g);)
		n += is_of(&g, asked) ? g.count : 0;
	return n;
}

static struct fit unfit(struct arena *arena, const struct gres *g, int64_t asked, int64_t has)
{
	return (struct fit){ 0, 1,
		arena_printf(arena, "it asks for %lld of the GRES %.*s on a node, which has %lld",
			(long long)asked, (int)least((int64_t)g->name_n, 40), g->name,
			(long long)has) };
}

/* GRES that each node of the job must have. */
static void fit_gres_of_nodes(const char *list, const struct node_shape *shape, struct arena *arena,
	struct fit *f)
{
	for (struct gres g; f->nodes && next_asked(&list, &g);) {
		int64_t has = gres_had(shape, &g);
		if (g.count > has)
			*f = unfit(arena, &g, g.count, has);
		else if (g.count)
			f->on_each = most(1, least(f->on_each, has / g.count));
	}
}

/*
 * GRES that all nodes of the job must have together: each amount is multiplied by times.
 */
static void fit_gres_of_all(const char *list, int64_t times, const struct node_shape *shape,
	struct arena *arena, struct fit *f)
{
	for (struct gres g; f->nodes && next_asked(&list, &g);) {
		int64_t has = gres_had(shape, &g), all = g.count * most(times, 1);
		if (all && !has) {
			*f = unfit(arena, &g, g.count, has);
			return;
		}
		f->nodes = most(f->nodes, parts(all, has));
		int64_t each = parts(all, f->nodes);
		f->on_each = each ? most(1, least(f->on_each, has / each)) : f->on_each;
	}
}

/* ---- CPUs and memory ---- */

/* Number of CPUs of a node that tasks can use, by the CPUs and the memory of a task. */
static int64_t usable_cpus(const struct queued *job, const struct node_shape *shape)
{
	int64_t task = most(job->cpus_task, 1), cpus = shape->cpus;
	if (job->memory_cpu > 0 && shape->memory > 0)
		cpus = least(cpus, shape->memory / job->memory_cpu);
	return cpus / task * task;
}

static const char *too_small(const struct queued *job, const struct node_shape *shape,
	struct arena *arena)
{
	int64_t cpus = most(most(job->cpus_node, job->cpus_task), 1);
	if (cpus > shape->cpus)
		return arena_printf(arena, "it asks for %lld CPUs on a node, which has %lld",
			(long long)cpus, (long long)shape->cpus);
	int64_t memory = most(job->memory_node, job->memory_cpu * cpus);
	if (shape->memory > 0 && memory > shape->memory)
		return arena_printf(arena, "it asks for %lld MiB on a node, which has %lld",
			(long long)memory, (long long)shape->memory);
	return NULL;
}

static void fit_cpus(const struct queued *job, const struct node_shape *shape, struct fit *f)
{
	int64_t cpus = most(job->cpus, 1), usable = most(usable_cpus(job, shape), 1);
	f->nodes = most(f->nodes, parts(cpus, usable));
	if (job->tasks_node > 0)
		f->nodes = most(f->nodes, parts(job->tasks, job->tasks_node));
	int64_t each = most(parts(cpus, f->nodes), job->cpus_node);
	int64_t memory = most(job->memory_node, job->memory_cpu * each);
	f->on_each = most(1, shape->cpus / most(each, 1));
	if (memory == 0 && !shape->memory_shared)
		f->on_each = 1;
	if (memory > 0 && shape->memory > 0)
		f->on_each = most(1, least(f->on_each, shape->memory / memory));
}

struct fit fit_of(const struct queued *job, const struct node_shape *shape, struct arena *arena)
{
	struct fit f = { most(job->nodes, 1), 1, NULL };
	if (!shape->cpus)
		return f;
	f.why = too_small(job, shape, arena);
	if (f.why) {
		f.nodes = 0;
		return f;
	}
	fit_cpus(job, shape, &f);
	fit_gres_of_nodes(job->gres_node, shape, arena, &f);
	fit_gres_of_all(job->gres_job, 1, shape, arena, &f);
	fit_gres_of_all(job->gres_task, job->tasks, shape, arena, &f);
	if (job->exclusive)
		f.on_each = 1;
	if (f.nodes && job->nodes_most > 0 && f.nodes > job->nodes_most)
		f = (struct fit){ 0, 1,
			arena_printf(arena,
				"it may use at most %lld nodes, and needs %lld of this size",
				(long long)job->nodes_most, (long long)f.nodes) };
	return f;
}
