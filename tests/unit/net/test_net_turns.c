/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each turn of the loop does one piece of long work: requests that come meanwhile are
 * served.
 */
#include "lib/metrics_page.h"
#include "lib/test.h"
#include "lib/work_long.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/metric.h"
#include "net/fd.h"
#include "net/loop_uv.h"

struct turns {
	struct loop *loop;
	struct fd_watch *watch;
	int ends[2];
	char order[8];
};

static void note(struct turns *t, char what)
{
	size_t n = strlen(t->order);
	assert_true(n + 1 < sizeof(t->order));
	t->order[n] = what;
}

static void first(void *ctx)
{
	struct turns *t = ctx;
	note(t, 'a');
	work_long();
	assert_int_equal(write(t->ends[1], "x", 1), 1);
}

static void second(void *ctx)
{
	note(ctx, 'b');
	work_long();
}

static void third(void *ctx)
{
	struct turns *t = ctx;
	note(t, 'c');
	loop_uv_stop(t->loop);
}

static void ready(void *ctx, int events)
{
	struct turns *t = ctx;
	char byte;
	(void)events;
	assert_int_equal(read(t->ends[0], &byte, 1), 1);
	note(t, 'x');
}

/* given: three that are due at once, the first two long */
static void begin(void *ctx)
{
	struct turns *t = ctx;
	timer_start(t->loop, 0, first, t);
	timer_start(t->loop, 0, second, t);
	timer_start(t->loop, 0, third, t);
}

/* Acceptance: gate-4 */
static void what_comes_during_long_work_is_served_before_more_of_it(void **state)
{
	struct turns t = { .loop = loop_uv_new() };
	(void)state;
	assert_int_equal(pipe(t.ends), 0);
	assert_false(failed(fd_watch_start(t.loop, t.ends[0], FD_READABLE, ready, &t, &t.watch)));
	timer_start(t.loop, 0, begin, &t);
	loop_uv_run(t.loop);
	/* then: the others waited for a turn, and for no more than one */
	assert_string_equal(t.order, "axbc");
	fd_watch_stop(t.watch);
	loop_uv_free(t.loop);
	close(t.ends[0]);
	close(t.ends[1]);
}

static void one_that_is_stopped_while_it_waits_is_not_called(void **state)
{
	struct turns t = { .loop = loop_uv_new() };
	(void)state;
	assert_int_equal(pipe(t.ends), 0);
	timer_start(t.loop, 0, first, &t);
	struct timer *stopped = timer_start(t.loop, 0, second, &t);
	assert_false(failed(fd_watch_start(t.loop, t.ends[0], FD_READABLE, ready, &t, &t.watch)));
	timer_start(t.loop, 50, third, &t);
	timer_stop(t.loop, stopped);
	loop_uv_run(t.loop);
	assert_string_equal(t.order, "axc");
	fd_watch_stop(t.watch);
	loop_uv_free(t.loop);
	close(t.ends[0]);
	close(t.ends[1]);
}

/* ---- many that are due at once ---- */

enum { DUE = 50, PIECE_MS = 2, MOST_IN_A_TURN = 6 };

struct due {
	struct loop *loop;
	uv_prepare_t turns;
	int went, in_this_turn, most_in_a_turn, next, before_urgent;
	struct one {
		struct due *all;
		int at;
	} each[DUE];
};

static void begin_turn(uv_prepare_t *uv) { ((struct due *)uv->data)->in_this_turn = 0; }

static void work_a_piece(void *ctx)
{
	struct one *o = ctx;
	struct due *d = o->all;
	int64_t since_ms = thread_cpu_ms();
	while (thread_cpu_ms() - since_ms < PIECE_MS)
		continue;
	assert_int_equal(o->at, d->next++);
	if (++d->in_this_turn > d->most_in_a_turn)
		d->most_in_a_turn = d->in_this_turn;
	if (++d->went == DUE)
		loop_uv_stop(d->loop);
}

static void urgent(void *ctx)
{
	struct due *d = ctx;
	d->before_urgent = d->went;
}

static void all_are_due(void *ctx)
{
	struct due *d = ctx;
	for (int i = 0; i < DUE; i++) {
		d->each[i] = (struct one){ d, i };
		timer_start(d->loop, 0, work_a_piece, &d->each[i]);
	}
	timer_start_urgent(d->loop, 0, urgent, d);
}

static void of_many_that_are_due_a_few_go_in_each_turn(void **state)
{
	struct due d = { .loop = loop_uv_new() };
	(void)state;
	uv_prepare_init(loop_uv_handle(d.loop), &d.turns);
	d.turns.data = &d;
	uv_prepare_start(&d.turns, begin_turn);
	timer_start(d.loop, 0, all_are_due, &d);
	loop_uv_run(d.loop);
	assert_in_range(d.most_in_a_turn, 1, MOST_IN_A_TURN);
	assert_in_range(d.before_urgent, 1, MOST_IN_A_TURN); /* a lease waits for none of them */
	loop_uv_free(d.loop);
}

/* ---- many that are ready at once ---- */

enum { CROWD = 6, ROUNDS = 4 };

struct crowd {
	struct loop *loop;
	uv_prepare_t turns;
	int turn, turn_served;
	size_t served;
	struct handshake {
		struct crowd *crowd;
		struct fd_watch *watch;
		int ends[2];
		int turn; /* in which it was served; 0: not yet */
		int times;
	} handshakes[CROWD];
};

static void count_turn(uv_prepare_t *uv) { ((struct crowd *)uv->data)->turn++; }

static void given_pipes(struct crowd *c)
{
	*c = (struct crowd){ .loop = loop_uv_new() };
	uv_prepare_init(loop_uv_handle(c->loop), &c->turns);
	c->turns.data = c;
	uv_prepare_start(&c->turns, count_turn);
	for (size_t i = 0; i < CROWD; i++) {
		c->handshakes[i].crowd = c;
		assert_int_equal(pipe(c->handshakes[i].ends), 0);
	}
}

static void watch(struct handshake *g, int fd, int events, fd_ready *serve)
{
	assert_false(failed(fd_watch_start(g->crowd->loop, fd, events, serve, g, &g->watch)));
}

/* given: all are ready before the loop runs */
static void given_a_crowd(struct crowd *c, fd_ready *serve)
{
	given_pipes(c);
	for (size_t i = 0; i < CROWD; i++) {
		assert_int_equal(write(c->handshakes[i].ends[1], "x", 1), 1);
		watch(&c->handshakes[i], c->handshakes[i].ends[0], FD_READABLE, serve);
	}
}

static void free_crowd(struct crowd *c)
{
	for (size_t i = 0; i < CROWD; i++) {
		fd_watch_stop(c->handshakes[i].watch);
		close(c->handshakes[i].ends[0]);
		close(c->handshakes[i].ends[1]);
	}
	loop_uv_free(c->loop);
}

static void serve_long(void *ctx, int events)
{
	struct handshake *g = ctx;
	struct crowd *c = g->crowd;
	char byte;
	(void)events;
	assert_int_equal(read(g->ends[0], &byte, 1), 1);
	g->turn = c->turn;
	work_long();
	if (++c->served == CROWD)
		loop_uv_stop(c->loop);
}

/* Acceptance: gate-4 */
static void of_many_that_are_ready_each_long_one_has_a_turn(void **state)
{
	struct crowd c;
	(void)state;
	given_a_crowd(&c, serve_long);
	loop_uv_run(c.loop);
	for (size_t i = 0; i < CROWD; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(c.handshakes[i].turn, c.handshakes[j].turn);
	free_crowd(&c);
}

/* All but the last one are ready for ever. */
static void serve_the_greedy(void *ctx, int events)
{
	struct handshake *g = ctx;
	struct crowd *c = g->crowd;
	(void)events;
	g->turn = c->turn;
	work_long();
	assert_true(++c->served < 10 * CROWD);
	if (g == &c->handshakes[CROWD - 1])
		loop_uv_stop(c->loop);
}

/* Acceptance: gate-4 */
static void those_that_are_always_ready_keep_nobody_waiting(void **state)
{
	struct crowd c;
	(void)state;
	given_a_crowd(&c, serve_the_greedy);
	loop_uv_run(c.loop);
	for (size_t i = 0; i < CROWD; i++)
		assert_true(c.handshakes[i].turn > 0);
	free_crowd(&c);
}

/* All are ready for ever, and none is served in a turn of another. */
static void serve_in_a_circle(void *ctx, int events)
{
	struct handshake *g = ctx;
	struct crowd *c = g->crowd;
	(void)events;
	assert_int_not_equal(c->turn, c->turn_served);
	c->turn_served = c->turn;
	g->times++;
	work_long();
	if (++c->served == ROUNDS * CROWD)
		loop_uv_stop(c->loop);
}

/* Acceptance: gate-4 */
static void those_that_are_always_ready_take_their_turns_in_a_circle(void **state)
{
	struct crowd c;
	(void)state;
	given_a_crowd(&c, serve_in_a_circle);
	loop_uv_run(c.loop);
	for (size_t i = 0; i < CROWD; i++)
		assert_int_equal(c.handshakes[i].times, ROUNDS);
	free_crowd(&c);
}

static void always_first(uv_poll_t *uv, int status, int events)
{
	(void)uv, (void)status, (void)events;
	work_long();
}

/* Acceptance: gate-4 */
static void what_is_never_put_off_keeps_nobody_waiting(void **state)
{
	struct crowd c;
	uv_poll_t first;
	(void)state;
	given_pipes(&c);
	for (size_t i = 0; i < CROWD; i++)
		assert_int_equal(write(c.handshakes[i].ends[1], "x", 1), 1);
	uv_poll_init(loop_uv_handle(c.loop), &first, c.handshakes[0].ends[0]);
	uv_poll_start(&first, UV_READABLE, always_first);
	for (size_t i = 1; i < CROWD; i++)
		watch(&c.handshakes[i], c.handshakes[i].ends[0], FD_READABLE, serve_the_greedy);
	loop_uv_run(c.loop);
	for (size_t i = 1; i < CROWD; i++)
		assert_true(c.handshakes[i].turn > 0);
	uv_close((uv_handle_t *)&first, NULL);
	free_crowd(&c);
}

static void hear_of_the_end(void *ctx, int events)
{
	struct handshake *g = ctx;
	(void)events;
	work_long();
	if (++g->crowd->served == CROWD)
		loop_uv_stop(g->crowd->loop);
}

static void nobody_came(void *crowd) { loop_uv_stop(((struct crowd *)crowd)->loop); }

/* libuv tells an error once: what waited for the next turn would never hear of it. */
/* Acceptance: gate-4 */
static void an_error_does_not_wait(void **state)
{
	enum { TOO_LONG_MS = 5000 };
	struct crowd c;
	(void)state;
	given_pipes(&c);
	for (size_t i = 0; i < CROWD; i++) {
		watch(&c.handshakes[i], c.handshakes[i].ends[1], FD_WRITABLE, hear_of_the_end);
		close(c.handshakes[i].ends[0]); /* no client will read */
	}
	struct timer *too_long = timer_start(c.loop, TOO_LONG_MS, nobody_came, &c);
	loop_uv_run(c.loop);
	assert_int_equal(c.served, CROWD);
	timer_stop(c.loop, too_long);
	for (size_t i = 0; i < CROWD; i++)
		c.handshakes[i].ends[0] = -1;
	free_crowd(&c);
}

/* ---- an error with bytes before it ---- */

struct reader {
	struct loop *loop;
	int fd;
	size_t got;
};

/* A few bytes a turn, until the error or the end. */
static void read_some(void *ctx, int events)
{
	struct reader *r = ctx;
	char bytes[10];
	ssize_t n = recv(r->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	(void)events;
	if (n > 0)
		r->got += (size_t)n;
	else
		loop_uv_stop(r->loop);
}

static void never_told(void *loop)
{
	loop_uv_stop(loop);
	fail_msg("nobody told the end");
}

/* Acceptance: gate-4 */
static void what_came_before_an_error_is_read_to_its_end(void **state)
{
	enum { BYTES = 95, TOO_LONG_MS = 5000 };
	static const char bytes[BYTES];
	struct reader r = { .loop = loop_uv_new() };
	struct fd_watch *w;
	int ends[2];
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	r.fd = ends[0];
	/* given: the peer dies, and what it was told is unread */
	assert_int_equal(write(ends[0], "x", 1), 1);
	assert_int_equal(write(ends[1], bytes, BYTES), BYTES);
	close(ends[1]);
	assert_false(failed(fd_watch_start(r.loop, r.fd, FD_READABLE, read_some, &r, &w)));
	struct timer *too_long = timer_start(r.loop, TOO_LONG_MS, never_told, r.loop);
	loop_uv_run(r.loop);
	assert_int_equal(r.got, BYTES);
	timer_stop(r.loop, too_long);
	fd_watch_stop(w);
	close(r.fd);
	loop_uv_free(r.loop);
}

static void stop_in_the_second_turn(void *loop) { loop_uv_stop(loop); }

static void begin_a_second_turn(void *loop) { timer_start(loop, 1, stop_in_the_second_turn, loop); }

/* rate() needs a series that was there before it grew. */
static void the_count_of_long_turns_begins_at_zero(void **state)
{
	struct loop *loop = loop_uv_new();
	AUTO(str_free) struct str page = { 0 };
	(void)state;
	timer_start(loop, 1, begin_a_second_turn, loop);
	loop_uv_run(loop);
	metric_render(&page);
	page_has(&page, "slurm_operator_loop_long_turns_total{clock=\"cpu\"} 0");
	loop_uv_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_count_of_long_turns_begins_at_zero), /* before any is long */
		cmocka_unit_test(what_comes_during_long_work_is_served_before_more_of_it),
		cmocka_unit_test(one_that_is_stopped_while_it_waits_is_not_called),
		cmocka_unit_test(of_many_that_are_due_a_few_go_in_each_turn),
		cmocka_unit_test(of_many_that_are_ready_each_long_one_has_a_turn),
		cmocka_unit_test(those_that_are_always_ready_keep_nobody_waiting),
		cmocka_unit_test(those_that_are_always_ready_take_their_turns_in_a_circle),
		cmocka_unit_test(what_is_never_put_off_keeps_nobody_waiting),
		cmocka_unit_test(an_error_does_not_wait),
		cmocka_unit_test(what_came_before_an_error_is_read_to_its_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
