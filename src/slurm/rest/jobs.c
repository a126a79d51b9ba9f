/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the jobs that may hold nodes: first the short list of states, then job/ID for
 * each job without valid cached facts (job_memory.c).
 *
 * Nodes with a RUNNING job do not look idle. So RUNNING jobs are read last, and for a
 * limited time; the remaining jobs are read after the next lists. The very last are
 * cached jobs that may have been placed elsewhere since.
 *
 * A failed read leaves only the nodes of that job unknown. For example, the id of an
 * array returns all its tasks, and that response may always be too large. If READS reads
 * in a row get no answer from Slurm, the whole operation fails.
 */
#include "slurm/rest/parts.h"

#include "base/own.h"

enum {
	READS = 16,
	STATES_BYTES = 64 << 20, /* 50,000 jobs are 4 MB */
	RUNNING_MS = 2000,       /* for RUNNING jobs, after each list */
};

struct jobs;

struct job_read {
	struct jobs *jobs;
	struct job_entry *entry;
	struct http_call *call; /* NULL: free */
	struct answer_items items;
	struct job_told told;
};

struct jobs {
	struct slurm_op op; /* first */
	slurm_take_job *each;
	slurm_jobs_done *done;
	void *ctx;
	int64_t asked_ms;
	unsigned tokens;   /* slurm->tokens when the rights and states were requested */
	unsigned clusters; /* slurm->clusters when the states were read */
	bool anew;         /* the rights were checked again, because a job was missing */
	struct answer_items states;
	struct err fault;                        /* the first error in the list of states */
	struct job_entry *next;                  /* the next entry to check */
	enum { OTHERS, RUNNING, MOVED } looking; /* the jobs that are read now */
	int64_t states_ms;                       /* when the list of states arrived */
	struct job_read reads[READS];
	size_t n_reads;
	int unanswered;          /* reads without an answer, in a row */
	struct jobs_given given; /* used after the last read */
};

/* ---- the end ---- */

static void read_free(struct job_read *r)
{
	items_free(&r->items);
	job_told_free(&r->told);
}

static void jobs_stop(struct slurm_op *op)
{
	struct jobs *j = (struct jobs *)op;
	for (size_t i = 0; i < READS; i++) {
		http_cancel(op->slurm->http, TAKE(j->reads[i].call));
		read_free(&j->reads[i]);
	}
	items_free(&j->states);
	j->n_reads = 0;
}

/* The reads have been stopped before. */
static void jobs_release(struct slurm_op *op) { free(op); }

static void finish(struct jobs *j, struct err err)
{
	struct jobs copy = *j;
	jobs_stop(&j->op);
	op_leave(&j->op);
	jobs_release(&j->op);
	copy.op.slurm->reading_jobs = false;
	if (failed(err))
		copy.done(copy.ctx, err_wrap(err, "reading the jobs of Slurm"), 0);
	else
		copy.done(copy.ctx, OK, copy.asked_ms);
}

static void jobs_end(struct slurm_op *op, struct verdict v) { finish((struct jobs *)op, v.err); }

/* ---- one job ---- */

static void read_more(struct jobs *j);

/*
 * In another cluster the id may be another job. With another token, Slurm may hide a job
 * from the user and report that there is none.
 */
static struct err check_same(const struct jobs *j)
{
	if (j->clusters != j->op.slurm->clusters)
		return err_new(ERR_RETRY, "a different Slurm cluster answers now, \"%.80s\"",
			slurm_cluster_name(j->op.slurm));
	if (j->tokens != j->op.slurm->tokens)
		return err_new(ERR_RETRY, "the token has changed since the jobs were listed");
	return OK;
}

/* Whether Slurm itself fails, and not only this read. */
static bool is_the_end(struct jobs *j, const struct verdict *v)
{
	bool answers = v->health == SLURM_UP || v->health == SLURM_NOT_SLURM;
	j->unanswered = answers ? 0 : j->unanswered + 1;
	return v->health == SLURM_OTHER_CLUSTER || j->unanswered >= READS;
}

static void job_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct job_read *r = ctx;
	struct jobs *j = r->jobs;
	struct job_memory *m = &j->op.slurm->jobs;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge_list(j->op.slurm, err, answer, &r->items, &doc);
	struct err other = check_same(j);
	r->call = NULL;
	j->n_reads--;
	if (v.other_version) {
		op_restart(&j->op, v);
		return;
	}
	if (!failed(v.err) && !doc)
		v.err = answer_unasked_304();
	if (!failed(v.err) && !failed(other))
		v.err = job_answered(r->entry, &r->told, answer->asked_ms);
	if (failed(v.err))
		job_failed(m, r->entry, v.err, loop_now_ms(j->op.slurm->loop));
	read_free(r);
	if (is_the_end(j, &v))
		finish(j, err_wrap(v.err, "job %" PRId64, r->entry->id));
	else if (failed(other))
		finish(j, other);
	else
		read_more(j);
}

static struct job_read *free_read(struct jobs *j)
{
	for (size_t i = 0; i < READS; i++)
		if (!j->reads[i].call)
			return &j->reads[i];
	return NULL;
}

static bool job_came(void *ctx, const char *bytes, size_t n)
{
	struct job_read *r = ctx;
	return items_take(&r->items, bytes, n);
}

static void send_read(struct jobs *j, struct job_read *r, struct job_entry *e)
{
	AUTO(str_free) struct str path = { 0 };
	struct slurm_request request = {
		.timeout_ms = SLURM_READ_MS,
		.max_answer_bytes = SLURM_ERROR_BYTES,
		.on_body = job_came,
	};
	str_addf(&path, "/job/%" PRId64, e->id);
	request.path = str_text(&path);
	*r = (struct job_read){
		.jobs = j,
		.entry = e,
		.items = { .key = "jobs",
			.each = job_told_one,
			.ctx = &r->told,
			.spare = &j->op.slurm->jobs.spare },
		.told = { .memory = &j->op.slurm->jobs,
			.id = e->id,
			.array_ids = j->op.version->array_ids },
	};
	items_begin(&r->items, j->op.slurm, SLURM_JOBS_BYTES);
	j->n_reads++;
	r->call = op_send(&j->op, &request, job_read, r);
}

static bool is_due(const struct jobs *j, const struct job_entry *e, int64_t now_ms)
{
	bool runs = e->states == JOB_RUNNING;
	enum job_need need = job_need(&j->op.slurm->jobs, e, now_ms);
	switch (j->looking) {
	case OTHERS:
		return !runs && need != JOB_KNOWN;
	case RUNNING:
		return runs && need == JOB_UNKNOWN;
	case MOVED:
		return runs && need == JOB_MAY_HAVE_MOVED;
	}
	return false;
}

/* Sets next to the next job to read, or to NULL. */
static void find_next(struct jobs *j)
{
	int64_t now_ms = loop_now_ms(j->op.slurm->loop);
	for (;;) {
		while (j->next && !is_due(j, j->next, now_ms))
			j->next = j->next->hh.next;
		bool over = j->looking != OTHERS && now_ms - j->states_ms >= RUNNING_MS;
		if (over)
			j->next = NULL;
		if (j->next || over || j->looking == MOVED)
			return;
		j->looking++;
		j->next = j->op.slurm->jobs.entries;
	}
}

/* Passes some jobs on each turn of the loop. */
static void give(void *ctx)
{
	struct jobs *j = ctx;
	struct err other = check_same(j);
	j->op.timer = NULL;
	if (!failed(other))
		jobs_give(&j->given, j->each, j->ctx);
	if (failed(other) || !j->given.entry)
		finish(j, other);
	else
		j->op.timer = timer_start(j->op.slurm->loop, 0, give, j);
}

/* Starts further reads; passes the jobs to the caller after the last read. */
static void read_more(struct jobs *j)
{
	for (find_next(j); j->next && free_read(j); find_next(j)) {
		send_read(j, free_read(j), j->next);
		j->next = j->next->hh.next;
	}
	if (j->next || j->n_reads)
		return;
	j->given = (struct jobs_given){ .entry = j->op.slurm->jobs.entries };
	give(j);
}

/* ---- the states ---- */

static void note_state(void *ctx, const struct json *job)
{
	struct jobs *j = ctx;
	if (!failed(j->fault))
		j->fault = jobs_list_add(&j->op.slurm->jobs, job);
}

static bool states_came(void *ctx, const char *bytes, size_t n)
{
	struct jobs *j = ctx;
	bool too_much = is_too_much(j->fault);
	return items_take(&j->states, bytes, n) && !too_much;
}

static void states_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct jobs *j = ctx;
	struct slurm *s = j->op.slurm;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge_list(s, err, answer, &j->states, &doc);
	j->op.call = NULL;
	items_free(&j->states);
	if (v.other_version) {
		op_restart(&j->op, v);
		return;
	}
	if (!failed(v.err) && !doc)
		v.err = answer_unasked_304();
	if (is_too_much(j->fault) || (failed(j->fault) && !failed(v.err)))
		v.err = j->fault;
	if (is_too_much(j->fault) || is_too_much(j->states.err))
		jobs_free(&s->jobs); /* entries of ended jobs may use the quota */
	if (failed(v.err)) {
		finish(j, v.err);
		return;
	}
	if (jobs_list_end(&s->jobs, loop_now_ms(s->loop)) && !j->anew) {
		j->anew = true;
		s->may_change = false;
		op_start(&j->op);
		return;
	}
	j->asked_ms = answer->asked_ms;
	j->clusters = s->clusters;
	j->next = s->jobs.entries;
	j->looking = OTHERS;
	j->states_ms = loop_now_ms(s->loop);
	j->unanswered = 0;
	read_more(j);
}

static void ask_states(struct jobs *j)
{
	struct slurm_request r = {
		.path = "/jobs/state/",
		.timeout_ms = SLURM_LIST_MS,
		.max_answer_bytes = SLURM_ERROR_BYTES,
		.on_body = states_came,
	};
	j->fault = OK;
	jobs_list_begin(&j->op.slurm->jobs, loop_now_ms(j->op.slurm->loop));
	j->states = (struct answer_items){
		.key = "jobs", .each = note_state, .ctx = j, .spare = &j->op.slurm->jobs.spare
	};
	items_begin(&j->states, j->op.slurm, STATES_BYTES);
	j->op.call = op_send(&j->op, &r, states_read, j);
}

static void rights_read(void *ctx, struct err err, const struct http_answer *answer)
{
	struct jobs *j = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(j->op.slurm, err, answer, true, &doc);
	j->op.call = NULL;
	if (v.other_version) {
		op_restart(&j->op, v);
		return;
	}
	if (!failed(v.err) && !json_is_arr(json_get(json_root(doc), "errors")))
		v.err = answer_vague();
	if (j->tokens != j->op.slurm->tokens) { /* the response is about the old token */
		op_start(&j->op);
		return;
	}
	err = rights_told(j->op.slurm, &v);
	if (failed(err))
		finish(j, err);
	else
		ask_states(j);
}

static void jobs_start(struct slurm_op *op)
{
	struct jobs *j = (struct jobs *)op;
	j->tokens = op->slurm->tokens;
	if (op->slurm->may_change)
		ask_states(j);
	else
		op->call = rights_ask(op, rights_read, j);
}

/* Refuses a second read while one is in progress. */
static void refused_end(struct slurm_op *op, struct verdict v)
{
	struct jobs copy = *(struct jobs *)op;
	op_leave(op);
	jobs_release(op);
	copy.done(copy.ctx, v.err, 0);
}

void slurm_held_jobs(struct slurm *s, slurm_take_job *each, slurm_jobs_done *done, void *ctx)
{
	static const struct op_kind kind = {
		.start = jobs_start,
		.end = jobs_end,
		.stop = jobs_stop,
		.release = jobs_release,
	};
	static const struct op_kind refused = { .end = refused_end, .release = jobs_release };
	struct jobs *j = own_alloc(sizeof(*j));
	j->each = each;
	j->done = done;
	j->ctx = ctx;
	if (s->reading_jobs) {
		op_begin_failed(s, &j->op, &refused,
			err_new(ERR_RETRY,
				"another read of Slurm's jobs is in progress; retry after its end"));
		return;
	}
	s->reading_jobs = true;
	op_begin(s, &j->op, &kind);
}
