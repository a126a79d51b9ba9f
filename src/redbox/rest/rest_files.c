/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /open and /tail, within the folders that clients may see (folders.h). The next piece of
 * a file is read when its client has read the last one.
 */
#include "base/own.h"
#include "redbox/rest/rest_parts.h"

#define BYTES "application/octet-stream"

/* False: the call was refused. */
static bool begin(struct rest_call *c)
{
	const char *path = exchange_query(c->x, "path");
	if (str_empty(path)) {
		rest_refuse(c, 400, "no path query parameter is found");
		return false;
	}
	if (!rest_takes_file(c))
		return false;
	c->path = own_strdup(path);
	return true;
}

/* False: everything has been sent, or *e. */
static bool send_piece(struct rest_call *c, struct err *e)
{
	size_t most = rest_piece_bytes(c);
	AUTO(own_free) char *piece = own_alloc(most);
	size_t n = followed_read(&c->at, c->path, piece, most, e);
	/* Nothing else waits for the client, so that there is room for the piece */
	return n && exchange_write(c->x, piece, n);
}

/* ---- /open ---- */

static void open_on(void *ctx)
{
	struct rest_call *c = ctx;
	struct err e = OK;
	if (!send_piece(c, &e))
		rest_end(c, e);
}

void rest_open(struct rest_call *c)
{
	if (!begin(c))
		return;
	struct err e = folders_open(c->rest->config.service->config.folders, c->path, &c->at.fd);
	if (e.kind == ERR_NOT_FOUND) {
		rest_refuse(c, 404, "");
		return;
	}
	if (failed(e)) {
		rest_fail(c, e);
		return;
	}
	rest_stream(c, BYTES);
	exchange_on_drained(c->x, open_on);
}

/* ---- /tail ---- */

/* Goes on when the client has read the piece, or later. */
static void look(void *ctx)
{
	struct rest_call *c = ctx;
	struct service *s = c->rest->config.service;
	struct err e = OK, of_file = OK;
	c->timer = NULL;
	if (send_piece(c, &e))
		return;
	bool newer = !failed(e) && followed_look(&c->at, s->config.folders, c->path, &of_file);
	if (newer && send_piece(c, &e))
		return;
	if (!failed(e) && failed(of_file) && !followed_waits(of_file))
		e = of_file;
	if (failed(e))
		rest_end(c, e);
	else
		c->timer = timer_start(c->rest->config.loop, followed_pause_ms(s->files.used), look,
			c);
}

/* Called again with each piece that was read, and before the first. */
static void look_on(void *ctx)
{
	struct rest_call *c = ctx;
	if (!c->timer)
		look(c);
}

/* A path that no file can have is refused before the head of the answer is sent. */
void rest_tail(struct rest_call *c)
{
	if (!begin(c))
		return;
	struct err e;
	followed_look(&c->at, c->rest->config.service->config.folders, c->path, &e);
	if (failed(e) && !followed_waits(e)) {
		rest_fail(c, e);
		return;
	}
	rest_stream(c, BYTES);
	exchange_on_drained(c->x, look_on);
}
