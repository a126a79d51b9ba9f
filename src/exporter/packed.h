/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The long part of the page as gzip. A thread compresses each page once, and only while
 * clients request gzip. A scrape does not wait: it gets the plain page until the
 * compressed page is ready.
 */
#ifndef EXPORTER_PACKED_H
#define EXPORTER_PACKED_H

#include "net/loop.h"
#include "net/server.h"

struct packed_page;

/* Compression starts with the first request for gzip; the loop must be libuv's then. */
struct packed_page *packed_page_new(struct loop *loop);
/* Sets a new current page. */
void packed_page_changed(struct packed_page *p, struct http_shared *page);
/* For a client that accepts gzip. NULL: the current page is not yet compressed. */
struct http_shared *packed_page_ask(struct packed_page *p);
void packed_page_free(struct packed_page *p); /* accepts NULL */

#endif
