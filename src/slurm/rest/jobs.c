/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs that may hold nodes: the light list of their states first, then one read of
 * job/ID for each of which nothing is known, or nothing that still stands (job_memory.c).
 *
 * Nodes do not look idle below a job that just runs. So such jobs are read last, and not
 * for long: the rest of them is read behind the next lists. The last ones are jobs that
 * are known, and may have been placed elsewhere since.
 *
 * One read that fails leaves that job's nodes unknown, and nothing else: an array's own
 * id gives all tasks that Slurm remembers, and may be too large for ever. When as many
 * fail as are read at a time, with none between them that Slurm answered, it is Slurm
 * that fails: that ends the whole.
 */
#include "slurm/rest/parts.h"

#include "base/own.h"

enum {
	READS = 16,
	STATES_BYTES = 64 << 20, /* 50,000 jobs are 4 MB */
	RUNNING_MS = 2000,       /* for jobs that just run, behind one list */
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
	unsigned tokens;   /* of slurm, when the rights, and the states, were asked for */
	unsigned clusters; /* the same, when the states were read */
	bool anew;         /* the rights are asked for anew, as a job was missing */
	struct answer_items states;
	struct err fault;                        /* the first of the list of states */
	struct job_entry *next;                  /* not looked at yet */
	enum { OTHERS, RUNNING, MOVED } looking; /* for which jobs */
	int64_t states_ms;                       /* the list of states came */
	struct job_read reads[READS];
	size_t n_reads;
	int unanswered;          /* reads in a row */
	struct jobs_given given; /* nothing is left to be read */
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

/* The kind of the operation has stopped it. */
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
 * The number may mean another job by now. And of a job that is hidden from the user of
 * another token, Slurm says that there is none.
 */
static struct err check_same(const struct jobs *j)
{
	if (j->clusters != j->op.slurm->clusters)
		return err_new(ERR_RETRY, "another Slurm cluster, \"%.80s\", answers than before",
			slurm_cluster_name(j->op.slurm));
	if (j->tokens != j->op.slurm->tokens)
		return err_new(ERR_RETRY, "the token has changed since they were listed");
	return OK;
}

/* Is it Slurm that fails, and not this one read? */
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

/* Makes next one that is to be read, or NULL. */
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

/* A few on each turn of the loop. */
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

/* Keeps the reads going; gives out what is known when nothing is left. */
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
		jobs_free(&s->jobs); /* ended ones may have the room */
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
	if (j->tokens != j->op.slurm->tokens) { /* it is about the one before */
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

/* A second read while one is under way: it is refused. */
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
				"the jobs of Slurm are being read already; ask again when that has ended"));
		return;
	}
	s->reading_jobs = true;
	op_begin(s, &j->op, &kind);
}
