/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of red-box for one pod, and what its answers mean. */
#include <assert.h>
#include <string.h>

#include "api/job.h"
#include "base/log.h"
#include "base/own.h"
#include "daemons/vnode/parts.h"

const struct red_box_calls red_box_calls = {
	.submit = wlm_submit,
	.submit_container = wlm_submit_container,
	.cancel = wlm_cancel,
	.close = wlm_close,
	.job_info = wlm_job_info,
	.resources = wlm_resources,
	.partitions = wlm_partitions,
	.workload = wlm_workload,
	.call_cancel = wlm_call_cancel,
};

typedef void answered_fn(void *ctx, struct err e, const struct wlm_answer *answer);

static struct wlm_caller caller(struct vpod *p, answered_fn *done)
{
	p->asked = p->box;
	box_is_used(p->asked);
	return (struct wlm_caller){
		.client = p->asked->client,
		.timeout_ms = RED_BOX_MS,
		.done = done,
		.ctx = p,
	};
}

static void came_back(struct vpod *p, struct err e)
{
	p->ask = NULL;
	box_said(p->asked, e);
}

static void note_job(struct vpod *p, enum vpod_job job)
{
	if (job != VJOB_ENDED)
		p->ended_ms = 0;
	else if (!p->ended_ms)
		p->ended_ms = loop_now_ms(p->part->box->all->loop);
	p->job = job;
	p->job_asked_ms = p->sent_ms;
}

/* The number that Slurm gave for its key, as far as anybody has told it; 0: none. */
static int64_t known_id(const struct vpod *p)
{
	return p->job_id ? p->job_id : vpod_job_id(json_root(p->doc));
}

/* ---- submissions ---- */

/* The same call ends so whenever it comes. */
static bool is_refused(struct err e) { return e.kind == ERR_INVALID || e.kind == ERR_TOO_LARGE; }

/* What becomes of the job is asked next. */
static void take_id(struct vpod *p, int64_t job_id)
{
	int64_t before = known_id(p);
	p->missing = vmissing_numbered(p->missing, before == job_id);
	p->job_id = job_id;
	p->job = VJOB_UNKNOWN;
	p->job_asked_ms = 0;
	p->ended_ms = 0;
}

static void submitted(void *pod, struct err e, const struct wlm_answer *answer)
{
	struct vpod *p = pod;
	came_back(p, e);
	pod_drop_script(p);
	p->owner_asked_ms = 0; /* its wish is read again before the next submission */
	p->submitted_ms = loop_now_ms(p->part->box->all->loop);
	if (!failed(e))
		take_id(p, answer->job_id);
	if (is_refused(e)) {
		free(p->refused);
		p->refused = own_strdup(e.text);
	}
	if (e.kind == ERR_EXISTS)
		note_job(p, VJOB_LOST);
	pod_done(p, is_refused(e) || e.kind == ERR_EXISTS ? OK : e);
}

static struct wlm_call *submit_image(struct vpod *p, const struct wlm_caller *by,
	const struct job *j)
{
	const struct json *spec = json_get(j->object, "spec"), *o = json_get(spec, "options");
	const struct json *resources = json_get(spec, "resources");
	const char *binds[BINDS_MOST];
	size_t n = 0;
	struct json_iter it = json_iter(json_get(o, "binds"));
	while (json_next(&it) && n < BINDS_MOST)
		binds[n++] = json_str(it.value, "");
	struct wlm_container_ask ask = {
		.image = j->image,
		.partition = p->part->name,
		.client_id = p->key,
		.job_id = known_id(p),
		.nodes = json_i64(json_get(resources, "nodes"), 0),
		.cpu_per_node = json_i64(json_get(resources, "cpuPerNode"), 0),
		.mem_per_node_mb = json_i64(json_get(resources, "memPerNode"), 0),
		.wall_time_s = json_i64(json_get(resources, "wallTime"), 0),
		.app = json_str(json_get(o, "app"), ""),
		.host_name = json_str(json_get(o, "hostName"), ""),
		.binds = binds,
		.n_binds = n,
		.allow_unsigned = json_bool(json_get(o, "allowUnsigned"), false),
		.clear_env = json_bool(json_get(o, "cleanEnv"), false),
		.fake_root = json_bool(json_get(o, "fakeRoot"), false),
		.ipc = json_bool(json_get(o, "ipc"), false),
		.pid = json_bool(json_get(o, "pid"), false),
		.no_privs = json_bool(json_get(o, "noPrivs"), false),
		.writable = json_bool(json_get(o, "writable"), false),
	};
	return p->part->box->all->calls->submit_container(by, &ask);
}

void pod_submit(struct vpod *p)
{
	struct job j;
	assert(p->owner_doc && p->begun); /* decide_vpod: has_script, begun */
	job_read(p->owner_resource, json_root(p->owner_doc), &j);
	struct wlm_caller by = caller(p, submitted);
	p->submitted_ms = p->sent_ms;
	p->ask = job_has_script(p->owner_resource)
		? p->part->box->all->calls->submit(&by, j.batch, p->part->name, p->key, known_id(p))
		: submit_image(p, &by, &j);
}

/* ---- the job ---- */

static struct vjob record(struct arena *a, const struct wlm_job *j)
{
	static const char *const words[] = {
		[WLM_COMPLETED] = "COMPLETED",
		[WLM_CANCELLED] = "CANCELLED",
		[WLM_FAILED] = "FAILED",
		[WLM_TIMEOUT] = "TIMEOUT",
		[WLM_PENDING] = "PENDING",
		[WLM_RUNNING_OR_UNKNOWN] = "RUNNING",
	};
	return (struct vjob){
		.id = j->id,
		.state = arena_strdup(a, *j->state ? j->state : words[j->status]),
		.reason = arena_strdup(a, j->reason),
		.array_id = arena_strdup(a, j->array_id),
		.exit_code = arena_strdup(a, j->exit_code),
		.nodes = arena_strdup(a, j->nodes),
		.restarts = arena_strdup(a, j->restarts ? j->restarts : ""),
		.submit_s = j->submit_s,
		.start_s = j->start_s,
		.end_s = j->end_s,
		.run_s = j->run_s,
	};
}

static void keep_text(char **to, const char *text)
{
	if (!*text)
		return;
	free(*to);
	*to = own_strdup(text);
}

static void keep_records(struct vpod *p, const struct wlm_answer *answer)
{
	arena_free(&p->records_of);
	p->records = arena_array(&p->records_of, struct vjob, answer->n_jobs);
	p->n_records = answer->n_jobs;
	for (size_t i = 0; i < answer->n_jobs; i++)
		p->records[i] = record(&p->records_of, &answer->jobs[i]);
	keep_text(&p->std_out, answer->jobs[0].std_out);
	keep_text(&p->std_err, answer->jobs[0].std_err);
	p->failures = 0;
	p->missing = (struct vmissing){ 0 };
	note_job(p, vjobs_ended(p->records, p->n_records) ? VJOB_ENDED : VJOB_LIVE);
}

/* Slurm had it and has it no more: that is a failure, so it is not asked without end. */
static struct err none(struct vpod *p, struct err e)
{
	bool had = known_id(p) != 0;
	note_job(p, VJOB_NONE);
	p->missing = vmissing_unknown(p->missing, had, p->sent_ms, p->submitted_ms);
	return had ? e : OK;
}

static void informed(void *pod, struct err e, const struct wlm_answer *answer)
{
	struct vpod *p = pod;
	came_back(p, e);
	if (!failed(e) && (!answer->n_jobs || !str_eq(answer->jobs[0].client_id, p->key)))
		e = err_new(ERR_RETRY, "red-box tells of another job than was asked for");
	if (!failed(e))
		keep_records(p, answer);
	else if (e.kind == ERR_NOT_FOUND)
		e = none(p, e);
	else if (e.kind == ERR_EXISTS) {
		note_job(p, VJOB_LOST);
		e = OK;
	}
	pod_done(p, e);
}

/*
 * By the key. The number may be that of an earlier submission, or of another job: it
 * counts where red-box knows nothing of the key any more.
 */
void pod_ask_job(struct vpod *p)
{
	struct wlm_caller by = caller(p, informed);
	p->ask = p->part->box->all->calls->job_info(&by, known_id(p), p->key);
}

static void cancelled(void *pod, struct err e, const struct wlm_answer *answer)
{
	struct vpod *p = pod;
	(void)answer;
	came_back(p, e);
	if (!failed(e))
		p->cancelled_ms = loop_now_ms(p->part->box->all->loop);
	if (e.kind == ERR_NOT_FOUND)
		note_job(p, VJOB_NONE);
	if (e.kind == ERR_EXISTS)
		note_job(p, VJOB_LOST);
	pod_done(p, e.kind == ERR_NOT_FOUND || e.kind == ERR_EXISTS ? OK : e);
}

void pod_cancel(struct vpod *p)
{
	struct wlm_caller by = caller(p, cancelled);
	p->ask = p->part->box->all->calls->cancel(&by, known_id(p), p->key);
}

/* One that has no such call is asked by nobody to wait for it: it is as it was before. */
static struct err older(struct vpod *p)
{
	struct box *b = p->asked;
	if (!b->closes_nothing)
		log_warn("red-box is an older one that closes no submission: one that comes late "
			 "may become a job after its pod has gone",
			"cluster", b->cluster, "account", b->account);
	b->closes_nothing = true;
	return OK;
}

static void closed(void *pod, struct err e, const struct wlm_answer *answer)
{
	struct vpod *p = pod;
	(void)answer;
	came_back(p, e);
	if (failed(e) && e.code == GRPC_UNIMPLEMENTED)
		e = older(p);
	if (!failed(e))
		p->closed_ms = loop_now_ms(p->part->box->all->loop);
	pod_done(p, e);
}

void pod_close(struct vpod *p)
{
	struct wlm_caller by = caller(p, closed);
	p->ask = p->part->box->all->calls->close(&by, p->key);
}
