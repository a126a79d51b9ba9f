/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TailFile: a file from its beginning, and what is added to it, until the client has
 * heard enough.
 *
 * The first message has the path. A file that is not there yet is waited for. A message
 * that says ReadToEndAndClose, or the end of the client's messages, means: send what is
 * there, then end with OK. A file that is shorter than what was sent, or another one that
 * came in its place, is sent from its beginning.
 *
 * The file is looked at every TAIL_EVERY_MS (when there are many, all of them TAIL_LOOKS
 * times a second together), by its path: a file that was opened anew is
 * what the server of a network file system has now, and inotify hears nothing of other
 * clients' writes. Bytes go out as they are, also those of a line that is not ended. What
 * is read next waits until the client has read what was sent: one piece is in memory, and
 * the more files are open the smaller it is.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "daemons/redbox/folders_parts.h"
#include "daemons/redbox/service_parts.h"

enum { TAIL_EVERY_MS = 250, TAIL_LOOKS = 200 };

struct tail {
	struct tail *prev, *next;
	struct service *service;
	struct grpc_call *call;
	char *path;
	int fd; /* -1: it is not there yet */
	off_t sent;
	bool ending; /* to the end, then close */
	bool over;   /* grpc_finish was called */
	struct timer *timer;
};

static void look(void *ctx);

static void finish(struct tail *t, struct err e)
{
	t->over = true;
	timer_stop(t->service->config.loop, TAKE(t->timer));
	if (failed(e))
		call_fail(t->call, "TailFile", e);
	else
		grpc_finish(t->call, GRPC_OK, "");
}

static void look_later(struct tail *t)
{
	int64_t share_ms = 1000 * (int64_t)t->service->files / TAIL_LOOKS;
	t->timer = timer_start(t->service->config.loop,
		share_ms > TAIL_EVERY_MS ? share_ms : TAIL_EVERY_MS, look, t);
}

/* What was not there is no fault, and neither is a moment without descriptors. */
static bool is_waited_for(struct err e) { return e.kind == ERR_NOT_FOUND || e.kind == ERR_RETRY; }

/*
 * The file that has the path now takes the place of the one that is open, and of that all
 * has been sent. false: there is nothing new. While the old one is open, no other has its
 * number.
 */
static bool look_anew(struct tail *t, struct err *e)
{
	struct stat old = { 0 }, now;
	int fd;
	*e = folders_open(t->service->config.folders, t->path, &fd);
	if (failed(*e))
		return false;
	if (fstat(fd, &now) != 0) {
		*e = folders_error("reading", t->path);
		close(fd);
		return false;
	}
	bool other = t->fd < 0 || fstat(t->fd, &old) != 0 || old.st_dev != now.st_dev ||
		old.st_ino != now.st_ino;
	if (t->fd >= 0)
		close(t->fd);
	t->fd = fd;
	if (other || now.st_size < t->sent)
		t->sent = 0;
	return now.st_size > t->sent;
}

/* false: all that the open file has was sent. */
static bool send_piece(struct tail *t, struct err *e)
{
	size_t most = call_piece_bytes(t->service);
	AUTO(own_free) char *piece = own_alloc(most);
	ssize_t n = t->fd >= 0 ? pread(t->fd, piece, most, t->sent) : 0;
	if (n < 0 && errno == ESTALE) {
		close(t->fd); /* it was deleted on its server */
		t->fd = -1;
		return false;
	}
	if (n < 0)
		*e = folders_error("reading", t->path);
	if (n <= 0)
		return false;
	call_send_chunk(t->call, piece, (size_t)n);
	t->sent += n;
	return true;
}

static void look(void *ctx)
{
	struct tail *t = ctx;
	struct err e = OK, of_file = OK;
	t->timer = NULL;
	if (grpc_queued_bytes(t->call) > 0)
		return; /* goes on when it is writable */
	if (send_piece(t, &e))
		return;
	if (!failed(e) && look_anew(t, &of_file)) {
		if (send_piece(t, &e))
			return;
	}
	if (!failed(e) && failed(of_file) && (t->fd < 0 || !is_waited_for(of_file)))
		e = is_waited_for(of_file) && !t->ending ? OK : of_file;
	if (failed(e) || t->ending)
		finish(t, e);
	else
		look_later(t);
}

/* Now, whatever it waited for. */
static void look_now(struct tail *t)
{
	timer_stop(t->service->config.loop, TAKE(t->timer));
	if (!t->over)
		look(t);
}

/* ---- the call ---- */

static struct tail *begin(struct service *s, struct grpc_call *c, struct wlm_request *r)
{
	if (!*r->path) {
		call_fail(c, "TailFile", err_new(ERR_INVALID, "no path is given"));
		return NULL;
	}
	if (!call_takes_file(s, c, "TailFile"))
		return NULL;
	struct tail *t = own_alloc(sizeof(*t));
	*t = (struct tail){ .service = s, .call = c, .path = TAKE(r->path), .fd = -1 };
	DL_APPEND(s->tails, t);
	grpc_call_set(c, t);
	return t;
}

void tail_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	struct tail *t = grpc_call_state(c);
	if (t && t->over)
		return;
	struct err e = wlm_read(WLM_TAIL_FILE, bytes, n, &request);
	if (failed(e) && t)
		finish(t, e);
	else if (failed(e))
		call_fail(c, "TailFile", e);
	if (failed(e))
		return;
	bool first = !t;
	if (first)
		t = begin(s, c, &request);
	if (!t)
		return;
	t->ending |= request.read_to_end;
	if (first || request.read_to_end)
		look_now(t);
}

void tail_ended(void *ctx, struct grpc_call *c)
{
	struct tail *t = grpc_call_state(c);
	(void)ctx;
	if (!t) {
		grpc_finish(c, GRPC_INVALID_ARGUMENT, "no message came");
		return;
	}
	t->ending = true;
	look_now(t);
}

void tail_writable(void *ctx, struct grpc_call *c)
{
	struct tail *t = grpc_call_state(c);
	(void)ctx;
	if (t)
		look_now(t);
}

void tail_gone(void *ctx, struct grpc_call *c)
{
	struct tail *t = grpc_call_state(c);
	(void)ctx;
	if (!t)
		return;
	timer_stop(t->service->config.loop, t->timer);
	call_gives_file_back(t->service);
	DL_DELETE(t->service->tails, t);
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	free(t);
}

void tails_finish(struct service *s)
{
	struct tail *t;
	DL_FOREACH(s->tails, t)
	if (!t->over)
		finish(t, err_new(ERR_RETRY, "red-box ends: tail the file again"));
}
