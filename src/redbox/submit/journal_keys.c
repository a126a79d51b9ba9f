/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the journal in memory, with the state that results from its lines. */
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "redbox/submit/journal_parts.h"

struct journal_key *journal_key_of(const struct journal *j, const char *name)
{
	struct journal_key *k;
	HASH_FIND_STR(j->keys, name, k);
	return k;
}

void journal_key_forget(struct journal *j, struct journal_key *k)
{
	if (!k)
		return;
	HASH_DEL(j->keys, k);
	assert(k->entry.noted != SUBMISSION_ACCEPTED || j->unsettled);
	j->unsettled -= k->entry.noted == SUBMISSION_ACCEPTED;
	free(k);
}

/* ---- steps ---- */

static enum submission_noted noted_by(const struct journal_line *line)
{
	switch (line->step) {
	case JOURNAL_DONE:
	case JOURNAL_KEPT:
		return SUBMISSION_DONE;
	case JOURNAL_ACCEPTED:
	case JOURNAL_FOUND:
		return SUBMISSION_ACCEPTED;
	case JOURNAL_REFUSED:
		return line->job_id ? SUBMISSION_VOID : SUBMISSION_ABSENT;
	default:
		return SUBMISSION_BEGUN;
	}
}

/*
 * JOURNAL_ACCEPTED and JOURNAL_DONE are about the job that the key already had, so its
 * earliest time stays.
 */
static int64_t since_after(const struct journal_entry *old, const struct journal_line *line)
{
	bool goes_on = line->step == JOURNAL_ACCEPTED || line->step == JOURNAL_DONE;
	if (line->step == JOURNAL_FOUND || line->step == JOURNAL_KEPT)
		return line->since_s;
	return goes_on && old->noted != SUBMISSION_ABSENT && old->since_s < line->wall_s
		? old->since_s
		: line->wall_s;
}

/*
 * A key that has had a job keeps its content, even if a later submission of the job
 * fails.
 */
static int64_t content_after(const struct journal_entry *old, const struct journal_line *line)
{
	bool anew = line->step == JOURNAL_BEGIN || (line->step == JOURNAL_REFUSED && !line->job_id);
	return anew ? 0 : old->content;
}

/* The state of the key after the step of this line. */
static struct journal_entry entry_after(const struct journal *j, const struct journal_entry *old,
	const struct journal_line *line)
{
	struct journal_entry e = {
		.noted = noted_by(line),
		.job_id = line->job_id,
		.boot_s = line->boot_s,
		.wall_s = line->wall_s,
		.since_s = since_after(old, line),
		.closed_s = old->closed_s,
		.content = content_after(old, line),
		.quiet_since_ms = loop_now_ms(j->loop),
	};
	if (line->step == JOURNAL_STANDS) {
		e = *old;
		e.content = line->content;
	}
	if (line->step == JOURNAL_CLOSED) {
		e = *old;
		e.closed_s = line->wall_s;
		if (e.noted == SUBMISSION_ABSENT)
			e.quiet_since_ms = loop_now_ms(j->loop);
	}
	return e;
}

void journal_take(struct journal *j, const struct journal_line *line)
{
	struct journal_entry before = journal_find(j, line->key),
			     after = entry_after(j, &before, line);
	journal_key_forget(j, journal_key_of(j, line->key));
	if (line->wall_s > j->latest_s)
		j->latest_s = line->wall_s;
	if (after.noted == SUBMISSION_ABSENT && !after.closed_s)
		return;
	size_t n = strlen(line->key) + 1;
	struct journal_key *k = own_alloc(sizeof(*k) + n);
	memcpy(k->name, line->key, n);
	k->entry = after;
	HASH_ADD_STR(j->keys, name, k);
	j->unsettled += after.noted == SUBMISSION_ACCEPTED;
}

/* ---- lookups ---- */

struct journal_entry journal_find(const struct journal *j, const char *key)
{
	const struct journal_key *k = journal_key_of(j, key);
	return k ? k->entry : (struct journal_entry){ .noted = SUBMISSION_ABSENT };
}

bool journal_has_number(const struct journal *j, int64_t job_id, const char *but_of)
{
	for (const struct journal_key *k = j->keys; k; k = k->hh.next)
		if (k->entry.job_id == job_id && !str_eq(k->name, but_of))
			return true;
	return false;
}

int64_t journal_key_last_s(const struct journal_key *k)
{
	const struct journal_entry *e = &k->entry;
	return e->closed_s > e->wall_s ? e->closed_s : e->wall_s;
}

/* The true time is unknown. A time long ago is safe, because the rule trusts it less. */
void journal_key_take_back(struct journal_key *k, int64_t now_s)
{
	struct journal_entry *e = &k->entry;
	int64_t long_ago_s = now_s - JOURNAL_KEEP_S / 2;
	if (e->wall_s > now_s) {
		e->since_s = e->since_s < long_ago_s ? e->since_s : long_ago_s;
		e->wall_s = e->noted == SUBMISSION_BEGUN ? long_ago_s : now_s;
	}
	if (e->closed_s > now_s)
		e->closed_s = now_s;
}

/* ---- its lines ---- */

static void add_line(struct str *text, const struct journal_key *k, struct journal_line line)
{
	memcpy(line.key, k->name, strlen(k->name) + 1);
	journal_line_add(text, &line);
}

void journal_key_add(struct str *text, const struct journal_key *k)
{
	/* The step for a job as old as the line, and the step for an older job */
	static const enum journal_step steps[][2] = {
		[SUBMISSION_BEGUN] = { JOURNAL_BEGIN, JOURNAL_BEGIN },
		[SUBMISSION_ACCEPTED] = { JOURNAL_ACCEPTED, JOURNAL_FOUND },
		[SUBMISSION_DONE] = { JOURNAL_DONE, JOURNAL_KEPT },
		[SUBMISSION_VOID] = { JOURNAL_REFUSED, JOURNAL_REFUSED },
	};
	const struct journal_entry *e = &k->entry;
	if (e->noted != SUBMISSION_ABSENT)
		add_line(text, k,
			(struct journal_line){
				.step = steps[e->noted][e->since_s != e->wall_s],
				.wall_s = e->wall_s,
				.job_id = e->job_id,
				.boot_s = e->boot_s,
				.since_s = e->since_s,
			});
	if (e->content)
		add_line(text, k,
			(struct journal_line){
				.step = JOURNAL_STANDS,
				.wall_s = e->wall_s,
				.content = e->content,
			});
	if (e->closed_s)
		add_line(text, k,
			(struct journal_line){ .step = JOURNAL_CLOSED, .wall_s = e->closed_s });
}
