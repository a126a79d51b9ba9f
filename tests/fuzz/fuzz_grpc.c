/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of clients to the gRPC server. The bits of the first byte: the preface of HTTP/2
 * and empty settings come before the rest; the server finishes half-way; the bytes come
 * in two pieces; the client reads nothing.
 *
 * For every input: each call that began is told gone once, hears nothing afterwards, gets
 * no message above the limit, and nothing is left of it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "grpc/server_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { WITH_PREFACE = 1, FINISHES = 2, IN_PIECES = 4, READS_NOTHING = 8, MOST_MESSAGE = 100000 };

/* The state of each call; who calls too much finds it freed. */
struct state {
	struct grpc_call *call;
	int ends;
};

static void begin(void *calls, struct grpc_call *c)
{
	struct state *s = own_alloc(sizeof(*s));
	if (grpc_call_peer(c)->pid != 1 || grpc_call_deadline_ms(c) <= 0)
		abort();
	s->call = c;
	++*(int *)calls;
	grpc_call_set(c, s);
}

static void check(struct grpc_call *c)
{
	if (((struct state *)grpc_call_state(c))->call != c)
		abort();
}

static void echo(void *calls, struct grpc_call *c, const void *bytes, size_t n)
{
	(void)calls;
	check(c);
	if (n > MOST_MESSAGE)
		abort();
	if (n && memchr(bytes, '!', n))
		grpc_finish(c, GRPC_INVALID_ARGUMENT, "caf\303\251 100%\n");
	if (grpc_queued_bytes(c) < MOST_MESSAGE)
		grpc_send(c, bytes, n);
}

static void end(void *calls, struct grpc_call *c)
{
	struct state *s = grpc_call_state(c);
	(void)calls;
	check(c);
	if (s->ends++)
		abort();
	grpc_finish(c, GRPC_OK, "");
}

static void pour(void *calls, struct grpc_call *c)
{
	(void)calls;
	check(c);
	grpc_send(c, "more", 4);
}

static void gone(void *calls, struct grpc_call *c)
{
	struct state *s = grpc_call_state(c);
	check(c);
	--*(int *)calls;
	s->call = NULL;
	free(s);
}

static const struct grpc_method methods[] = {
	{ "/a.B/C", begin, echo, end, NULL, gone },
	{ "/a.B/D", begin, echo, end, pour, gone },
	{ NULL },
};

static int listening(void)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any.sun_family)) || listen(fd, 1))
		abort();
	return fd;
}

static void stop(void *loop) { loop_uv_stop(loop); }

/* libuv looks at timers, then at descriptors, then at timers. */
static void stop_next_time(void *loop) { timer_start(loop, 0, stop, loop); }

/* The server takes what was sent; what it sends is thrown away. */
static void turn(struct loop *l, int fd, unsigned mode)
{
	char bytes[65536];
	timer_start(l, 0, stop_next_time, l);
	loop_uv_run(l);
	while (!(mode & READS_NOTHING) && recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

static void play(struct loop *l, struct grpc_server *s, const uint8_t *bytes, size_t n,
	unsigned mode)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
	const struct grpc_peer peer = { 1, 2, 3 };
	int ends[2];
	size_t first = mode & (IN_PIECES | FINISHES) ? n / 2 : n;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
		abort();
	connection_add(s, (struct end){ ends[0], NULL }, &peer);
	if (mode & WITH_PREFACE)
		send(ends[1], preface, sizeof(preface) - 1, MSG_NOSIGNAL);
	send(ends[1], bytes, first, MSG_NOSIGNAL);
	for (int i = 0; i < 3; i++)
		turn(l, ends[1], mode);
	if (mode & FINISHES)
		grpc_server_finish(s);
	send(ends[1], bytes + first, n - first, MSG_NOSIGNAL);
	for (int i = 0; i < 3; i++)
		turn(l, ends[1], mode);
	shutdown(ends[1], SHUT_WR);
	for (int i = 0; s->connections && grpc_server_under_way(s) && i < 8; i++)
		turn(l, ends[1], mode);
	close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct loop *loop;
	struct grpc_server *s;
	int calls = 0;
	if (n < 1 || n > 65536)
		return 0;
	log_set_level(LOG_ERROR);
	loop = loop ? loop : loop_uv_new();
	const struct grpc_config config = {
		.listen_fd = listening(),
		.methods = methods,
		.ctx = &calls,
		.max_message_bytes = MOST_MESSAGE,
	};
	if (failed(grpc_server_start(loop, &config, &s)))
		abort();
	play(loop, s, bytes + 1, n - 1, bytes[0]);
	if (grpc_server_under_way(s) != (size_t)calls)
		abort();
	while (s->connections)
		connection_free(s->connections);
	if (calls != 0 || s->messages.used != 0 || s->under_way != 0)
		abort();
	grpc_server_free(s);
	return 0;
}
