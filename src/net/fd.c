/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors on the loop of libuv. */
#include "net/fd.h"

#include "base/own.h"
#include "net/loop_uv.h"

struct fd_watch {
	uv_poll_t uv; /* first: a uv_handle_t * is this */
	struct loop *loop;
	int wanted;
	uint64_t waits_since;
	fd_ready *ready;
	void *ctx;
};

static const struct {
	int ours, uvs;
} events_of_uv[] = {
	{ FD_READABLE, UV_READABLE },
	{ FD_WRITABLE, UV_WRITABLE },
	{ FD_GONE, UV_DISCONNECT },
};

static int to_uv(int ours)
{
	int uvs = 0;
	for (size_t i = 0; i < LENGTH(events_of_uv); i++)
		uvs |= ours & events_of_uv[i].ours ? events_of_uv[i].uvs : 0;
	return uvs;
}

static int from_uv(int uvs)
{
	int ours = 0;
	for (size_t i = 0; i < LENGTH(events_of_uv); i++)
		ours |= uvs & events_of_uv[i].uvs ? events_of_uv[i].ours : 0;
	return ours;
}

static void poll_ready(uv_poll_t *uv, int status, int events)
{
	struct fd_watch *w = (struct fd_watch *)uv;
	if (status < 0) {
		/*
		 * libuv has stopped the handle, but more bytes than one call reads may
		 * precede the error.
		 */
		uv_poll_start(&w->uv, to_uv(w->wanted), poll_ready);
		w->ready(w->ctx, w->wanted);
	} else if (!loop_uv_put_off(w->loop, &w->waits_since)) {
		w->ready(w->ctx, from_uv(events));
	}
}

static void poll_closed(uv_handle_t *handle) { free(handle); }

struct err fd_watch_start(struct loop *uv_loop, int fd, int events, fd_ready *ready, void *ctx,
	struct fd_watch **out)
{
	struct fd_watch *w = own_alloc(sizeof(*w));
	int code = uv_poll_init(loop_uv_handle(uv_loop), &w->uv, fd);
	if (code != 0) {
		free(w);
		return err_new(ERR_INTERNAL, "a descriptor cannot join the event loop: %s",
			uv_strerror(code));
	}
	w->loop = uv_loop;
	w->wanted = events;
	w->ready = ready;
	w->ctx = ctx;
	uv_poll_start(&w->uv, to_uv(events), poll_ready);
	*out = w;
	return OK;
}

void fd_watch_stop(struct fd_watch *w)
{
	if (!w)
		return;
	uv_poll_stop(&w->uv);
	uv_close((uv_handle_t *)&w->uv, poll_closed);
}
