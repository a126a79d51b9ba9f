/* SPDX-License-Identifier: Apache-2.0 */
/* /sbatch, /sjob/ID, /sjob/steps/ID and /scancel/ID. */
#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/jobs/content.h"
#include "redbox/rest/answer.h"
#include "redbox/rest/rest_parts.h"

#define TEXT "text/plain; charset=utf-8"
#define JSON "application/json"

/* ---- /sbatch ---- */

static void submitted(void *ctx, struct err e, const struct submit_told *told)
{
	struct rest_call *c = ctx;
	struct str body = { 0 };
	c->wait = NULL;
	if (e.kind == ERR_LOST)
		e = err_wrap(e, "it is unknown whether Slurm has a job of this request");
	if (failed(e)) {
		rest_fail(c, e);
		return;
	}
	str_addf(&body, "%" PRId64, told->job_id);
	log_info("a job is submitted by REST", "job", str_text(&body), "client_id", c->key, "uid",
		c->who);
	rest_reply(c, 200, TEXT, &body);
}

/* As SubmitJob with that script, no partition and that client_id. */
static void submit(struct rest_call *c, char *script)
{
	const struct wlm_request as_call = { .script = script };
	const struct submit_ask ask = {
		.submission = { script, NULL, c->key, c->who },
		.content = content_of_script(&as_call),
		.since_ms = c->peer.since_ms,
	};
	c->wait = submitter_submit(c->rest->config.service->config.submitter, &ask, submitted, c);
}

static void body_came(void *ctx)
{
	struct rest_call *c = ctx;
	AUTO(own_free) char *script = NULL;
	size_t n;
	const char *body = exchange_body(c->x, &n);
	struct err e = rest_read_script(body, n, &script);
	exchange_drop_body(c->x); /* thousands of requests may wait for Slurm */
	if (failed(e))
		rest_refuse(c, 400, e.text);
	else
		submit(c, script);
}

void rest_sbatch(struct rest_call *c)
{
	struct err e = rest_read_key(exchange_header(c->x, "Idempotency-Key"), &c->key);
	if (failed(e)) {
		rest_refuse(c, 400, e.text);
		return;
	}
	rest_later(c);
	exchange_take_body(c->x, body_came);
}

/* ---- /sjob/ID ---- */

static void job_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct rest_call *c = ctx;
	struct str body = { 0 };
	c->shown = NULL;
	if (!failed(e))
		e = service_check_told(told);
	if (failed(e)) {
		rest_fail(c, e);
		return;
	}
	rest_add_job(&body, rest_job_of(told->jobs, told->n), c->route.job_id);
	rest_reply(c, 200, JSON, &body);
}

void rest_sjob(struct rest_call *c)
{
	rest_later(c);
	c->shown = status_cache_show(c->rest->config.service->status_cache, c->route.job_id,
		job_told, c);
}

/* ---- /sjob/steps/ID ---- */

static void steps_told(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct rest_call *c = ctx;
	struct str body = { 0 };
	c->tool = NULL;
	if (failed(e)) {
		rest_fail(c, e);
		return;
	}
	rest_add_steps(&body, told->steps, told->n);
	rest_reply(c, 200, JSON, &body);
}

void rest_steps(struct rest_call *c)
{
	rest_later(c);
	c->tool = slurm_tools_steps(c->rest->config.service->config.tools, c->route.job_id,
		steps_told, c);
}

/* ---- /scancel/ID ---- */

static void cancelled(void *ctx, struct err e, const struct slurm_tools_told *told)
{
	struct rest_call *c = ctx;
	struct str empty = { 0 };
	(void)told;
	c->tool = NULL;
	if (failed(e))
		rest_fail(c, e);
	else
		rest_reply(c, 200, TEXT, &empty);
}

void rest_scancel(struct rest_call *c)
{
	rest_later(c);
	c->tool = slurm_tools_cancel(c->rest->config.service->config.tools, c->route.job_id,
		cancelled, c);
}
