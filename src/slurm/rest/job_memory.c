/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of jobs: the ids of the newest list of states, and the response to job/ID for
 * each. A cached response expires, because the time limit of a running job can change. A
 * job whose state is not just RUNNING (suspended, completing and so on) is read after
 * each list: its nodes do not show the job, and it may have moved.
 *
 * jobs/state names a job "12", a task of an array "15_1" and a component of a
 * heterogeneous job "13+1". The leading number is the job's own id, except for tasks of
 * an array in v0.0.40, where it is the id of the array ("14_1"). job/ID accepts only the
 * number ("14_1" returns every task of array 14), and may return other jobs as well: all
 * tasks for the id of an array, all components for the first component. So a read uses
 * the jobs of its number, and ignores the others, which have reads of their own.
 */
#include "slurm/rest/parts.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"

enum {
	RUNNING_MS = 5 * 60 * 1000,
	/*
	 * If two lists are further apart, a job may have been requeued and placed
	 * elsewhere between them: Slurm delays a requeued job by cred_expire, at least 5
	 * s. A running job shows in the state of its nodes, except while it is suspended
	 */
	APART_MS = 5 * 1000,
	FAILED_MS = 5 * 60 * 1000,
	PASSING_MS = 2000, /* after temporary failures */
	/* Far more jobs than Slurm can have; a longer list is an error. */
	MAX_JOBS = 250000,
	MAX_FACTS = 2048, /* of one response: v0.0.40 returns all tasks of an array */
	ALLOC_BYTES = 32, /* approximate overhead of the allocator */
	/*
	 * Names of host lists that one turn of the loop passes: 1.5 ms. Each job counts
	 * as JOB_NAMES names. A long text that is not a host list counts as one name for
	 * each NAME_BYTES
	 */
	TURN_NAMES = 32768,
	JOB_NAMES = 8,
	NAME_BYTES = 8,
	USER_BYTES = 64, /* of a user name, which each node of the job keeps */
};

/* ---- memory ---- */

static size_t bytes_of(const char *nodes, const char *user)
{
	return sizeof(struct told_job) + 2 * ALLOC_BYTES + strlen(nodes ? nodes : "") +
		strlen(user);
}

static void free_facts(struct job_memory *m, struct told_job *facts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		quota_give(m->quota, bytes_of(facts[i].nodes, facts[i].user));
		free(facts[i].nodes);
		free(facts[i].user);
	}
	free(facts);
}

static void drop_facts(struct job_memory *m, struct job_entry *e)
{
	free_facts(m, TAKE(e->facts), e->n);
	e->n = 0;
}

void job_told_free(struct job_told *t)
{
	free_facts(t->memory, TAKE(t->facts), t->n);
	t->n = 0;
}

enum { ENTRY_BYTES = sizeof(struct job_entry) + ALLOC_BYTES };

static void drop_entries(struct job_memory *m, uint64_t but_round)
{
	struct job_entry *e, *next;
	HASH_ITER (hh, m->entries, e, next) {
		if (e->round == but_round)
			continue;
		HASH_DEL(m->entries, e);
		drop_facts(m, e);
		free(e);
		m->n--;
		quota_give(m->quota, ENTRY_BYTES);
	}
}

void jobs_free(struct job_memory *m) { drop_entries(m, UINT64_MAX); }

/* ---- the list of states ---- */

void jobs_list_begin(struct job_memory *m, int64_t now_ms)
{
	m->round++;
	m->asked_ms = now_ms;
}

/* Whether a job is missing that held nodes. Slurm lists an ended job for MinJobAge. */
static bool any_missing(const struct job_memory *m)
{
	for (const struct job_entry *e = m->entries; e; e = e->hh.next)
		if (e->round != m->round && e->over != m->round)
			return true;
	return false;
}

bool jobs_list_end(struct job_memory *m, int64_t now_ms)
{
	bool missing = any_missing(m);
	drop_entries(m, m->round);
	if (now_ms - m->listed_ms >= APART_MS)
		m->unbroken = m->round;
	m->listed_ms = m->asked_ms;
	return missing;
}

static void note_over(struct job_memory *m, int64_t id)
{
	struct job_entry *e;
	HASH_FIND(hh, m->entries, &id, sizeof(id), e);
	if (e)
		e->over = m->round;
}

static struct err entry_of(struct job_memory *m, int64_t id, struct job_entry **out)
{
	struct job_entry *e;
	HASH_FIND(hh, m->entries, &id, sizeof(id), e);
	*out = e;
	if (e)
		return OK;
	struct err err = m->n < MAX_JOBS
		? quota_take_leaving(m->quota, ENTRY_BYTES, m->spare)
		: err_new(ERR_TOO_LARGE, "more than %d jobs hold nodes", MAX_JOBS);
	if (failed(err))
		return err;
	*out = e = own_alloc(sizeof(*e));
	e->id = id;
	e->read_ms = -1;
	HASH_ADD(hh, m->entries, id, sizeof(e->id), e);
	m->n++;
	return OK;
}

/* The leading number of a name. */
static bool number_of(const struct json *name, int64_t *id)
{
	char digits[16];
	const char *text = json_str(name, "");
	size_t n = strspn(text, "0123456789");
	*id = json_i64(name, -1);
	if (!json_is_str(name))
		return *id > 0;
	if (n >= sizeof(digits))
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	return str_to_i64(digits, 1, UINT32_MAX, id);
}

static void note(struct job_memory *m, struct job_entry *e, const char *name, uint32_t states)
{
	if (e->round != m->round) {
		e->names = e->named = 0;
		e->states = 0;
	}
	e->round = m->round;
	e->named++;
	e->states |= states;
	e->names += fnv1_32(fnv1_32(FNV1_START, name, strlen(name)), &states, sizeof(states));
}

struct err jobs_list_add(struct job_memory *m, const struct json *job)
{
	int64_t id;
	const struct json *name = json_get(job, "job_id"), *state = json_get(job, "state");
	uint32_t states = answer_bits(state, job_state_bit);
	if (!json_is_arr(state) && !json_is_str(state))
		return err_new(ERR_INVALID, "a job without a state");
	bool has_id = number_of(name, &id);
	if (!job_state_holds(states)) {
		if (has_id)
			note_over(m, id);
		return OK;
	}
	if (!has_id)
		return err_new(ERR_INVALID, "a job with the id \"%.40s\", which is not a number",
			json_str(name, ""));
	struct job_entry *e;
	struct err err = entry_of(m, id, &e);
	if (!failed(err))
		note(m, e, json_str(name, ""), states);
	return err;
}

static bool has_failed(const struct job_entry *e)
{
	return e->last == READ_FAILED || e->last == READ_FAILED_NOW;
}

/* Whether the newest read matches the jobs in the list. */
static bool fits(const struct job_entry *e)
{
	if (e->read_ms < 0 || e->last != READ_WELL || e->names != e->names_read)
		return false;
	/* if fewer were read, some had ended then, and have started again since */
	return e->n >= e->named;
}

enum job_need job_need(const struct job_memory *m, const struct job_entry *e, int64_t now_ms)
{
	int64_t age = now_ms - e->read_ms;
	if (e->read_ms >= 0 && has_failed(e))
		return age < (e->last == READ_FAILED ? FAILED_MS : PASSING_MS) ? JOB_KNOWN
									       : JOB_UNKNOWN;
	if (!fits(e) || e->states != JOB_RUNNING || age >= RUNNING_MS)
		return JOB_UNKNOWN;
	return age < APART_MS || e->told >= m->unbroken ? JOB_KNOWN : JOB_MAY_HAVE_MOVED;
}

/* ---- one job ---- */

/*
 * The latest end of the job; INT64_MAX if unknown. The time limit does not run while a
 * job is suspended: Slurm then moves the end by the time of the suspension (seen with
 * 24.11.5).
 */
static int64_t end_of(const struct json *job, uint32_t state)
{
	/* NO_VAL and INFINITE as plain numbers */
	const int64_t special = UINT32_MAX - 1, latest_s = (int64_t)UINT32_MAX * 1000;
	int64_t start_s = answer_number(json_get(job, "start_time"));
	int64_t limit_min = answer_number(json_get(job, "time_limit"));
	int64_t told_s = answer_number(json_get(job, "end_time"));
	bool stands = state & (JOB_SUSPENDED | JOB_STOPPED); /* its time limit does not run */
	if (stands || start_s <= 0 || start_s > latest_s || limit_min < 0 || limit_min >= special ||
		told_s > latest_s)
		return INT64_MAX;
	int64_t end_s = start_s + limit_min * 60;
	return told_s > end_s ? told_s : end_s;
}

static bool has_fact(const struct job_told *t, int64_t id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->facts[i].id == id)
			return true;
	return false;
}

static struct err add_fact(struct job_told *t, int64_t id, const struct json *job)
{
	AUTO(str_free) struct str user = { 0 };
	const struct job_memory *m = t->memory;
	const char *nodes = json_str(json_get(job, "nodes"), NULL);
	uint32_t state = answer_bits(json_get(job, "job_state"), job_state_bit);
	if (!job_state_holds(state) || has_fact(t, id))
		return OK;
	str_add_foreign(&user, json_str(json_get(job, "user_name"), ""), USER_BYTES);
	struct err err = t->n < MAX_FACTS
		? quota_take_leaving(m->quota, bytes_of(nodes, str_text(&user)), m->spare)
		: err_new(ERR_TOO_LARGE, "one response has too many jobs");
	if (failed(err))
		return err;
	t->facts = own_realloc(t->facts, (t->n + 1) * sizeof(*t->facts));
	t->facts[t->n++] = (struct told_job){
		.id = id,
		.state = state,
		.end_s = end_of(job, state),
		.nodes = own_strdup(nodes),
		.user = str_take(&user),
	};
	return OK;
}

void job_told_one(void *told, const struct json *job)
{
	struct job_told *t = told;
	int64_t id = json_i64(json_get(job, "job_id"), -1);
	int64_t array = answer_number(json_get(job, "array_job_id"));
	if (failed(t->err) || (id != t->id && !(t->array_ids && array == t->id)))
		return;
	t->found = true;
	t->err = add_fact(t, id, job);
}

struct err job_answered(struct job_entry *e, struct job_told *t, int64_t asked_ms)
{
	drop_facts(t->memory, e);
	if (!failed(t->err) && !t->found)
		return err_new(ERR_INVALID, "the answer is about other jobs");
	if (failed(t->err))
		return t->err;
	e->facts = TAKE(t->facts);
	e->n = t->n;
	t->n = 0;
	e->read_ms = asked_ms;
	e->told = t->memory->round;
	e->names_read = e->names;
	e->last = READ_WELL;
	e->gone = false;
	return OK;
}

void job_failed(struct job_memory *m, struct job_entry *e, struct err err, int64_t now_ms)
{
	bool lasts = err.kind == ERR_TOO_LARGE;
	drop_facts(m, e);
	e->read_ms = now_ms;
	e->told = m->round;
	e->last = lasts ? READ_FAILED : READ_FAILED_NOW;
	if (err.kind == ERR_NOT_FOUND && !e->gone) {
		e->last = READ_GONE;
		e->gone = true;
	}
}

/* The cached response still holds, or was read after the newest list of states. */
static bool is_known(const struct job_entry *e)
{
	return fits(e) || (e->told == e->round && !has_failed(e));
}

static size_t give_unknown(const struct job_entry *e, slurm_take_job *each, void *ctx)
{
	bool passing = e->read_ms >= 0 && e->last == READ_FAILED_NOW;
	return each(ctx, &(struct slurm_job){ e->id, e->states, NULL, "", INT64_MAX, passing });
}

static size_t give_fact(const struct told_job *f, slurm_take_job *each, void *ctx)
{
	size_t names = each(ctx,
		&(struct slurm_job){ f->id, f->state, f->nodes, f->user, f->end_s, false });
	size_t looked_at = f->nodes ? strlen(f->nodes) / NAME_BYTES : 0;
	return names > looked_at ? names : looked_at;
}

void jobs_give(struct jobs_given *at, slurm_take_job *each, void *ctx)
{
	for (size_t names = 0; at->entry && names < TURN_NAMES; names += JOB_NAMES) {
		const struct job_entry *e = at->entry;
		if (!is_known(e))
			names += give_unknown(e, each, ctx);
		else if (at->fact < e->n)
			names += give_fact(&e->facts[at->fact++], each, ctx);
		if (is_known(e) && at->fact < e->n)
			continue;
		at->entry = e->hh.next;
		at->fact = 0;
	}
}
