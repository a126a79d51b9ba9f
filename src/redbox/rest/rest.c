/* SPDX-License-Identifier: Apache-2.0 */
/* The server, who may speak to it, and the life of a request. */
#include "redbox/rest/rest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utlist.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/rest/rest_parts.h"

#define TEXT_TYPE "text/plain; charset=utf-8"

/* ---- the life of a request ---- */

static void call_free(struct rest_call *c)
{
	struct rest *r = c->rest;
	slurm_tools_call_cancel(c->tool);
	submit_wait_stop(c->wait);
	status_cache_wait_stop(c->shown);
	timer_stop(r->config.loop, c->timer);
	followed_close(&c->at);
	if (c->file)
		place_give(c->file);
	if (c->place)
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
	c->file = place_take(&s->files, c->who);
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

/* ---- a request has come ---- */

static struct rest_call *call_new(struct rest *r, struct exchange *x)
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

/* Asked for before a byte of the body is kept. False: the call was refused. */
static bool admit(struct rest_call *c)
{
	struct rest *r = c->rest;
	if (!service_admits(r->config.service, &c->peer)) {
		rest_refuse(c, 403,
			"you may not use red-box: you are not in its allow_users or allow_groups");
		return false;
	}
	c->place = r->finishing ? NULL : place_take(&r->places, c->who);
	if (c->place)
		return true;
	rest_refuse(c, 503,
		r->finishing ? "red-box ends: try again later"
			     : "too many requests are under way for you: try again later");
	return false;
}

static void handle(void *ctx, struct exchange *x)
{
	static rest_begin_fn *const begins[REST_WHATS] = {
		[REST_SBATCH] = rest_sbatch,
		[REST_SJOB] = rest_sjob,
		[REST_STEPS] = rest_steps,
		[REST_SCANCEL] = rest_scancel,
		[REST_OPEN] = rest_open,
		[REST_TAIL] = rest_tail,
	};
	AUTO(str_free) struct str why = { 0 };
	struct rest_call *c = call_new(ctx, x);
	if (!admit(c))
		return;
	submitter_meets(c->rest->config.service->config.submitter, c->peer.since_ms);
	int status = rest_route(exchange_method(x), exchange_path(x), &c->route, &why);
	if (c->route.allow)
		exchange_add_header(x, "Allow", c->route.allow);
	if (status == 200)
		begins[c->route.what](c);
	else
		rest_refuse(c, status, str_text(&why));
}

/* ---- the server ---- */

static int most_connections(const struct rest_config *config)
{
	struct rlimit descriptors;
	rlim_t most = config->max_connections ? (rlim_t)config->max_connections : REST_CONNECTIONS;
	if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur / 4 < most)
		most = descriptors.rlim_cur / 4;
	return most > 4 ? (int)most : 4;
}

static struct err give_group(const struct rest_config *config)
{
	if (config->group == (gid_t)-1 || chown(config->socket, (uid_t)-1, config->group) == 0)
		return OK;
	return err_new(ERR_DENIED, "giving the group its socket %s: %s", config->socket,
		strerror(errno));
}

struct err rest_new(const struct rest_config *config, struct rest **out)
{
	AUTO(str_free) struct str address = { 0 };
	struct rest *r = own_alloc(sizeof(*r));
	int most = most_connections(config);
	r->config = *config;
	/* The others are for clients that have not sent their requests */
	r->places = (struct budget){ .limit = (size_t)most * 3 / 4, .least = 1 };
	str_addf(&address, "unix:%s", config->socket);
	const struct http_server_config server = {
		.address = str_text(&address),
		.socket_mode = 0660,
		.max_body_bytes = REST_BODY_BYTES,
		.max_bodies_bytes = REST_BODIES_BYTES,
		.small_body_bytes = REST_SMALL_BYTES,
		.asks_first = true,
		.max_connections = most,
		.request_ms = REST_REQUEST_MS,
		.keep_ms = REST_KEEP_MS,
		.stream_ms = REST_REQUEST_MS,
		.handler = handle,
		.ctx = r,
	};
	struct err e = http_server_new(config->loop, &server, &r->server);
	if (!failed(e))
		e = give_group(config);
	if (failed(e))
		rest_free(r);
	else
		*out = r;
	return e;
}

void rest_measure(const struct rest *r)
{
	size_t connections = r ? http_server_connections(r->server) : 0;
	service_measure_rest(connections, rest_under_way(r));
}

void rest_finish(struct rest *r)
{
	struct rest_call *c, *next;
	if (!r)
		return;
	r->finishing = true;
	http_server_finish(r->server);
	DL_FOREACH_SAFE(r->calls, c, next)
	if (c->route.what == REST_TAIL)
		rest_end(c, err_new(ERR_RETRY, "red-box ends: tail the file again"));
}

size_t rest_under_way(const struct rest *r)
{
	const struct rest_call *c;
	size_t n = 0;
	if (r)
		DL_COUNT(r->calls, c, n);
	return n;
}

void rest_free(struct rest *r)
{
	if (!r)
		return;
	http_server_free(r->server); /* calls gone for each request */
	free(r);
}
