/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TailFile: sends a file from its beginning, and what is added to it, until the client
 * ends the call. TailLines: sends the last lines of a file (last_lines.h), and what is
 * added.
 *
 * The first message has the path. If the file does not exist yet, the call waits for it.
 * A message with ReadToEndAndClose, or the end of the client's messages, means: send the
 * content up to now, then end with OK. A file that is shorter than what was sent, or
 * another file that replaces it, is sent from its beginning.
 *
 * Every FOLLOWED_EVERY_MS the file is opened again by its path, because only a newly
 * opened file shows the present state of a network file system, and inotify does not
 * report writes of other hosts. All files together are opened at most FOLLOWED_LOOKS
 * times a second. Bytes are sent as they are, also those of an unfinished line. The next
 * piece is read when the client has read the last one. So only one piece is in memory,
 * and it is smaller if more files are open.
 *
 * TailLines first sends an empty Chunk, because the search may take long: it reads
 * SEARCHED_AT_ONCE pieces in a turn. A file that does not exist at first is sent from its
 * beginning when it appears. If the first message of TailLines has ReadToEndAndClose, the
 * call reads one open file up to its size at first, and ends with ABORTED if the file has
 * become shorter. So the client gets exactly the lines that it requested, or an error.
 * While a client follows, a file that shrinks is sent from its beginning.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

#include "base/own.h"
#include "redbox/files/folders_parts.h"
#include "redbox/files/followed.h"
#include "redbox/files/last_lines.h"
#include "redbox/service_parts.h"

enum { SEARCHED_AT_ONCE = 4 };

struct tail {
	struct tail *prev, *next;
	struct service *service;
	struct grpc_call *call;
	char *path;
	struct followed at;
	bool ending; /* send up to the end, then close */
	bool over;   /* grpc_finish was called */
	struct timer *timer;
	/* For TailLines: */
	bool is_of_lines;
	bool searching;          /* the start of the lines is not known yet */
	int64_t wanted;          /* number of lines */
	struct last_lines lines; /* the search, once the file is open */
	/* where a call ends that does not follow; -1: it follows */
	off_t until;
};

static void look(void *ctx);

static void finish(struct tail *t, struct err e)
{
	t->over = true;
	timer_stop(t->service->config.loop, TAKE(t->timer));
	if (failed(e))
		call_fail(t->call, t->is_of_lines ? "TailLines" : "TailFile", e);
	else
		grpc_finish(t->call, GRPC_OK, "");
}

static void look_later(struct tail *t)
{
	t->timer = timer_start(t->service->config.loop,
		followed_pause_ms(call_files(t->service, t->call)), look, t);
}

static bool look_anew(struct tail *t, struct err *e)
{
	return followed_look(&t->at, t->service->config.folders, t->path, e);
}

/* false: the open file was sent completely. */
static bool send_piece(struct tail *t, struct err *e)
{
	size_t most = call_piece_bytes(t->service, t->call);
	if (t->until >= 0 && t->until - t->at.sent < (off_t)most)
		most = (size_t)(t->until - t->at.sent);
	AUTO(own_free) char *piece = own_alloc(most);
	size_t n = followed_read(&t->at, t->path, piece, most, e);
	if (!n)
		return false;
	call_send_chunk(t->call, piece, n);
	return true;
}

/* ---- the last lines ---- */

static bool follows(const struct tail *t) { return t->until < 0; }

static struct err shrank(const struct tail *t)
{
	return err_new(ERR_CONFLICT, "%s became shorter while it was read: read it again", t->path);
}

/* Ends the search: sends the file from here. */
static void send_from(struct tail *t, off_t from)
{
	t->searching = false;
	t->at.sent = from;
}

static void begin_search(struct tail *t)
{
	struct err e;
	struct stat now;
	look_anew(t, &e);
	if (!failed(e) && fstat(t->at.fd, &now) != 0)
		e = folders_error("reading", t->path);
	if (failed(e) && (!follows(t) || t->ending || !followed_waits(e))) {
		finish(t, e);
	} else if (e.kind == ERR_NOT_FOUND) {
		send_from(t, 0);
	} else if (failed(e)) {
		look_later(t);
	} else {
		t->lines = last_lines_begin(t->wanted, now.st_size);
		t->until = follows(t) ? -1 : now.st_size;
	}
}

/* Reads a range; returns fewer bytes only if the file ends. -1: errno */
static ssize_t read_range(int fd, char *bytes, const struct last_lines_step *s)
{
	size_t n = 0;
	while (n < s->bytes) {
		ssize_t more = pread(fd, bytes + n, s->bytes - n, s->from + (off_t)n);
		if (more < 0)
			return -1;
		if (more == 0)
			break;
		n += (size_t)more;
	}
	return (ssize_t)n;
}

/* Reads one range more. false: the search or the call has ended. */
static bool search_on(struct tail *t, char *piece, size_t most)
{
	struct stat now;
	if (fstat(t->at.fd, &now) != 0) {
		finish(t, folders_error("reading", t->path));
		return false;
	}
	const struct last_lines_step s = last_lines_next(&t->lines, now.st_size, most);
	if (s.what == LAST_LINES_FOUND) {
		send_from(t, s.from);
	} else if (s.what == LAST_LINES_CHANGED && follows(t)) {
		send_from(t, 0);
	} else if (s.what == LAST_LINES_CHANGED) {
		finish(t, shrank(t));
	} else {
		ssize_t n = read_range(t->at.fd, piece, &s);
		if (n >= 0)
			last_lines_take(&t->lines, &s, piece, (size_t)n);
		else
			finish(t, folders_error("reading", t->path));
	}
	return t->searching && !t->over;
}

/* false: the place to send from is not known yet, or the call has ended. */
static bool search(struct tail *t)
{
	size_t most = call_piece_bytes(t->service, t->call);
	if (t->at.fd < 0)
		begin_search(t);
	if (t->at.fd >= 0 && !t->over) {
		AUTO(own_free) char *piece = own_alloc(most);
		int i = 0;
		while (search_on(t, piece, most) && ++i < SEARCHED_AT_ONCE)
			;
	}
	if (t->at.fd >= 0 && t->searching && !t->over)
		t->timer = timer_start(t->service->config.loop, 0, look, t);
	return !t->searching && !t->over;
}

/* Sends the next piece of a file that is not followed. The file is not opened again. */
static void send_once(struct tail *t)
{
	struct err e = OK;
	if (t->at.sent >= t->until)
		finish(t, OK);
	else if (!send_piece(t, &e))
		finish(t, failed(e) ? e : shrank(t));
}

/* ---- one look at the file ---- */

static void look(void *ctx)
{
	struct tail *t = ctx;
	struct err e = OK, of_file = OK;
	t->timer = NULL;
	if (grpc_queued_bytes(t->call) > 0)
		return; /* tail_writable goes on */
	if (t->searching && !search(t))
		return;
	if (!follows(t)) {
		send_once(t);
		return;
	}
	if (send_piece(t, &e))
		return;
	if (!failed(e) && look_anew(t, &of_file)) {
		if (send_piece(t, &e))
			return;
	}
	if (!failed(e) && failed(of_file) && (t->at.fd < 0 || !followed_waits(of_file)))
		e = followed_waits(of_file) && !t->ending ? OK : of_file;
	if (failed(e) || t->ending)
		finish(t, e);
	else
		look_later(t);
}

/* Looks at once, even if a timer is running. */
static void look_now(struct tail *t)
{
	timer_stop(t->service->config.loop, TAKE(t->timer));
	if (!t->over)
		look(t);
}

/* ---- the call ---- */

static struct tail *begin(struct service *s, struct grpc_call *c, struct wlm_request *r,
	bool is_of_lines)
{
	const char *method = is_of_lines ? "TailLines" : "TailFile";
	if (!*r->path || (is_of_lines && r->lines < 0)) {
		call_fail(c, method,
			err_new(ERR_INVALID,
				*r->path ? "lines should be 0 or more" : "no path is given"));
		return NULL;
	}
	if (!call_takes_file(s, c, method))
		return NULL;
	struct tail *t = own_alloc(sizeof(*t));
	*t = (struct tail){
		.service = s,
		.call = c,
		.path = TAKE(r->path),
		.at = { .fd = -1 },
		.is_of_lines = is_of_lines,
		.searching = is_of_lines,
		.wanted = r->lines,
		.until = is_of_lines && r->read_to_end ? 0 : -1,
	};
	DL_APPEND(s->tails, t);
	grpc_call_set(c, t);
	if (is_of_lines)
		call_send_chunk(c, "", 0);
	return t;
}

static void take_message(struct service *s, struct grpc_call *c, const void *bytes, size_t n,
	bool is_of_lines)
{
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	struct tail *t = grpc_call_state(c);
	if (t && t->over)
		return;
	struct err e = wlm_read(WLM_TAIL_FILE, bytes, n, &request);
	if (failed(e) && t)
		finish(t, e);
	else if (failed(e))
		call_fail(c, is_of_lines ? "TailLines" : "TailFile", e);
	if (failed(e))
		return;
	bool first = !t;
	if (first)
		t = begin(s, c, &request, is_of_lines);
	if (!t)
		return;
	t->ending |= request.read_to_end;
	if (first || request.read_to_end)
		look_now(t);
}

void tail_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	take_message(ctx, c, bytes, n, false);
}

void tail_lines_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	take_message(ctx, c, bytes, n, true);
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
	call_gives_file_back(t->service, c);
	DL_DELETE(t->service->tails, t);
	followed_close(&t->at);
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
