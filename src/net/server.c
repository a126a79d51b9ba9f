/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs libmicrohttpd without threads: our loop serves its epoll descriptor and timeouts.
 */
#include "net/server_parts.h"

#include <unistd.h>
#include <utlist.h>

#include "base/own.h"

/* ---- on the loop ---- */

static void run(struct http_server *s);

static void time_came(void *server)
{
	struct http_server *s = server;
	s->timer = NULL;
	run(s);
}

static void run(struct http_server *s)
{
	uint64_t ms;
	server_enter(s);
	pair_use(s->tls);
	MHD_run(s->daemon);
	pair_use(NULL);
	timer_stop(s->loop, TAKE(s->timer));
	if (MHD_get_timeout64(s->daemon, &ms) == MHD_YES)
		s->timer = timer_start(s->loop, ms > 60000 ? 60000 : (int64_t)ms, time_came, s);
	server_leave(s);
}

static void ready(void *server, int events)
{
	(void)events;
	run(server);
}

static struct err join_loop(struct http_server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	return fd_watch_start(s->loop, info ? info->epoll_fd : -1, FD_READABLE, ready, s,
		&s->watch);
}

/* ---- lifecycle ---- */

static struct MHD_Daemon *start_daemon(struct http_server *s)
{
	static const struct MHD_OptionItem plain[] = { { MHD_OPTION_END, 0, NULL } };
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
			(s->tls ? MHD_USE_TLS : 0),
		0, NULL, NULL, exchange_step, s, MHD_OPTION_LISTEN_SOCKET, s->listener.fd,
		MHD_OPTION_NOTIFY_COMPLETED, exchange_completed, s, MHD_OPTION_NOTIFY_CONNECTION,
		connection_notified, s, MHD_OPTION_UNESCAPE_CALLBACK, exchange_unescape, NULL,
		MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)(s->max_connections + SERVER_SPARE_CONNECTIONS),
		MHD_OPTION_CONNECTION_TIMEOUT, server_idle_seconds(s),
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVER_HEAD_BYTES, MHD_OPTION_ARRAY,
		s->tls ? pair_options() : plain, MHD_OPTION_END);
}

static void destroy(struct http_server *s)
{
	fd_watch_stop(s->watch);
	timer_stop(s->loop, s->timer);
	exchanges_resume(s);
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	else if (s->listener.fd >= 0)
		close(s->listener.fd);
	timer_stop(s->loop, s->clock);
	pair_close(s->tls);
	listener_remove(&s->listener);
	free(s);
}

static struct http_server *server_new(struct loop *l, const struct http_server_config *c)
{
	struct http_server *s = own_alloc(sizeof(*s));
	s->loop = l;
	s->destroy = destroy;
	s->listener.fd = -1;
	s->handler = c->handler;
	s->ctx = c->ctx;
	s->max_body_bytes = c->max_body_bytes;
	s->max_bodies_bytes = c->max_bodies_bytes;
	s->small_body_bytes = c->small_body_bytes;
	s->asks_first = c->asks_first;
	s->keep_ms = c->keep_ms;
	s->stream_ms = c->stream_ms;
	s->max_connections = c->max_connections > 0 ? (size_t)c->max_connections
						    : SERVER_CONNECTIONS;
	s->request_ms = c->request_ms > 0 ? c->request_ms : SERVER_REQUEST_MS;
	return s;
}

struct err http_server_new(struct loop *uv_loop, const struct http_server_config *config,
	struct http_server **out)
{
	struct http_server *s = server_new(uv_loop, config);
	struct err e = listener_open(config->address, config->socket_mode, &s->listener);
	if (!failed(e) && (config->cert_file || config->tls))
		e = pair_open(uv_loop, config, &s->tls);
	if (!failed(e)) {
		s->daemon = start_daemon(s);
		e = s->daemon ? join_loop(s)
			      : err_new(ERR_INTERNAL, "the HTTP server on %s could not be started",
					config->address);
	}
	if (failed(e))
		http_server_free(s);
	else
		*out = s;
	return e;
}

int http_server_port(const struct http_server *s) { return s->listener.port; }

struct err http_server_use_pair(struct http_server *s, const char *cert_pem, const char *key_pem)
{
	return pair_take(s->tls, cert_pem, key_pem);
}

const char *http_server_cert(const struct http_server *s)
{
	return s->tls ? pair_cert(s->tls) : NULL;
}

void http_server_finish(struct http_server *s) { s->finishing = true; }

size_t http_server_connections(const struct http_server *s) { return s->n_connections; }

size_t http_server_exchanges(const struct http_server *s)
{
	const struct exchange *x;
	size_t n = 0;
	DL_FOREACH(s->exchanges, x)
	n += !x->broken && !x->cut;
	return n;
}

void http_server_free(struct http_server *s)
{
	if (!s || s->dead)
		return;
	s->dead = true;
	server_enter(s);
	exchanges_tell_gone(s);
	server_leave(s);
}
