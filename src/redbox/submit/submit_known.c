/* SPDX-License-Identifier: Apache-2.0 */
/* Writes notes for keys whose job is known, when a call uses them. */
#include "base/log.h"
#include "redbox/submit/submit_parts.h"

/* The client gets the id even if the disk failed: Slurm has the job with its key. */
void submit_note(const char *key, struct err e)
{
	if (failed(e))
		log_error("cannot note the id of a job in the journal", "key", key, "why", e.text);
}

static void note_ended(struct submitter *s, const char *key, const struct journal_entry *known)
{
	const struct journal_job job = {
		.key = key,
		.job_id = known->job_id,
		.boot_s = SUBMISSION_ENDED,
		.since_s = known->since_s,
	};
	submit_note(key, journal_accepted(s->journal, &job, 1));
}

void submitter_ended(struct submitter *s, const char *key)
{
	struct journal_entry known = journal_find(s->journal, key);
	if (known.noted == SUBMISSION_ACCEPTED && known.boot_s != SUBMISSION_ENDED)
		note_ended(s, key, &known);
}

void submit_begin_week(struct submitter *s, const char *key, const struct journal_entry *known)
{
	bool again = loop_wall_ms(s->loop) / 1000 - known->wall_s >= JOURNAL_AGAIN_S;
	if (again && known->noted == SUBMISSION_DONE)
		submit_note(key, journal_done(s->journal, key, known->job_id));
	if (again && known->noted == SUBMISSION_ACCEPTED && known->boot_s == SUBMISSION_ENDED)
		note_ended(s, key, known);
}

struct journal_entry submitter_known(struct submitter *s, const char *key)
{
	struct journal_entry known = journal_find(s->journal, key);
	submit_begin_week(s, key, &known);
	return known;
}

/* slurmctld can lose only jobs younger than SUBMISSION_SAVED_MS. */
void submitter_saw(struct submitter *s, const char *key)
{
	struct journal_entry known = journal_find(s->journal, key);
	int64_t age_ms = loop_now_ms(s->loop) - known.quiet_since_ms;
	if (known.noted == SUBMISSION_ACCEPTED && age_ms >= SUBMISSION_SAVED_MS)
		submit_note(key, journal_done(s->journal, key, known.job_id));
}

bool submitter_is_displaced(const struct submitter *s, const char *key, int64_t job_id,
	const struct slurm_tools_told *shown)
{
	return key_query_is_displaced(s->journal, key, job_id, shown);
}
