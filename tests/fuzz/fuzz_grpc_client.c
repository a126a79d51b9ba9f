/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a server to our client of red-box. The bits of the first byte: its settings
 * and an answer's headers come before the rest; the bytes come in two pieces; files are
 * paused half-way; one of the calls is cancelled; the client is freed before the end.
 *
 * For every input: each call is told once how it ended, none is told of a job without a
 * number, and nothing is left of any.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "wlm/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { GREETS = 1, IN_PIECES = 2, PAUSES = 4, CANCELS = 8, FREED_EARLY = 16 };
enum { CALLS = 16, TURNS = 4 };

/* Which of the calls a callback belongs to. */
struct slot {
	struct state *s;
	int number;
};

struct state {
	struct loop *loop;
	struct grpc_client *client;
	struct slot slots[CALLS];
	struct wlm_call *calls[CALLS]; /* NULL: it is over */
	int under_way;
};

static void done(void *slot, struct err e, const struct wlm_answer *a)
{
	const struct slot *at = slot;
	if (!at->s->calls[at->number])
		abort();
	if (!failed(e) && at->number < 2 && a->job_id <= 0)
		abort();
	if (a->left_out < 0 || a->checksum.size < 0)
		abort();
	for (size_t i = 0; i < a->n_jobs; i++)
		if (a->jobs[i].id <= 0)
			abort();
	at->s->calls[at->number] = NULL;
	at->s->under_way--;
}

static void content(void *slot, struct wlm_call *c, const void *bytes, size_t n)
{
	const struct slot *at = slot;
	if (at->s->calls[at->number] != c || !n || !bytes)
		abort();
}

static void file(void *slot, struct wlm_call *c, const struct wlm_file *f)
{
	const struct slot *at = slot;
	if (at->s->calls[at->number] != c || at->number != 14 || !*f->path || *f->path == '/')
		abort();
}

static struct wlm_caller by(struct state *s, int number)
{
	s->slots[number] = (struct slot){ s, number };
	return (struct wlm_caller){ s->client, 1000, done, content, NULL, &s->slots[number], file };
}

#define CALL(number, call)                            \
	do {                                          \
		struct wlm_caller me = by(s, number); \
		s->calls[number] = (call);            \
		s->under_way++;                       \
	} while (0)

static void begin_all(struct state *s)
{
	static const struct wlm_container_ask image = { .image = "x" };
	CALL(0, wlm_submit(&me, "x", "", "", 0));
	CALL(1, wlm_submit_container(&me, &image));
	CALL(2, wlm_job_info(&me, 1, NULL));
	CALL(3, wlm_open(&me, "a", 0));
	CALL(4, wlm_close(&me, "a"));
	CALL(5, wlm_resources(&me, "p"));
	CALL(6, wlm_partitions(&me));
	CALL(7, wlm_workload(&me));
	CALL(8, wlm_cancel(&me, 1, NULL));
	CALL(9, wlm_open(&me, "b", 3));
	CALL(10, wlm_job_info(&me, 0, "a"));
	CALL(11, wlm_tail(&me, "a"));
	CALL(12, wlm_create(&me, &(struct wlm_new_file){ .path = "a" }));
	CALL(13, wlm_tail(&me, "b"));
	CALL(14, wlm_list_files(&me, "a"));
	CALL(15, wlm_checksum(&me, "a"));
	wlm_create_add(s->calls[12], "content", 7);
	wlm_create_finish(s->calls[12]);
	wlm_tail_finish(s->calls[13]);
}

static void stop(void *loop) { loop_uv_stop(loop); }

/* libuv looks at timers, then at descriptors, then at timers. */
static void stop_next_time(void *loop) { timer_start(loop, 0, stop, loop); }

/* The client takes what was sent; what it sends is thrown away. */
static void turns(struct state *s, int fd)
{
	char bytes[65536];
	for (int i = 0; i < TURNS; i++) {
		timer_start(s->loop, 0, stop_next_time, s->loop);
		loop_uv_run(s->loop);
		while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			;
	}
}

static void each_file(struct state *s, void (*does)(struct wlm_call *c))
{
	for (int i = 0; i < CALLS; i++)
		if (s->calls[i] && (i == 3 || i == 11))
			does(s->calls[i]);
}

static void play(struct state *s, int fd, const uint8_t *bytes, size_t n, unsigned mode)
{
	/* Settings, then headers of stream 1: 200, and gRPC's type. */
	static const char hello[] = "\0\0\0\4\0\0\0\0\0"
				    "\0\0\x21\1\4\0\0\0\1\x88\0\x0c"
				    "content-type\x10"
				    "application/grpc";
	size_t first = mode & IN_PIECES ? n / 2 : n;
	turns(s, fd);
	send(fd, hello, mode & GREETS ? sizeof(hello) - 1 : 9, MSG_NOSIGNAL);
	turns(s, fd);
	if (mode & PAUSES)
		each_file(s, wlm_pause);
	send(fd, bytes, first, MSG_NOSIGNAL);
	turns(s, fd);
	if (mode & CANCELS && s->calls[11]) {
		wlm_call_cancel(TAKE(s->calls[11]));
		s->under_way--;
	}
	if (mode & PAUSES)
		each_file(s, wlm_resume);
	send(fd, bytes + first, n - first, MSG_NOSIGNAL);
	turns(s, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct loop *loop;
	struct state s = { 0 };
	int ends[2];
	if (n < 1 || n > 65536)
		return 0;
	log_set_level(LOG_ERROR);
	s.loop = loop = loop ? loop : loop_uv_new();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
		abort();
	const struct grpc_client_config config = { .fd = ends[0], .max_message_bytes = 100000 };
	if (failed(grpc_client_new(loop, &config, &s.client)))
		abort();
	begin_all(&s);
	play(&s, ends[1], bytes + 1, n - 1, bytes[0]);
	if (!(bytes[0] & FREED_EARLY)) {
		shutdown(ends[1], SHUT_WR);
		for (int i = 0; s.under_way && i < 8; i++)
			turns(&s, ends[1]);
		if (s.under_way)
			abort(); /* the connection has gone, and there is no other */
	}
	grpc_client_free(s.client);
	if (s.under_way)
		abort();
	close(ends[1]);
	return 0;
}
