/* SPDX-License-Identifier: Apache-2.0 */
/* The process was stopped for a while: timers come before sockets, whatever comes. */
#include "lib/test.h"
#include "lib/work_long.h"

#include <time.h>
#include <unistd.h>

#include "net/fd.h"
#include "net/loop_uv.h"

enum { FROZEN_MS = 1100, LEASE_MS = 10 };

struct scene {
	struct loop *loop;
	uv_poll_t socket; /* always ready */
	int ends[2], others[2];
	struct fd_watch *other;
	bool frozen, lease_is_over;
};

static void freeze(struct scene *s)
{
	const struct timespec t = { FROZEN_MS / 1000, FROZEN_MS % 1000 * 1000000L };
	nanosleep(&t, NULL);
	s->frozen = true;
}

/* As a socket of the HTTP client. */
static void socket_ready(uv_poll_t *uv, int status, int events)
{
	struct scene *s = uv->data;
	(void)status, (void)events;
	if (!s->frozen || loop_uv_overslept(s->loop))
		return;
	assert_true(s->lease_is_over);
	loop_uv_stop(s->loop);
}

static void lease_over(void *ctx) { ((struct scene *)ctx)->lease_is_over = true; }

static void given_a_socket_and_a_lease(struct scene *s)
{
	*s = (struct scene){ .loop = loop_uv_new() };
	assert_int_equal(pipe(s->ends), 0);
	assert_int_equal(pipe(s->others), 0);
	assert_int_equal(write(s->ends[1], "x", 1), 1);
	uv_poll_init(loop_uv_handle(s->loop), &s->socket, s->ends[0]);
	s->socket.data = s;
	uv_poll_start(&s->socket, UV_READABLE, socket_ready);
	timer_start(s->loop, LEASE_MS, lease_over, s);
}

static void free_scene(struct scene *s)
{
	uv_close((uv_handle_t *)&s->socket, NULL);
	fd_watch_stop(s->other);
	for (int i = 0; i < 2; i++) {
		close(s->ends[i]);
		close(s->others[i]);
	}
	loop_uv_free(s->loop);
}

static void freeze_and_work(void *ctx, int events)
{
	struct scene *s = ctx;
	char byte;
	(void)events;
	assert_int_equal(read(s->others[0], &byte, 1), 1);
	freeze(s);
	work_long();
}

static void a_timer_that_long_work_puts_off_still_comes_before_sockets(void **state)
{
	struct scene s;
	(void)state;
	given_a_socket_and_a_lease(&s);
	assert_int_equal(write(s.others[1], "x", 1), 1);
	assert_false(failed(fd_watch_start(s.loop, s.others[0], FD_READABLE, freeze_and_work, &s,
		&s.other)));
	loop_uv_run(s.loop);
	free_scene(&s);
}

/* Each read of the time brings that of the loop up to date. */
static void freeze_at_last(void *ctx)
{
	struct scene *s = ctx;
	freeze(s);
	loop_now_ms(s->loop);
}

static void then_freeze(void *ctx)
{
	struct scene *s = ctx;
	timer_start(s->loop, 0, freeze_at_last, s);
}

static void so_it_does_when_the_freeze_was_in_a_timer(void **state)
{
	struct scene s;
	(void)state;
	given_a_socket_and_a_lease(&s);
	timer_start(s.loop, 0, then_freeze, &s);
	loop_uv_run(s.loop);
	free_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_timer_that_long_work_puts_off_still_comes_before_sockets),
		cmocka_unit_test(so_it_does_when_the_freeze_was_in_a_timer),
	};
	return cmocka_run_group_tests_name("net_freeze", tests, NULL, NULL);
}
