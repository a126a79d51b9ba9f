/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads partitions. If the CPUs of a job on a node have no limit, scontrol reports all
 * CPUs of the partition, which no single node has. So sinfo reads the CPUs of its nodes.
 * sinfo makes slurmctld send all nodes, so it runs only if the partition has changed, and
 * every ten minutes. Another sinfo, once a minute, reads for all partitions how many
 * nodes are neither down nor drained.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/tools/tools_parts.h"

enum { SIZE_KEEP_MS = 600000, USABLE_KEEP_MS = 60000 };

static const struct question sizes, usable;

/* ---- usable nodes ---- */

static bool is_usable_current(const struct slurm_tools *t)
{
	return t->usable_ms && loop_now_ms(t->loop) - t->usable_ms < USABLE_KEEP_MS;
}

static void use_usable(const struct slurm_tools *t, struct slurm_partition_shown *p)
{
	p->usable_nodes = p->all_nodes == 0 ? 0 : SLURM_ABSENT;
	for (size_t i = 0; i < t->n_usable && p->all_nodes != 0; i++)
		if (str_eq(t->usable[i].partition, p->name))
			p->usable_nodes = t->usable[i].nodes;
}

/*
 * Each output has all partitions. A sinfo that fails runs again after the same time as
 * one that succeeds: the number is then unknown, and all other facts stay valid.
 */
static struct err read_usable(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct slurm_tools *t = c->tools;
	arena_free(&t->usable_of);
	t->n_usable = 0;
	if (!failed(why))
		t->usable = printed_usable(end->output, &t->usable_of, &t->n_usable);
	use_usable(t, c->partitions);
	return OK;
}

static void ask_usable(struct slurm_tools_call *c)
{
	if (is_usable_current(c->tools)) {
		use_usable(c->tools, c->partitions);
		return;
	}
	/* Set before, so that a slow sinfo does not run again soon */
	c->tools->usable_ms = loop_now_ms(c->tools->loop);
	c->question = &usable;
	c->goes_on = true;
}

/* ---- CPUs of the largest node ---- */

static struct tools_size *size_of(const struct slurm_tools *t, const char *partition)
{
	for (size_t i = 0; i < t->n_sizes; i++)
		if (str_eq(t->sizes[i].partition, partition))
			return &t->sizes[i];
	return NULL;
}

static struct tools_size *add_size(struct slurm_tools *t, const char *partition)
{
	t->sizes = own_realloc(t->sizes, (t->n_sizes + 1) * sizeof(*t->sizes));
	t->sizes[t->n_sizes] = (struct tools_size){ .partition = own_strdup(partition) };
	return &t->sizes[t->n_sizes++];
}

static bool is_current(const struct slurm_tools *t, const struct tools_size *s,
	const struct slurm_partition_shown *p)
{
	return s && s->nodes == p->all_nodes && s->cpus == p->all_cpus &&
		loop_now_ms(t->loop) - s->asked_ms < SIZE_KEEP_MS;
}

static void use_size(const struct tools_size *s, struct slurm_partition_shown *p)
{
	if (s->most > 0 && s->most < p->cpus_per_node)
		p->cpus_per_node = s->most;
}

/* A sinfo that reports no node runs again after the same time as any other. */
static struct err read_sizes(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct slurm_partition_shown *p = c->partitions;
	struct tools_size *s = size_of(c->tools, p->name);
	if (failed(why))
		return why;
	s = s ? s : add_size(c->tools, p->name);
	s->nodes = p->all_nodes;
	s->cpus = p->all_cpus;
	s->most = printed_most_cpus(end->output);
	s->asked_ms = loop_now_ms(c->tools->loop);
	use_size(s, p);
	ask_usable(c);
	return OK;
}

/* ---- output of scontrol ---- */

/* Stores the partitions. If one was requested by its name, sinfo may run next. */
static void take_partitions(struct slurm_tools_call *c, struct slurm_partition_shown *partitions,
	size_t n)
{
	c->partitions = partitions;
	c->told.partitions = partitions;
	c->told.n = n;
	bool all = n == 1 && c->values[THE_PARTITION] && partitions->all_nodes > 1 &&
		partitions->cpus_per_node == partitions->all_cpus;
	const struct tools_size *s = all ? size_of(c->tools, partitions->name) : NULL;
	if (all && !is_current(c->tools, s, partitions)) {
		c->question = &sizes;
		c->goes_on = true;
		return;
	}
	if (s)
		use_size(s, partitions);
	if (n == 1 && c->values[THE_PARTITION])
		ask_usable(c);
}

static struct err read_partitions(struct slurm_tools_call *c, struct err why,
	const struct process_end *end)
{
	struct slurm_partition_shown *partitions;
	size_t n;
	if (failed(why) && c->values[THE_PARTITION] && strstr(end->output, " not found"))
		why.kind = ERR_NOT_FOUND;
	if (failed(why))
		return why;
	struct err e = slurm_show_partitions(end->output, &c->a, &partitions, &n);
	if (!failed(e))
		take_partitions(c, partitions, n);
	return e;
}

/* ---- arguments of the programs ---- */

static const struct question partition = { TOOL_SCONTROL, false, 1, TOOLS_SMALL,
	{ { "--all" }, { "show" }, { "partition" }, { "--" }, { "", THE_PARTITION } },
	read_partitions };
static const struct question all_partitions = { TOOL_SCONTROL, false, 1, TOOLS_LARGE,
	{ { "show" }, { "partition" } }, read_partitions };
/* sinfo shows even a hidden partition by its name; "--all" with a name is an error. */
static const struct question sizes = { TOOL_SINFO, false, 1, TOOLS_SMALL,
	{ { "--noheader" }, { "--exact" }, { "--partition=", THE_PARTITION }, { "--format=%c" } },
	read_sizes };
static const struct question usable = { TOOL_SINFO, false, 1, TOOLS_LARGE,
	{ { "--noheader" }, { "--all" }, { "--format=%R|%F" } }, read_usable };

struct slurm_tools_call *slurm_tools_partitions(struct slurm_tools *t, const char *name,
	slurm_tools_done *done, void *ctx)
{
	const struct question *program = str_empty(name) ? &all_partitions : &partition;
	struct slurm_tools_call *c = tools_call_new(t, program, done, ctx);
	tools_set(c, THE_PARTITION, name);
	return tools_call_begin(c, OK);
}
