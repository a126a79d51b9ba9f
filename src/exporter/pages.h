/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of now, and one before it for clients that have not read it to the end. A
 * client that reads nothing keeps its page until the server ends it (request_ms), so
 * with a page for each of them a few dozen would need gigabytes. The next page therefore
 * waits until clients have left the one before, but not for long.
 */
#ifndef EXPORTER_PAGES_H
#define EXPORTER_PAGES_H

#include "net/server.h"

/* Begins as zeroes. */
struct pages {
	struct http_shared *now, *before;
	int64_t turned_ms;
};

enum { PAGES_WAIT_MS = 10000 };

/* True if there may be another page; false: ask again later. */
bool pages_ready(struct pages *p, int64_t now_ms);
/* Takes ownership of the next page. */
void pages_turn(struct pages *p, struct http_shared *next, int64_t now_ms);
void pages_free(struct pages *p);

#endif
