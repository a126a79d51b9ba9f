/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's multi-socket interface on the loop. */
#include "net/curl_parts.h"

#include <utlist.h>

#include "base/own.h"

struct mux_socket {
	uv_poll_t uv; /* first: a uv_handle_t * is this */
	struct mux_socket *prev, *next;
	struct curl_mux *mux;
	curl_socket_t fd;
	uint64_t waits_since;
};

static void socket_closed(uv_handle_t *handle) { free(handle); }

static void socket_drop(struct mux_socket *s)
{
	DL_DELETE(s->mux->sockets, s);
	uv_close((uv_handle_t *)&s->uv, socket_closed);
}

/*
 * Makes libcurl check all sockets. The function is deprecated because it is slow with
 * many sockets; here there are few.
 */
static void look_at_all(struct curl_mux *m)
{
	int running = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	curl_multi_socket_all(m->multi, &running);
#pragma GCC diagnostic pop
}

static void guard_fired(void *ctx)
{
	struct curl_mux *m = ctx;
	m->guard = m->n_active ? timer_start(m->http->loop, CURL_GUARD_MS, guard_fired, m) : NULL;
	if (!m->guard)
		return;
	look_at_all(m);
	m->hand_out(m);
}

static void act(struct curl_mux *m, curl_socket_t fd, int events)
{
	int running = 0;
	curl_multi_socket_action(m->multi, fd, events, &running);
	m->hand_out(m);
}

static void socket_ready(uv_poll_t *uv, int status, int events)
{
	struct mux_socket *s = (struct mux_socket *)uv;
	struct loop *l = s->mux->http->loop;
	int flags = 0;
	/*
	 * Postpone the event until overdue timers and waiting descriptors have been
	 * served; the socket stays ready. Do not postpone an error, because libuv reports
	 * it only once.
	 */
	if (status >= 0 && (loop_uv_overslept(l) || loop_uv_put_off(l, &s->waits_since)))
		return;
	if (status < 0)
		flags = CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		flags |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		flags |= CURL_CSELECT_OUT;
	act(s->mux, s->fd, flags);
}

static struct mux_socket *socket_add(struct curl_mux *m, curl_socket_t fd)
{
	struct mux_socket *s = own_alloc(sizeof(*s));
	if (uv_poll_init_socket(loop_uv_handle(m->http->loop), &s->uv, fd) != 0) {
		free(s);
		return NULL;
	}
	s->mux = m;
	s->fd = fd;
	DL_APPEND(m->sockets, s);
	curl_multi_assign(m->multi, fd, s);
	return s;
}

static int socket_wanted(CURL *easy, curl_socket_t fd, int what, void *mux, void *known)
{
	struct curl_mux *m = mux;
	struct mux_socket *s = known;
	int events = 0;
	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			socket_drop(s);
		return curl_multi_assign(m->multi, fd, NULL), 0;
	}
	if (!s)
		s = socket_add(m, fd);
	if (!s)
		return -1;
	if (what & CURL_POLL_IN)
		events |= UV_READABLE;
	if (what & CURL_POLL_OUT)
		events |= UV_WRITABLE;
	return uv_poll_start(&s->uv, events, socket_ready) == 0 ? 0 : -1;
}

static void time_came(void *ctx)
{
	struct curl_mux *m = ctx;
	m->timer = NULL;
	if (loop_uv_overslept(m->http->loop))
		m->timer = timer_start(m->http->loop, 0, time_came, m);
	else
		act(m, CURL_SOCKET_TIMEOUT, 0);
}

static int time_wanted(CURLM *multi, long timeout_ms, void *mux)
{
	struct curl_mux *m = mux;
	(void)multi;
	timer_stop(m->http->loop, m->timer);
	m->timer = timeout_ms < 0 || m->closing
		? NULL
		: timer_start(m->http->loop, timeout_ms, time_came, m);
	return 0;
}

static void resume(void *ctx)
{
	struct curl_mux *m = ctx;
	struct http_call *c;
	m->resume = NULL;
	DL_FOREACH(m->active, c)
	{
		if (!c->paused)
			continue;
		c->paused = false;
		curl_easy_pause(c->easy, CURLPAUSE_CONT);
	}
	m->hand_out(m);
}

void mux_resume(struct curl_mux *m)
{
	if (!m->resume)
		m->resume = timer_start(m->http->loop, 0, resume, m);
}

/*
 * Makes the multi handle on first use, because each handle takes a descriptor, and a
 * client without streams needs no handle for streams.
 */
static struct err open_multi(struct curl_mux *m)
{
	struct curl_http *h = m->http;
	m->multi = curl_multi_init();
	if (!m->multi)
		return err_new(ERR_INTERNAL, "libcurl gave no multi handle");
	curl_multi_setopt(m->multi, CURLMOPT_SOCKETFUNCTION, socket_wanted);
	curl_multi_setopt(m->multi, CURLMOPT_SOCKETDATA, m);
	curl_multi_setopt(m->multi, CURLMOPT_TIMERFUNCTION, time_wanted);
	curl_multi_setopt(m->multi, CURLMOPT_TIMERDATA, m);
	curl_multi_setopt(m->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	/*
	 * Streams have no limit: they last for minutes, and without HTTP/2 they would
	 * block each other.
	 */
	if (m->guarded)
		curl_multi_setopt(m->multi, CURLMOPT_MAX_HOST_CONNECTIONS,
			(long)(h->tls ? CURL_TLS_CONNECTIONS : CURL_PLAIN_CONNECTIONS));
	/*
	 * Keep only one idle connection. A connection keeps buffers for its largest
	 * number of concurrent requests, some 3 MB after a burst (libcurl 8.14).
	 */
	if (m->guarded && h->tls)
		curl_multi_setopt(m->multi, CURLMOPT_MAXCONNECTS, 1L);
	return OK;
}

void mux_init(struct curl_mux *m, struct curl_http *h, bool guarded,
	void (*hand_out)(struct curl_mux *m))
{
	m->http = h;
	m->hand_out = hand_out;
	m->guarded = guarded;
}

struct err mux_add(struct curl_mux *m, struct http_call *c)
{
	struct err e = m->multi ? OK : open_multi(m);
	if (failed(e))
		return e;
	CURLMcode code = curl_multi_add_handle(m->multi, c->easy);
	if (code != CURLM_OK)
		return err_new(ERR_INTERNAL, "libcurl did not take the request: %s",
			curl_multi_strerror(code));
	DL_APPEND(m->active, c);
	c->place = CALL_ACTIVE;
	m->n_active++;
	if (m->guarded && !m->guard)
		m->guard = timer_start(m->http->loop, CURL_GUARD_MS, guard_fired, m);
	return OK;
}

void mux_remove(struct curl_mux *m, struct http_call *c)
{
	curl_multi_remove_handle(m->multi, c->easy);
	DL_DELETE(m->active, c);
	m->n_active--;
}

void mux_close(struct curl_mux *m)
{
	struct mux_socket *s, *next;
	if (!m->multi)
		return;
	m->closing = true;
	curl_multi_cleanup(m->multi);
	m->multi = NULL;
	DL_FOREACH_SAFE(m->sockets, s, next)
	socket_drop(s);
	timer_stop(m->http->loop, m->timer);
	timer_stop(m->http->loop, m->guard);
	timer_stop(m->http->loop, m->resume);
	m->timer = m->guard = m->resume = NULL;
}
