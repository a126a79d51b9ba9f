/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of red-box for one pod. */
#include <assert.h>
#include <string.h>

#include "api/job.h"
#include "base/log.h"
#include "base/own.h"
#include "virtual_node/parts.h"

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
	assert(p->object.way == VWAY_NOTED); /* invariant 9 of plan/vnode/rule.h */
	p->asked = p->box;
	box_is_used(p->asked);
	++*pod_space_calls(p->space, p->asked);
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
	--*pod_space_calls(p->space, p->asked);
	box_said(p->asked, e);
}

/* ---- submissions ---- */

/* Has the owner read again before the next submission. */
static void submitted(void *pod, struct err e, const struct wlm_answer *answer)
{
	struct vpod *p = pod;
	came_back(p, e);
	owner_drop_script(p);
	owner_is_outdated(p);
	attempt_over(p, report_submitted(p, e, answer));
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
		.key = p->object.key,
		.job_id = report_number(p),
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
	assert(p->owner.script && p->object.begun); /* VPOD_SUBMIT in plan/vnode/rule.h */
	job_read(p->owner_resource, p->owner.script, &j);
	struct wlm_caller by = caller(p, submitted);
	report_submitting(p);
	p->ask = job_has_script(p->owner_resource)
		? p->part->box->all->calls->submit(&by, j.batch, p->part->name, p->object.key,
			  report_number(p))
		: submit_image(p, &by, &j);
}

/* ---- the job ---- */

static void informed(void *pod, struct err e, const struct wlm_answer *answer)
{
	struct vpod *p = pod;
	came_back(p, e);
	e = report_job(p, e, answer);
	bool has_job = p->report.job == VJOB_LIVE || p->report.job == VJOB_ENDED;
	if (!failed(e) && has_job)
		attempt_forgive(p);
	attempt_over(p, e);
}

/*
 * Queries by key. The id may belong to an earlier submission, or to another job: red-box
 * uses it only if its journal lacks the key.
 */
void pod_ask_job(struct vpod *p)
{
	struct wlm_caller by = caller(p, informed);
	p->ask = p->part->box->all->calls->job_info(&by, report_number(p), p->object.key);
}

static void cancelled(void *pod, struct err e, const struct wlm_answer *answer)
{
	struct vpod *p = pod;
	(void)answer;
	came_back(p, e);
	attempt_over(p, report_cancelled(p, e));
}

void pod_cancel(struct vpod *p)
{
	struct wlm_caller by = caller(p, cancelled);
	p->ask = p->part->box->all->calls->cancel(&by, report_number(p), p->object.key);
}

/*
 * An older red-box lacks this call. Then the key counts as closed, and a warning is
 * logged.
 */
static struct err older(struct vpod *p)
{
	struct box *b = p->asked;
	if (!b->closes_nothing)
		log_warn(
			"this older red-box cannot close a submission: a late submission may become a job after its pod was deleted",
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
	attempt_over(p, report_closed(p, e));
}

void pod_close(struct vpod *p)
{
	struct wlm_caller by = caller(p, closed);
	p->ask = p->part->box->all->calls->close(&by, p->object.key);
}
