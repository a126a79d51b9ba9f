/* SPDX-License-Identifier: Apache-2.0 */
/* Where a server on this machine is, by its URL. */
#include "net/plain_way.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"
#include "net/listen.h"

static struct err to_socket(struct plain_way *w, const char *path)
{
	if (*path != '/' || strlen(path) >= sizeof(w->at.local.sun_path))
		return err_new(ERR_INVALID, "behind unix: stands the absolute path of a socket");
	w->at.local.sun_family = AF_UNIX;
	memcpy(w->at.local.sun_path, path, strlen(path) + 1);
	w->bytes = sizeof(w->at.local);
	return OK;
}

static bool is_here(struct plain_way *w, const char *host)
{
	if (inet_pton(AF_INET, host, &w->at.v4.sin_addr) == 1) {
		w->at.v4.sin_family = AF_INET;
		w->bytes = sizeof(w->at.v4);
		return ntohl(w->at.v4.sin_addr.s_addr) >> 24 == 127;
	}
	if (inet_pton(AF_INET6, host, &w->at.v6.sin6_addr) != 1)
		return false;
	w->at.v6.sin6_family = AF_INET6;
	w->bytes = sizeof(w->at.v6);
	return IN6_IS_ADDR_LOOPBACK(&w->at.v6.sin6_addr);
}

static struct err to_port(struct plain_way *w, const char *address)
{
	char host[MAX_HOST_BYTES];
	const char *port;
	int64_t number;
	if (!address_split(address, host, &port) || !str_to_i64(port, 1, 65535, &number) ||
		!is_here(w, host))
		return err_new(ERR_INVALID,
			"behind http:// stand an address of this machine itself and a port, such "
			"as 127.0.0.1:6820: what goes over a network would be in plain text");
	*(w->at.any.sa_family == AF_INET ? &w->at.v4.sin_port
					 : &w->at.v6.sin6_port) = htons((uint16_t)number);
	return OK;
}

struct err plain_way_find(struct plain_way *w, const char *base_url)
{
	if (str_has_prefix(base_url, "unix:"))
		return to_socket(w, base_url + 5);
	if (str_has_prefix(base_url, "http://"))
		return to_port(w, base_url + 7);
	return err_new(ERR_INVALID, "unix:/PATH or http://127.0.0.1:PORT is wanted");
}
