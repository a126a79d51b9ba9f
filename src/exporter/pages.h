/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The current page, and the previous page for clients that still read it. A client that
 * does not read keeps its page until the server ends the request (request_ms). If each
 * such client had its own page, a few dozen clients would need gigabytes. Therefore a new
 * page waits until clients have finished the previous page, but only for a limited time.
 */
#ifndef EXPORTER_PAGES_H
#define EXPORTER_PAGES_H

#include "net/server.h"

/* Begin with zeros. */
struct pages {
	struct http_shared *now, *before;
	int64_t turned_ms;
};

enum { PAGES_WAIT_MS = 10000 };

/* True if a new page may be set; false: try again later. */
bool pages_ready(struct pages *p, int64_t now_ms);
/* Takes ownership of the next page. */
void pages_turn(struct pages *p, struct http_shared *next, int64_t now_ms);
void pages_free(struct pages *p);

#endif
