/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain HTTP for health and metrics: libmicrohttpd without threads, its epoll descriptor
 * on our loop.
 */
#include "net/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "net/loop_uv.h"

enum { MAX_CONNECTIONS = 64, IDLE_SECONDS = 15, CONNECTION_BYTES = 16 << 10, MAX_HOST_BYTES = 256 };

struct http_server {
	struct loop *loop;
	struct MHD_Daemon *daemon;
	uv_poll_t *poll;
	struct timer *timer;
	http_handler *handler;
	void *ctx;
	int port;
};

/* ---- answering ---- */

static enum MHD_Result answer(struct MHD_Connection *c, int status, const char *type,
	struct str *body, bool allow)
{
	size_t n = body->len;
	struct MHD_Response *r = MHD_create_response_from_buffer_with_free_callback(n,
		str_take(body), free);
	enum MHD_Result sent;
	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (allow)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	sent = MHD_queue_response(c, (unsigned)status, r);
	MHD_destroy_response(r);
	return sent;
}

static enum MHD_Result on_request(void *server, struct MHD_Connection *c, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **seen)
{
	static char mark;
	struct http_server *s = server;
	const char *type = "text/plain; charset=utf-8";
	struct str body = { 0 };
	int status;
	(void)version, (void)upload;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
		str_add(&body, "only GET and HEAD are answered here\n");
		*upload_bytes = 0;
		return answer(c, MHD_HTTP_METHOD_NOT_ALLOWED, type, &body, true);
	}
	if (!*seen) { /* the first call is for the headers alone */
		*seen = &mark;
		return MHD_YES;
	}
	*upload_bytes = 0;
	status = s->handler(s->ctx, path, &body, &type);
	return answer(c, status, type, &body, false);
}

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
	MHD_run(s->daemon);
	timer_stop(s->loop, TAKE(s->timer));
	if (MHD_get_timeout64(s->daemon, &ms) == MHD_YES)
		s->timer = timer_start(s->loop, ms > 60000 ? 60000 : (int64_t)ms, time_came, s);
}

static void poll_ready(uv_poll_t *poll, int status, int events)
{
	(void)status, (void)events;
	run(poll->data);
}

static void poll_closed(uv_handle_t *handle) { free(handle); }

static struct err join_loop(struct http_server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	uv_poll_t *poll = own_alloc(sizeof(*poll));
	int code = info ? uv_poll_init(loop_uv_handle(s->loop), poll, info->epoll_fd) : UV_EINVAL;
	if (code != 0) {
		free(poll);
		return err_new(ERR_INTERNAL, "the HTTP server cannot join the event loop: %s",
			uv_strerror(code));
	}
	s->poll = poll;
	poll->data = s;
	uv_poll_start(poll, UV_READABLE, poll_ready);
	return OK;
}

/* ---- listening ---- */

static int port_of(int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	char port[8];

	if (getsockname(fd, (struct sockaddr *)&at, &n) != 0 ||
		getnameinfo((struct sockaddr *)&at, n, NULL, 0, port, sizeof(port),
			NI_NUMERICSERV) != 0)
		return 0;
	return atoi(port);
}

static int listen_at(const struct addrinfo *a)
{
	int on = 1, off = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 64) == 0)
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

/* "HOST:PORT", "[V6]:PORT" or ":PORT" into its halves. */
static bool split_address(const char *address, char host[static MAX_HOST_BYTES], const char **port)
{
	const char *colon = strrchr(address, ':');
	int64_t number;
	if (!colon || !str_to_i64(colon + 1, 0, 65535, &number))
		return false;
	size_t n = (size_t)(colon - address);
	if (n > 1 && address[0] == '[' && colon[-1] == ']') {
		address++;
		n -= 2;
	} else if (memchr(address, ':', n)) {
		return false;
	}
	if (n >= MAX_HOST_BYTES)
		return false;
	memcpy(host, address, n);
	host[n] = 0;
	*port = colon + 1;
	return true;
}

/* Without a host: IPv6 that takes IPv4 too, or IPv4 alone where there is no IPv6. */
static struct err open_listener(const char *address, int *fd)
{
	struct addrinfo want = {
		.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	const int families[] = { AF_INET6, AF_INET };
	char host[MAX_HOST_BYTES];
	const char *port;
	bool understood = false;
	if (!split_address(address, host, &port))
		return err_new(ERR_INVALID,
			"\"%s\" is no address to listen on; it should look like :8080 or "
			"127.0.0.1:8080",
			address);
	*fd = -1;
	for (size_t i = 0; i < LENGTH(families) && *fd < 0; i++) {
		struct addrinfo *found = NULL;

		want.ai_family = families[i];
		if (getaddrinfo(host[0] ? host : NULL, port, &want, &found) != 0)
			continue;
		understood = true;
		*fd = listen_at(found);
		int why = errno;
		freeaddrinfo(found);
		errno = why;
		if (*fd < 0 && errno == EADDRINUSE)
			break;
	}
	if (*fd >= 0)
		return OK;
	if (!understood)
		return err_new(ERR_INVALID,
			"\"%s\" is no address to listen on: give the host as a number", address);
	return err_new(errno == EADDRINUSE || errno == EACCES ? ERR_INVALID : ERR_INTERNAL,
		"cannot listen on %s: %s", address, strerror(errno));
}

struct err http_server_new(struct loop *uv_loop, const char *address, http_handler *handler,
	void *ctx, struct http_server **out)
{
	int fd;
	struct err e = open_listener(address, &fd);
	if (failed(e))
		return e;
	struct http_server *s = own_alloc(sizeof(*s));
	s->loop = uv_loop;
	s->handler = handler;
	s->ctx = ctx;
	s->port = port_of(fd);
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_THREAD_SAFETY, 0, NULL, NULL,
		on_request, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_END);
	if (!s->daemon) {
		close(fd);
		free(s);
		return err_new(ERR_INTERNAL, "the HTTP server on %s could not be started", address);
	}
	e = join_loop(s);
	if (failed(e)) {
		http_server_free(s);
		return e;
	}
	*out = s;
	return OK;
}

int http_server_port(const struct http_server *s) { return s->port; }

void http_server_free(struct http_server *s)
{
	if (!s)
		return;
	if (s->poll)
		uv_close((uv_handle_t *)s->poll, poll_closed);
	timer_stop(s->loop, s->timer);
	MHD_stop_daemon(s->daemon);
	free(s);
}
