/* SPDX-License-Identifier: Apache-2.0 */
/* OpenFile and CreateFile. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "redbox/files/folders_parts.h"
#include "redbox/service_parts.h"
#include "net/sha256.h"

/* ---- OpenFile ---- */

/* Pieces sent in one turn, if the client has few files or many; then it must read */
enum { PIECES_AT_ONCE = 4, MANY_FILES = 16 };

struct opened {
	struct service *service;
	char *path;
	int fd; /* -1: closed */
};

static void send_pieces(struct opened *o, struct grpc_call *c)
{
	size_t most = call_piece_bytes(o->service, c);
	int pieces = call_files(o->service, c) < MANY_FILES ? PIECES_AT_ONCE : 1;
	AUTO(own_free) char *piece = own_alloc(most);
	for (int i = 0; i < pieces && o->fd >= 0; i++) {
		ssize_t n = read(o->fd, piece, most);
		if (n > 0) {
			call_send_chunk(c, piece, (size_t)n);
			continue;
		}
		if (n < 0)
			call_fail(c, "OpenFile", folders_error("reading", o->path));
		else
			grpc_finish(c, GRPC_OK, "");
		close(o->fd);
		o->fd = -1;
	}
}

/* Starts at the offset. ERR_INVALID: the file is shorter. */
static struct err leave_out(int fd, const char *path, int64_t offset)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return folders_error("opening", path);
	if (offset < 0 || offset > st.st_size)
		return err_new(ERR_INVALID,
			"%s has %lld bytes, and the offset should be from 0 to that, not %lld",
			path, (long long)st.st_size, (long long)offset);
	return lseek(fd, offset, SEEK_SET) >= 0 ? OK : folders_error("reading", path);
}

void open_file_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	if (grpc_call_state(c)) {
		call_fail(c, "OpenFile", err_new(ERR_INVALID, "a second message came"));
		return;
	}
	struct err e = wlm_read(WLM_OPEN_FILE, bytes, n, &request);
	if (failed(e)) {
		call_fail(c, "OpenFile", e);
		return;
	}
	if (!call_takes_file(s, c, "OpenFile"))
		return;
	struct opened *o = own_alloc(sizeof(*o));
	*o = (struct opened){ .service = s, .path = TAKE(request.path), .fd = -1 };
	grpc_call_set(c, o);
	e = folders_open(s->config.folders, o->path, &o->fd);
	if (!failed(e) && request.offset)
		e = leave_out(o->fd, o->path, request.offset);
	if (failed(e))
		call_fail(c, "OpenFile", e);
	else
		send_pieces(o, c);
}

void open_file_ended(void *ctx, struct grpc_call *c)
{
	(void)ctx;
	if (!grpc_call_state(c))
		grpc_finish(c, GRPC_INVALID_ARGUMENT, "no message came");
}

void open_file_writable(void *ctx, struct grpc_call *c)
{
	struct opened *o = grpc_call_state(c);
	(void)ctx;
	if (o)
		send_pieces(o, c);
}

void open_file_gone(void *ctx, struct grpc_call *c)
{
	struct opened *o = grpc_call_state(c);
	(void)ctx;
	if (!o)
		return;
	call_gives_file_back(o->service, c);
	if (o->fd >= 0)
		close(o->fd);
	free(o->path);
	free(o);
}

/* ---- CreateFile ---- */

struct created {
	struct service *service;
	struct grpc_call *call; /* NULL: the call has ended */
	struct new_file *file;  /* NULL: failed or finished */
	size_t bytes;
	bool is_summed; /* the client has sent the expected checksum: */
	uint8_t wanted[SHA256_BYTES];
	struct work *work; /* finishes the file in a thread */
	struct err result;
};

enum { USUAL_MODE = 0666 };

static void created_free(struct created *w)
{
	new_file_drop(w->file);
	free(w);
}

/* Reads the requested mode and checksum. The owner can always read the file. */
static struct err take_wishes(struct created *w, const struct wlm_request *r, int *mode)
{
	*mode = r->mode ? (int)(r->mode & 0777) | 0400 : USUAL_MODE;
	w->is_summed = r->sha256.len != 0;
	if (!w->is_summed)
		return OK;
	if (r->sha256.len != SHA256_BYTES)
		return err_new(ERR_INVALID, "sha256 has %zu bytes, and should have %d",
			r->sha256.len, SHA256_BYTES);
	memcpy(w->wanted, str_text(&r->sha256), SHA256_BYTES);
	return OK;
}

static struct err begin(struct service *s, struct grpc_call *c, const struct wlm_request *r)
{
	struct created *w = own_alloc(sizeof(*w));
	int mode;
	*w = (struct created){ .service = s, .call = c };
	grpc_call_set(c, w);
	struct err e = take_wishes(w, r, &mode);
	return failed(e) ? e : new_file_begin(s->config.folders, r->path, mode, &w->file);
}

static struct err add(struct created *w, const struct wlm_request *r)
{
	w->bytes += r->content.len;
	if (w->bytes > CREATE_FILE_BYTES)
		return err_new(ERR_TOO_LARGE, "the file has more than %d bytes", CREATE_FILE_BYTES);
	return new_file_add(w->file, str_text(&r->content), r->content.len);
}

/* Paths after the first message are ignored: clients send none, or the same path. */
void create_file_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	struct service *s = ctx;
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	struct err e = wlm_read(WLM_CREATE_FILE, bytes, n, &request);
	if (!grpc_call_state(c) && !failed(e)) {
		if (!call_takes_file(s, c, "CreateFile"))
			return;
		e = begin(s, c, &request);
	}
	struct created *w = grpc_call_state(c);
	if (!failed(e) && w->file)
		e = add(w, &request);
	if (!failed(e))
		return;
	if (w)
		new_file_drop(TAKE(w->file));
	call_fail(c, "CreateFile", e);
}

/* Runs in a thread: checksum and sync of a gigabyte take seconds. */
static void finish(void *created, const atomic_bool *stop)
{
	struct created *w = created;
	if (w->is_summed)
		w->result = new_file_check(w->file, w->wanted, stop);
	if (!failed(w->result))
		w->result = new_file_finish(TAKE(w->file));
	else
		new_file_drop(TAKE(w->file));
}

static void finished(void *created)
{
	struct created *w = created;
	w->work = NULL;
	if (!w->call) {
		created_free(w);
	} else if (failed(w->result)) {
		call_fail(w->call, "CreateFile", w->result);
	} else {
		grpc_send(w->call, "", 0);
		grpc_finish(w->call, GRPC_OK, "");
	}
}

void create_file_ended(void *ctx, struct grpc_call *c)
{
	struct created *w = grpc_call_state(c);
	struct service *s = ctx;
	if (w && w->file)
		w->work = work_start(s->config.loop, finish, finished, w);
	else
		grpc_finish(c, GRPC_INVALID_ARGUMENT, "no message came");
}

void create_file_gone(void *ctx, struct grpc_call *c)
{
	struct created *w = grpc_call_state(c);
	(void)ctx;
	if (!w)
		return;
	call_gives_file_back(w->service, c);
	w->call = NULL;
	if (w->work)
		work_stop(w->work);
	else
		created_free(w);
}
