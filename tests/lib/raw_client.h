/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client that sends and goes away as a test wants, on the thread of the loop under
 * test: the loop turns while it waits.
 */
#ifndef TESTS_LIB_RAW_CLIENT_H
#define TESTS_LIB_RAW_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"
#include "net/loop.h"

struct raw {
	struct loop *loop;
	int fd;
	struct str got;
	bool ended; /* the peer closed, or the connection died */
};

static inline void raw_stop(void *loop) { loop_uv_stop(loop); }

/* The loop does what there is to do, for about a millisecond. */
static inline void raw_turn(struct loop *l)
{
	timer_start(l, 1, raw_stop, l);
	loop_uv_run(l);
}

static inline struct raw raw_open(struct loop *l, int family, const void *at, socklen_t n)
{
	struct raw r = { .loop = l, .fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	assert_int_equal(connect(r.fd, at, n), 0);
	fcntl(r.fd, F_SETFL, O_NONBLOCK);
	return r;
}

static inline struct sockaddr_in raw_address(uint32_t ip, int port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(ip),
		.sin_port = htons((uint16_t)port),
	};
}

static inline struct raw raw_connect(struct loop *l, int port)
{
	const struct sockaddr_in at = raw_address(INADDR_LOOPBACK, port);
	return raw_open(l, AF_INET, &at, sizeof(at));
}

/* As another client of the machine: from 127.0.0.2. */
static inline struct raw raw_connect_as_other(struct loop *l, int port)
{
	const struct sockaddr_in from = raw_address(INADDR_LOOPBACK + 1, 0),
				 to = raw_address(INADDR_LOOPBACK, port);
	struct raw r = { .loop = l, .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	assert_int_equal(bind(r.fd, (const struct sockaddr *)&from, sizeof(from)), 0);
	assert_int_equal(connect(r.fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	fcntl(r.fd, F_SETFL, O_NONBLOCK);
	return r;
}

/* Reads what is there. */
static inline void raw_read(struct raw *r)
{
	char piece[65536];
	ssize_t n;
	while ((n = recv(r->fd, piece, sizeof(piece), 0)) > 0)
		str_add_bytes(&r->got, piece, (size_t)n);
	r->ended = r->ended || n == 0 || errno != EAGAIN;
}

/* All of it, or until the peer takes no more. */
static inline void raw_send_bytes(struct raw *r, const char *bytes, size_t n)
{
	while (n && !r->ended) {
		ssize_t sent = send(r->fd, bytes, n, MSG_NOSIGNAL);
		if (sent < 0 && errno != EAGAIN)
			return;
		bytes += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
		raw_turn(r->loop);
		raw_read(r);
	}
}

static inline void raw_send(struct raw *r, const char *text)
{
	raw_send_bytes(r, text, strlen(text));
}

/* Until the text has come. */
static inline void raw_wait(struct raw *r, const char *text)
{
	while (!strstr(str_text(&r->got), text)) {
		if (r->ended)
			fail_msg("\"%s\" did not come: %s", text, str_text(&r->got));
		raw_turn(r->loop);
		raw_read(r);
	}
}

/* Until the peer closes. */
static inline void raw_wait_end(struct raw *r)
{
	while (!r->ended) {
		raw_turn(r->loop);
		raw_read(r);
	}
}

static inline void raw_close(struct raw *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	str_free(&r->got);
}

/* As a process that died: a reset instead of an end. */
static inline void raw_reset(struct raw *r)
{
	struct linger now = { 1, 0 };
	setsockopt(r->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	raw_close(r);
}

#endif
