/*
 * Running jobs: the light list of states first, then one read for each running job that was not read before. A limit can be changed while a job
 * runs, so what was read is used for five minutes only.
 *
 * jobs/state names a job "12", a task of an array "15_1" and a part of a heterogeneous job "13+1". The number in front is the job's own id, but for
 * the tasks of an array in v0.0.40, where it is the id of the array ("14_1"). job/ID takes the number only ("14_1" gives every task of array 14),
 * and gives more than was asked for: all tasks of an array to the array's id, all parts to the first part. So a read takes what
 * belongs to its number and leaves the rest to the reads of their own.
 */
#include "slurm/parts.h"

#include <string.h>
#include <uthash.h>

#include "base/codec.h"
#include "base/own.h"

enum { READS = 16, FRESH_MS = 5 * 60 * 1000 };

struct job_fact {
	int64_t id, end_s;
	char *nodes;
};

/* What a read of job/ID said. */
struct job_entry {
	int64_t id;
	uint64_t round;  /* the newest list of states that had it */
	uint64_t names;  /* sum of the hashes of the names it runs under: tells that another task of an array has started */
	uint64_t names_read;
	int64_t read_ms; /* asked for then (monotonic); -1: never */
	struct job_fact *facts;
	size_t n;
	UT_hash_handle hh;
};

struct jobs;

struct job_read {
	struct jobs *jobs;
	struct job_entry *entry;
	struct http_call *call; /* NULL: free */
};

struct jobs {
	struct slurm_op op; /* first */
	void (*each)(void *ctx, const struct slurm_job *j);
	slurm_jobs_done *done;
	void *ctx;
	int64_t asked_ms;
	struct job_entry *next; /* not looked at yet */
	struct job_read reads[READS];
	size_t n_reads;
};

/* ---- what is remembered ---- */

static void drop_facts(struct job_entry *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->facts[i].nodes);
	free(TAKE(e->facts));
	e->n = 0;
}

static void drop_entries(struct slurm *s, uint64_t but_round)
{
	struct job_entry *e, *next;
	HASH_ITER (hh, s->jobs, e, next) {
		if (e->round == but_round)
			continue;
		HASH_DEL(s->jobs, e);
		drop_facts(e);
		free(e);
	}
}

void jobs_free(struct slurm *s) { drop_entries(s, UINT64_MAX); }

void jobs_forget(struct slurm *s)
{
	for (struct job_entry *e = s->jobs; e; e = e->hh.next)
		e->read_ms = -1;
}

static struct job_entry *entry_of(struct slurm *s, int64_t id)
{
	struct job_entry *e;
	HASH_FIND(hh, s->jobs, &id, sizeof(id), e);
	if (!e) {
		e = own_alloc(sizeof(*e));
		e->id = id;
		e->read_ms = -1;
		HASH_ADD(hh, s->jobs, id, sizeof(e->id), e);
	}
	return e;
}

/* ---- the end ---- */

static void jobs_stop(struct slurm_op *op)
{
	struct jobs *j = (struct jobs *)op;
	for (size_t i = 0; i < READS; i++)
		http_cancel(op->slurm->http, TAKE(j->reads[i].call));
	j->n_reads = 0;
}

static void jobs_release(struct slurm_op *op) { free(op); }

static void finish(struct jobs *j, struct err err)
{
	struct jobs copy = *j;
	jobs_stop(&j->op);
	op_leave(&j->op);
	jobs_release(&j->op);
	copy.op.slurm->reading_jobs = false;
	copy.done(copy.ctx, failed(err) ? err_wrap(err, "reading the running jobs of Slurm") : OK, copy.asked_ms);
}

static void jobs_end(struct slurm_op *op, struct verdict v) { finish((struct jobs *)op, v.err); }

static void give_all(struct jobs *j)
{
	for (struct job_entry *e = j->op.slurm->jobs; e; e = e->hh.next)
		for (size_t i = 0; i < e->n; i++) {
			struct slurm_job job = { .id = e->facts[i].id, .nodes = e->facts[i].nodes, .end_s = e->facts[i].end_s };
			j->each(j->ctx, &job);
		}
	finish(j, OK);
}

/* ---- one job ---- */

/* When it must end; never, where that is not known. */
static int64_t end_of(const struct json *job)
{
	/* NO_VAL and INFINITE as plain numbers */
	const int64_t special = UINT32_MAX - 1;
	int64_t start_s = answer_number(json_get(job, "start_time"));
	int64_t limit_min = answer_number(json_get(job, "time_limit"));
	if (start_s <= 0 || start_s > (int64_t)UINT32_MAX * 1000 || limit_min < 0 || limit_min >= special)
		return INT64_MAX;
	return start_s + limit_min * 60;
}

static void add_fact(struct job_entry *e, const struct json *job, bool array_ids)
{
	int64_t id = json_i64(json_get(job, "job_id"), -1);
	const char *nodes = json_str(json_get(job, "nodes"), "");
	bool ours = id == e->id || (array_ids && answer_number(json_get(job, "array_job_id")) == e->id);
	if (!ours || str_empty(nodes) || !answer_has_word(json_get(job, "job_state"), "RUNNING"))
		return;
	e->facts = own_realloc(e->facts, (e->n + 1) * sizeof(*e->facts));
	e->facts[e->n++] = (struct job_fact){ .id = id, .end_s = end_of(job), .nodes = own_strdup(nodes) };
}

static struct err use_job(struct job_entry *e, const struct json *root, bool array_ids)
{
	const struct json *list;
	struct err err = answer_list(root, "jobs", &list);
	if (failed(err))
		return err;
	for (struct json_iter it = json_iter(list); json_next(&it);)
		add_fact(e, it.value, array_ids);
	return OK;
}

static void read_more(struct jobs *j);

static void job_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct job_read *r = ctx;
	struct jobs *j = r->jobs;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(err, answer, false, &doc);
	r->call = NULL;
	j->n_reads--;
	if (v.other_version) {
		op_restart(&j->op, v);
		return;
	}
	/* A job that has ended meanwhile is unknown soon (2017). */
	bool gone = v.err.kind == ERR_NOT_FOUND;
	drop_facts(r->entry);
	if (!failed(v.err))
		v.err = use_job(r->entry, json_root(doc), j->op.version->array_ids);
	if (failed(v.err) && !gone) {
		r->entry->read_ms = -1;
		finish(j, err_wrap(v.err, "job %" PRId64, r->entry->id));
		return;
	}
	r->entry->read_ms = answer->asked_ms;
	r->entry->names_read = r->entry->names;
	read_more(j);
}

static bool is_fresh(const struct jobs *j, const struct job_entry *e)
{
	return e->read_ms >= 0 && e->names_read == e->names && loop_now_ms(j->op.slurm->loop) - e->read_ms < FRESH_MS;
}

static struct job_read *free_read(struct jobs *j)
{
	for (size_t i = 0; i < READS; i++)
		if (!j->reads[i].call)
			return &j->reads[i];
	return NULL;
}

static void send_read(struct jobs *j, struct job_read *r, struct job_entry *e)
{
	AUTO(str_free) struct str path = { 0 };
	struct slurm_request request = { .timeout_ms = SLURM_READ_MS, .max_answer_bytes = SLURM_LIST_BYTES };
	str_addf(&path, "/job/%" PRId64, e->id);
	request.path = str_text(&path);
	*r = (struct job_read){ .jobs = j, .entry = e };
	j->n_reads++;
	r->call = op_send(&j->op, &request, job_read, r);
}

/* Keeps the reads going; ends the operation when nothing is left. */
static void read_more(struct jobs *j)
{
	for (struct job_read *r; j->next && (r = free_read(j)); j->next = j->next->hh.next)
		if (!is_fresh(j, j->next))
			send_read(j, r, j->next);
	if (!j->next && !j->n_reads)
		give_all(j);
}

/* ---- the states ---- */

static struct err note_running(struct slurm *s, const struct json *job)
{
	char number[32];
	const struct json *name = json_get(job, "job_id");
	int64_t id = json_i64(name, -1);
	if (json_is_null(json_get(job, "state")))
		return err_new(ERR_INVALID, "a job without a state");
	if (!answer_has_word(json_get(job, "state"), "RUNNING"))
		return OK;
	if (json_is_str(name)) {
		size_t n = strspn(json_str(name, ""), "0123456789");
		memcpy(number, json_str(name, ""), n < sizeof(number) ? n : sizeof(number) - 1);
		number[n < sizeof(number) ? n : sizeof(number) - 1] = '\0';
		if (!str_to_i64(number, 1, UINT32_MAX, &id))
			id = -1;
	}
	if (id <= 0)
		return err_new(ERR_INVALID, "a running job with the id \"%.40s\", which is not a number", json_str(name, ""));
	struct job_entry *e = entry_of(s, id);
	if (e->round != s->jobs_round)
		e->names = 0;
	e->round = s->jobs_round;
	e->names += fnv1_32(FNV1_START, json_str(name, ""), strlen(json_str(name, "")));
	return OK;
}

static void states_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct jobs *j = ctx;
	struct slurm *s = j->op.slurm;
	const struct json *list;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(err, answer, false, &doc);
	j->op.call = NULL;
	if (v.other_version) {
		op_restart(&j->op, v);
		return;
	}
	if (!failed(v.err))
		v.err = answer_list(json_root(doc), "jobs", &list);
	s->jobs_round++;
	for (struct json_iter it = json_iter(failed(v.err) ? NULL : list); !failed(v.err) && json_next(&it);)
		v.err = note_running(s, it.value);
	if (failed(v.err)) {
		finish(j, v.err);
		return;
	}
	drop_entries(s, s->jobs_round);
	j->asked_ms = answer->asked_ms;
	j->next = s->jobs;
	read_more(j);
}

static void jobs_start(struct slurm_op *op)
{
	struct slurm_request r = { .path = "/jobs/state/", .timeout_ms = SLURM_LIST_MS, .max_answer_bytes = SLURM_LIST_BYTES };
	op->call = op_send(op, &r, states_read, op);
}

/* Another one is on its way: this one never was. */
static void refused_end(struct slurm_op *op, struct verdict v)
{
	struct jobs copy = *(struct jobs *)op;
	op_leave(op);
	jobs_release(op);
	copy.done(copy.ctx, v.err, 0);
}

void slurm_running_jobs(struct slurm *s, void (*each)(void *ctx, const struct slurm_job *j), slurm_jobs_done *done, void *ctx)
{
	static const struct op_kind kind = { .start = jobs_start, .end = jobs_end, .stop = jobs_stop, .release = jobs_release };
	static const struct op_kind refused = { .end = refused_end, .release = jobs_release };
	struct jobs *j = own_alloc(sizeof(*j));
	j->each = each;
	j->done = done;
	j->ctx = ctx;
	if (s->reading_jobs) {
		op_begin_failed(s, &j->op, &refused, err_new(ERR_RETRY, "the running jobs of Slurm are being read already; ask again when that has ended"));
		return;
	}
	s->reading_jobs = true;
	op_begin(s, &j->op, &kind);
}
