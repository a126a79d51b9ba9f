/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with one request and one response: each makes one query to Slurm. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/jobs/container.h"
#include "redbox/jobs/content.h"
#include "redbox/jobs/jobs_parts.h"

enum { PARTITION_BYTES = 1024 }; /* of a name, or of several names separated by commas */

void asked_fail(struct asked *a, struct err e)
{
	int64_t id = a->request.job_id;
	if (id > 0)
		e = err_wrap(e, "%s of job %" PRId64, a->method, id);
	call_fail(a->call, a->method, e);
}

bool asked_heard(struct asked *a, struct err e)
{
	a->tool = NULL;
	a->wait = NULL;
	a->shown = NULL;
	if (failed(e))
		asked_fail(a, e);
	return !failed(e);
}

void asked_answer(struct asked *a, const struct str *message)
{
	grpc_send(a->call, str_text(message), message->len);
	grpc_finish(a->call, GRPC_OK, "");
}

static struct err check_key(const char *key)
{
	return slurm_takes_key(key)
		? OK
		: err_new(ERR_INVALID, "a client_id has 1 to %d letters, digits and ._:/@+-",
			  SLURM_KEY_BYTES);
}

/* Checks how the call names its job: by a key, or by a job id. */
static struct err check_job(enum wlm_request_kind kind, const struct wlm_request *r)
{
	bool takes_key = kind == WLM_CANCEL_JOB || kind == WLM_JOB_INFO;
	if ((takes_key && *r->key) || kind == WLM_CLOSE_SUBMISSION)
		return check_key(r->key);
	if ((takes_key || kind == WLM_JOB_STEPS) && r->job_id <= 0)
		return err_new(ERR_INVALID, "the id of a job is a number from 1 on");
	return OK;
}

struct asked *asked_begin(struct service *s, struct grpc_call *c, const char *method,
	enum wlm_request_kind kind, const void *bytes, size_t n)
{
	if (grpc_call_state(c)) {
		call_fail(c, method, err_new(ERR_INVALID, "a second message came"));
		return NULL;
	}
	struct asked *a = own_alloc(sizeof(*a));
	*a = (struct asked){ .service = s, .call = c, .method = method };
	grpc_call_set(c, a);
	submitter_meets(s->config.submitter, grpc_call_peer(c)->since_ms);
	struct err e = wlm_read(kind, bytes, n, &a->request);
	if (!failed(e))
		e = check_job(kind, &a->request);
	if (!failed(e))
		return a;
	asked_fail(a, e);
	return NULL;
}

void jobs_ended(void *ctx, struct grpc_call *c)
{
	(void)ctx;
	if (!grpc_call_state(c))
		grpc_finish(c, GRPC_INVALID_ARGUMENT, "no message came");
}

void jobs_gone(void *ctx, struct grpc_call *c)
{
	struct asked *a = grpc_call_state(c);
	(void)ctx;
	if (!a)
		return;
	slurm_tools_call_cancel(a->tool);
	submit_wait_stop(a->wait);
	status_cache_wait_stop(a->shown);
	wlm_request_free(&a->request);
	free(a);
}

/*
 * The name becomes one argument of a program, which may have 128 KiB. With a longer name
 * the program would never start, and the client would repeat the call for ever.
 */
static struct err check_partition(const char *name)
{
	size_t n = strlen(name);
	bool plain = n <= PARTITION_BYTES;
	for (size_t i = 0; plain && i < n; i++)
		plain = (unsigned char)name[i] >= ' ' && name[i] != 127;
	return plain ? OK
		     : err_new(ERR_INVALID,
			       "a partition has %d bytes at most, and no control characters",
			       PARTITION_BYTES);
}

/* ---- SubmitJob, SubmitJobContainer ---- */

static void submitted(void *ctx, struct err e, const struct submit_told *told)
{
	struct asked *a = ctx;
	AUTO(str_free) struct str message = { 0 };
	char id[24], who[WHO_BYTES];
	if (!asked_heard(a, e))
		return;
	snprintf(id, sizeof(id), "%" PRId64, told->job_id);
	const char *key = call_who(a->call, who);
	log_info("a job is submitted", "job", id, "client_id", a->request.key, key, who);
	wlm_add_job_id(&message, told->job_id);
	asked_answer(a, &message);
}

/*
 * Submits the script of the request, from the client or made for it. content: see
 * content.h.
 */
static void submit(struct asked *a, int64_t content)
{
	const struct wlm_request *r = &a->request;
	const char *key = *r->key ? r->key : NULL;
	char who[WHO_BYTES];
	struct err e = check_partition(r->partition);
	if (!*r->script)
		e = err_new(ERR_INVALID, "the script is empty");
	else if (key && !failed(e))
		e = check_key(key);
	if (failed(e)) {
		asked_fail(a, e);
		return;
	}
	call_who(a->call, who);
	const struct submit_ask ask = {
		.submission = { r->script, r->partition, key, who },
		.content = content,
		.known_id = r->job_id,
		.since_ms = grpc_call_peer(a->call)->since_ms,
	};
	a->wait = submitter_submit(a->service->config.submitter, &ask, submitted, a);
	/* Thousands of calls may wait for one submission, which has its own copy. */
	free(TAKE(a->request.script));
}

void jobs_submit(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct asked *a = asked_begin(ctx, c, "SubmitJob", WLM_SUBMIT_JOB, bytes, n);
	if (a)
		submit(a, content_of_script(&a->request));
}

/*
 * If two calls have one key, the script of the first counts, including its image name.
 * Calls are compared by their requests, not by their scripts.
 */
void jobs_submit_container(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct asked *a = asked_begin(s, c, "SubmitJobContainer", WLM_SUBMIT_JOB_CONTAINER, bytes,
		n);
	AUTO(str_free) struct str script = { 0 };
	uint64_t any[2] = { 0 };
	char file[64];
	if (!a)
		return;
	const char *command = s->config.config->container_command;
	struct err e = OK;
	if (getrandom(any, sizeof(any), 0) != (ssize_t)sizeof(any))
		e = err_new(ERR_RETRY, "naming the image: %s", strerror(errno));
	snprintf(file, sizeof(file), "red-box-%016" PRIx64 "%016" PRIx64 ".sif", any[0], any[1]);
	if (!failed(e))
		e = container_script(&a->request.container, command ? command : CONTAINER_COMMAND,
			file, &script);
	if (failed(e)) {
		asked_fail(a, e);
		return;
	}
	free(a->request.script);
	a->request.script = str_take(&script);
	submit(a, content_of_container(&a->request));
}

/* ---- JobSteps ---- */

static void steps_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct asked *a = ctx;
	AUTO(str_free) struct str message = { 0 };
	if (!asked_heard(a, e))
		return;
	wlm_add_steps(&message, told->steps, told->n);
	asked_answer(a, &message);
}

void jobs_steps(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct asked *a = asked_begin(s, c, "JobSteps", WLM_JOB_STEPS, bytes, n);
	if (a)
		a->tool = slurm_tools_steps(s->config.tools, a->request.job_id, steps_told, a);
}

/* ---- Resources, Partitions, WorkloadInfo ---- */

/* "" means all. An older Slurm does not print some of these lists. */
static const char *names_of(const char *shown) { return str_eq(shown, "ALL") ? "" : shown; }

/* Returns NULL if Slurm prints no state for the partition. */
static const struct wlm_partition *partition_now(const struct slurm_partition_shown *shown,
	struct wlm_partition *out)
{
	if (str_empty(shown->state))
		return NULL;
	*out = (struct wlm_partition){
		.state = shown->state,
		.nodes = shown->all_nodes,
		.usable_nodes = shown->usable_nodes,
		.root_only = str_eq(shown->root_only, "YES") && geteuid() != 0,
		.needs_reservation = str_eq(shown->needs_reservation, "YES"),
		.allow_accounts = names_of(shown->allow_accounts),
		.deny_accounts = shown->deny_accounts,
		.allow_groups = names_of(shown->allow_groups),
		.allow_qos = names_of(shown->allow_qos),
		.deny_qos = shown->deny_qos,
	};
	return out;
}

static void resources_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct asked *a = ctx;
	AUTO(str_free) struct str message = { 0 };
	if (!failed(e) && told->n == 0)
		e = err_new(ERR_NOT_FOUND, "Slurm has no such partition");
	if (!asked_heard(a, e))
		return;
	struct wlm_resources r = redbox_config_resources(a->service->config.config,
		&told->partitions[0]);
	struct wlm_partition now;
	r.now = partition_now(&told->partitions[0], &now);
	wlm_add_resources(&message, &r);
	asked_answer(a, &message);
}

void jobs_resources(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct asked *a = asked_begin(s, c, "Resources", WLM_RESOURCES, bytes, n);
	if (!a)
		return;
	struct err e = check_partition(a->request.partition);
	if (!*a->request.partition)
		e = err_new(ERR_INVALID, "no partition is given");
	if (failed(e))
		asked_fail(a, e);
	else
		a->tool = slurm_tools_partitions(s->config.tools, a->request.partition,
			resources_told, a);
}

static void partitions_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct asked *a = ctx;
	AUTO(str_free) struct str message = { 0 };
	if (!asked_heard(a, e))
		return;
	AUTO(own_free) const char **names = own_alloc((told->n + 1) * sizeof(*names));
	for (size_t i = 0; i < told->n; i++)
		names[i] = told->partitions[i].name;
	wlm_add_partitions(&message, names, told->n);
	asked_answer(a, &message);
}

void jobs_partitions(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct asked *a = asked_begin(s, c, "Partitions", WLM_PARTITIONS, bytes, n);
	if (a)
		a->tool = slurm_tools_partitions(s->config.tools, NULL, partitions_told, a);
}

static void version_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct asked *a = ctx;
	AUTO(str_free) struct str message = { 0 };
	if (!asked_heard(a, e))
		return;
	wlm_add_workload(&message, "slurm", told->version, geteuid());
	asked_answer(a, &message);
}

void jobs_workload(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct asked *a = asked_begin(s, c, "WorkloadInfo", WLM_WORKLOAD_INFO, bytes, n);
	if (a)
		a->tool = slurm_tools_version(s->config.tools, version_told, a);
}
