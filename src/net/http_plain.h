/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small HTTP client without libcurl, for a program that is to link little: plain
 * HTTP/1.0 with a server on this machine, by a unix socket or by loopback. A connection
 * for each request; nothing is sent twice.
 *
 * Of struct http_request it knows no streams (on_data) and no secrets. It follows no
 * redirection, and uses no proxy.
 */
#ifndef NET_HTTP_PLAIN_H
#define NET_HTTP_PLAIN_H

#include "net/http.h"

/*
 * "unix:/PATH", or "http://127.0.0.1:PORT" ("http://[::1]:PORT"). ERR_INVALID: it is
 * neither, or would leave this machine in plain text.
 */
struct err http_plain_new(struct loop *uv_loop, const char *base_url, struct http **out);
/* Whether it would be taken. */
struct err http_plain_check(const char *base_url);

#endif
