/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The long part of the page as gzip. A thread packs it, once for each page, and only
 * while clients ask for it. A scrape does not wait: it gets the plain page until the
 * packed one is there.
 */
#ifndef EXPORTER_PACKED_H
#define EXPORTER_PACKED_H

#include "net/loop.h"
#include "net/server.h"

struct packed_page;

/* Work begins with the first client that asks; the loop is libuv's then. */
struct packed_page *packed_page_new(struct loop *loop);
/* There is another page. */
void packed_page_changed(struct packed_page *p, struct http_shared *page);
/* For a client that asks for it; NULL: the page of now is not packed yet. */
struct http_shared *packed_page_ask(struct packed_page *p);
void packed_page_free(struct packed_page *p); /* accepts NULL */

#endif
