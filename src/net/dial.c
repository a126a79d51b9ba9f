/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a name, then tries its addresses one by one. */
#include "net/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "net/fd.h"
#include "net/work.h"

/* The data of the resolver thread; a lookup may outlive its dial. */
struct lookup {
	struct dial *dial; /* NULL: the dial was stopped */
	char *host, *port;
	struct addrinfo *found;
	int code;
};

struct dial {
	struct loop *loop;
	struct lookup *lookup; /* NULL: finished */
	struct work *work;
	struct addrinfo *found;
	const struct addrinfo *next;
	int fd; /* the connecting socket; -1: none */
	struct fd_watch *watch;
	struct timer *late, *try_late;
	int64_t until_ms;
	char *host, *port;
	int error; /* errno of the last attempt */
	dial_done *done;
	void *ctx;
};

/* ---- ending ---- */

static void lookup_free(struct lookup *l)
{
	if (l->found)
		freeaddrinfo(l->found);
	free(l->host);
	free(l->port);
	free(l);
}

static void drop_try(struct dial *d)
{
	fd_watch_stop(TAKE(d->watch));
	timer_stop(d->loop, TAKE(d->try_late));
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

void dial_stop(struct dial *d)
{
	if (!d)
		return;
	drop_try(d);
	timer_stop(d->loop, d->late);
	if (d->lookup) {
		d->lookup->dial = NULL;
		work_stop(d->work);
	}
	if (d->found)
		freeaddrinfo(d->found);
	free(d->host);
	free(d->port);
	free(d);
}

static void end(struct dial *d, const char *why)
{
	dial_done *done = d->done;
	void *ctx = d->ctx;
	int fd = why ? -1 : d->fd;
	AUTO(str_free) struct str text = { 0 };
	if (why)
		str_addf(&text, "connecting to %s:%s: %s", d->host, d->port, why);
	else
		d->fd = -1;
	dial_stop(d);
	done(ctx, fd, why ? str_text(&text) : NULL);
}

static void late(void *dial)
{
	struct dial *d = dial;
	d->late = NULL;
	end(d, d->lookup ? "its name was not resolved in time" : "it does not answer in time");
}

/* ---- addresses ---- */

static void try_next(struct dial *d);

static void give_up_try(struct dial *d, int error)
{
	d->error = error;
	drop_try(d);
	try_next(d);
}

static void connected(void *dial, int events)
{
	struct dial *d = dial;
	int error = 0, on = 1;
	socklen_t n = sizeof(error);
	(void)events;
	if (getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0)
		error = errno;
	if (error) {
		give_up_try(d, error);
		return;
	}
	setsockopt(d->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	end(d, NULL);
}

static void try_took_long(void *dial)
{
	struct dial *d = dial;
	d->try_late = NULL;
	give_up_try(d, ETIMEDOUT);
}

/*
 * The time limit of an attempt, so that a silent address leaves time for the next ones.
 */
static int64_t share_ms(const struct dial *d)
{
	int64_t left = 1;
	for (const struct addrinfo *a = d->next; a; a = a->ai_next)
		left++;
	return (d->until_ms - loop_now_ms(d->loop)) / left + 1;
}

static void try_next(struct dial *d)
{
	const struct addrinfo *a = d->next;
	if (!a) {
		end(d, strerror(d->error));
		return;
	}
	d->next = a->ai_next;
	d->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int code = d->fd < 0 ? -1 : connect(d->fd, a->ai_addr, a->ai_addrlen);
	if ((code != 0 && errno != EINPROGRESS) ||
		failed(fd_watch_start(d->loop, d->fd, FD_WRITABLE, connected, d, &d->watch)))
		give_up_try(d, errno);
	else
		d->try_late = timer_start(d->loop, share_ms(d), try_took_long, d);
}

/* ---- names ---- */

static void look_up(void *job, const atomic_bool *stop)
{
	struct lookup *l = job;
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
	l->code = EAI_AGAIN;
	if (!atomic_load(stop))
		l->code = getaddrinfo(l->host, l->port, &wanted, &l->found);
}

static void looked_up(void *job)
{
	struct lookup *l = job;
	struct dial *d = l->dial;
	int code = l->code;
	if (d) {
		d->lookup = NULL;
		d->next = d->found = TAKE(l->found);
	}
	lookup_free(l);
	if (d && code != 0)
		end(d, gai_strerror(code));
	else if (d)
		try_next(d);
}

struct dial *dial_start(struct loop *uv_loop, const char *host, const char *port, int64_t time_ms,
	dial_done *done, void *ctx)
{
	struct dial *d = own_alloc(sizeof(*d));
	struct lookup *l = own_alloc(sizeof(*l));
	d->loop = uv_loop;
	d->lookup = l;
	d->fd = -1;
	d->host = own_strdup(host);
	d->port = own_strdup(port);
	d->until_ms = loop_now_ms(uv_loop) + time_ms;
	d->done = done;
	d->ctx = ctx;
	*l = (struct lookup){ .dial = d, .host = own_strdup(host), .port = own_strdup(port) };
	d->late = timer_start(uv_loop, time_ms, late, d);
	d->work = work_start(uv_loop, look_up, looked_up, l);
	return d;
}
