/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small plain-HTTP server for health and metrics. The only user of libmicrohttpd. GET
 * only; one handler for all paths.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "base/err.h"
#include "base/str.h"
#include "net/loop.h"

struct http_server;
/*
 * Fills body and content_type (a literal), gives the status. Called on the loop's thread.
 */
typedef int http_handler(void *ctx, const char *path, struct str *body, const char **content_type);
/* address: ":8080" or "127.0.0.1:0". */
struct err http_server_new(struct loop *uv_loop, const char *address, http_handler *handler,
	void *ctx, struct http_server **out);
int http_server_port(const struct http_server *s);
void http_server_free(struct http_server *s); /* accepts NULL */

#endif
