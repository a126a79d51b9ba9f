/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a request: from its arrival to its answer, which is counted and logged. */
#include <inttypes.h>
#include <stdio.h>
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/rest/rest_parts.h"

#define TEXT_TYPE "text/plain; charset=utf-8"

static void call_free(struct rest_call *c)
{
	struct rest *r = c->rest;
	slurm_tools_call_cancel(c->tool);
	submit_wait_stop(c->wait);
	status_cache_wait_stop(c->shown);
	timer_stop(r->config.loop, c->timer);
	followed_close(&c->at);
	place_give(c->file);
	place_give(c->stream);
	place_give(c->place);
	DL_DELETE(r->calls, c);
	free(c->path);
	free(c->key);
	free(c);
}

static void count(const struct rest_call *c, enum grpc_status status)
{
	char path[32];
	snprintf(path, sizeof(path), "/rest-%s", rest_name(c->route.what));
	const struct grpc_over over = {
		.path = c->route.what < REST_WHATS ? path : NULL,
		.status = status,
		.took_ms = loop_now_ms(c->rest->config.loop) - c->began_ms,
	};
	service_over(c->rest->config.service, &over);
}

/* The client went away. A submission goes on (submit.h). */
static void gone(void *ctx)
{
	struct rest_call *c = ctx;
	count(c, GRPC_CANCELLED);
	call_free(c);
}

static void answer(struct rest_call *c, int status, enum grpc_status counted, const char *type,
	struct str *body)
{
	struct exchange *x = c->x;
	count(c, counted);
	call_free(c);
	exchange_reply(x, status, type, body);
}

void rest_reply(struct rest_call *c, int status, const char *type, struct str *body)
{
	answer(c, status, GRPC_OK, type, body);
}

/* An answer with a sentence; without one it is empty. */
static void answer_error(struct rest_call *c, int status, enum grpc_status counted,
	const char *sentence)
{
	struct str body = { 0 };
	if (*sentence)
		str_addf(&body, "%s\n", sentence);
	exchange_add_header(c->x, "X-Content-Type-Options", "nosniff");
	answer(c, status, counted, TEXT_TYPE, &body);
}

static void log_failure(const struct rest_call *c, const char *why)
{
	log_warn("a request by REST failed", "path", rest_name(c->route.what), "uid", c->who, "why",
		why);
}

static enum grpc_status counted_as(int status)
{
	return status == 403    ? GRPC_PERMISSION_DENIED
		: status == 404 ? GRPC_NOT_FOUND
		: status == 503 ? GRPC_RESOURCE_EXHAUSTED
				: GRPC_INVALID_ARGUMENT;
}

void rest_refuse(struct rest_call *c, int status, const char *sentence)
{
	log_failure(c, *sentence ? sentence : "there is no such file");
	answer_error(c, status, counted_as(status), sentence);
}

static struct err with_job(const struct rest_call *c, struct err e)
{
	int64_t id = c->route.job_id;
	return id ? err_wrap(e, "%s of job %" PRId64, rest_name(c->route.what), id) : e;
}

void rest_fail(struct rest_call *c, struct err e)
{
	e = with_job(c, e);
	log_failure(c, e.text);
	answer_error(c, rest_status(e.kind, c->key != NULL), call_status(e.kind), e.text);
}

void rest_end(struct rest_call *c, struct err e)
{
	struct exchange *x = c->x;
	count(c, call_status(e.kind));
	if (failed(e))
		log_failure(c, e.text);
	call_free(c);
	if (failed(e))
		exchange_break(x);
	else
		exchange_end(x);
}

void rest_later(struct rest_call *c) { exchange_later(c->x, gone, c); }

void rest_stream(struct rest_call *c, const char *type)
{
	exchange_stream(c->x, 200, type, gone, c);
}

bool rest_takes_file(struct rest_call *c)
{
	struct service *s = c->rest->config.service;
	c->stream = place_take(&c->rest->streams, c->who);
	c->file = c->stream ? place_take(&s->files, c->who) : NULL;
	if (c->file)
		return true;
	s->files_refused++;
	rest_fail(c, err_new(ERR_TOO_LARGE, "too many files are open for you: try again later"));
	return false;
}

size_t rest_piece_bytes(const struct rest_call *c)
{
	size_t share = FILES_BYTES / c->rest->config.service->files.used;
	return share < PIECE_BYTES ? share : PIECE_BYTES;
}

struct rest_call *rest_call_new(struct rest *r, struct exchange *x)
{
	const struct exchange_peer peer = exchange_peer(x);
	struct rest_call *c = own_alloc(sizeof(*c));
	*c = (struct rest_call){
		.rest = r,
		.x = x,
		.route.what = REST_WHATS,
		.peer = { peer.pid, peer.uid, peer.gid, .since_ms = peer.since_ms },
		.began_ms = loop_now_ms(r->config.loop),
		.at.fd = -1,
	};
	snprintf(c->who, sizeof(c->who), "%" PRId64, peer.uid);
	DL_APPEND(r->calls, c);
	return c;
}
