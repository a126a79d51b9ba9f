/* SPDX-License-Identifier: Apache-2.0 */
/* Where a server on this machine is; for the plain client only. */
#ifndef NET_PLAIN_WAY_H
#define NET_PLAIN_WAY_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/err.h"

struct plain_way {
	union {
		struct sockaddr any;
		struct sockaddr_un local;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at;
	socklen_t bytes;
};

/* http_plain_new says which URLs are taken. *w is zero before. */
struct err plain_way_find(struct plain_way *w, const char *base_url);

#endif
