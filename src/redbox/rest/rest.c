/* SPDX-License-Identifier: Apache-2.0 */
/* The server, and the clients that may use it. */
#include "redbox/rest/rest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "redbox/rest/rest_parts.h"

/* ---- a request has come ---- */

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
	struct rest_call *c = rest_call_new(ctx, x);
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
	/* A tail lasts as long as its job, which can be read and cancelled meanwhile */
	r->streams = (struct budget){ .limit = r->places.limit / 2, .least = 1 };
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

size_t rest_under_way(const struct rest *r) { return r ? http_server_exchanges(r->server) : 0; }

void rest_free(struct rest *r)
{
	if (!r)
		return;
	http_server_free(r->server); /* calls gone for each request */
	free(r);
}
