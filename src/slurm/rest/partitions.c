/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the partitions that are UP. No decision relies on the count. So if the clock of
 * slurmctld was set back, a change may stay hidden until the next whole list.
 */
#include "slurm/rest/parts.h"

#include <string.h>

#include "base/own.h"

enum { FULL_MS = 30 * 60 * 1000 };

static void begin(void *ctx)
{
	((struct slurm *)ctx)->partitions.told = (struct slurm_partitions){ 0 };
}

/* Adds only complete names; replaces control characters in them. */
static void add_other(struct slurm_partitions *p, const char *name, const char *state)
{
	enum { MOST = 5 };
	struct str text AUTO(str_free) = { 0 };
	char *others = p->others;
	size_t n = strlen(others);
	if (p->named == MOST)
		return;
	str_add(&text, n ? ", " : "");
	str_add_foreign(&text, name, 64);
	str_add(&text, " (");
	str_add_foreign(&text, state, 16);
	str_add(&text, ")");
	if (n + text.len >= sizeof(p->others))
		return;
	memcpy(others + n, str_text(&text), text.len + 1);
	p->named++;
}

/* Leaves out a name that contains a separator. */
static void add_row(char *rows, size_t room, const char *name, const char *text)
{
	size_t n = strlen(rows), bytes = strlen(name) + strlen(text) + strlen("=;");
	if (bytes >= room - n || strpbrk(name, "=;,") || strpbrk(text, "=;"))
		return;
	char *at = str_put(rows + n, rows + room, name);
	at = str_put(at, rows + room, "=");
	at = str_put(at, rows + room, text);
	str_put(at, rows + room, ";");
}

/* "partition": {"state": ["UP"]}; a plain word is accepted as well. */
static void gather(void *ctx, const struct json *partition)
{
	struct slurm_partitions *p = &((struct slurm *)ctx)->partitions.told;
	const struct json *state = json_at(partition, "partition", "state");
	const char *word = json_str(json_is_arr(state) ? json_item(state, 0) : state, "");
	p->n++;
	const char *name = json_str(json_get(partition, "name"), ""),
		   *nodes = json_str(json_at(partition, "nodes", "configured"), NULL);
	add_row(p->sets, sizeof(p->sets), name, json_str(json_get(partition, "node_sets"), ""));
	if (nodes)
		add_row(p->nodes, sizeof(p->nodes), name, nodes);
	if (str_eq(word, "UP"))
		p->up++;
	else
		add_other(p, name, word);
}

/*
 * After a failure the next read has no condition, because the condition may be the cause.
 */
static void partitions_read(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	struct slurm *s = ctx;
	struct slurm_partitions told = s->partitions.told;
	struct err e = failed(err) ? err_wrap(err, "reading the partitions of Slurm") : OK;
	(void)asked_ms;
	told.takes_empty = s->version && s->version->takes_empty;
	if (failed(err))
		list_forget(&s->partitions.memory);
	s->partitions.done(s->partitions.ctx, e, changed ? &told : NULL);
}

void slurm_read_partitions(struct slurm *s, bool whole, slurm_partitions_done *done, void *ctx)
{
	/*
	 * A 404 of a proxy must not start a negotiation, which would make the next list
	 * of nodes a whole one. Reads of nodes detect a new version.
	 */
	static const struct slurm_list list = { .path = "/partitions/",
		.key = "partitions",
		.begin = begin,
		.each = gather,
		.max_bytes = SLURM_JOBS_BYTES,
		.timeout_ms = SLURM_READ_MS,
		.whole_ms = FULL_MS,
		.fails_alone = true };
	if (whole)
		list_forget(&s->partitions.memory);
	s->partitions.done = done;
	s->partitions.ctx = ctx;
	list_begin(s, &s->partitions.memory, &list, partitions_read, s);
}
