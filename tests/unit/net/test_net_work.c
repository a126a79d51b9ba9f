/* SPDX-License-Identifier: Apache-2.0 */
/* Work beside the loop: it is told of once, and nothing else waits for it. */
#include "lib/test.h"

#include <pthread.h>

#include "base/str.h"
#include "net/loop.h"
#include "net/work.h"

enum { THREADS = 4 };

struct job {
	struct loop *loop;
	pthread_t thread;
	bool until_stopped;
	atomic_bool began;
	int done;
	int *left; /* works that are not done; the loop ends with the last */
};

static void do_it(void *ctx, const atomic_bool *stop)
{
	struct job *j = ctx;
	j->thread = pthread_self();
	atomic_store(&j->began, true);
	while (j->until_stopped && !atomic_load(stop))
		sched_yield();
}

static void done(void *ctx)
{
	struct job *j = ctx;
	j->done++;
	if (j->left && --*j->left == 0)
		loop_uv_stop(j->loop);
}

static void work_is_done_elsewhere_and_told_on_the_loop(void **state)
{
	int left = 1;
	struct job j = { .loop = loop_uv_new(), .left = &left };
	(void)state;
	work_start(j.loop, do_it, done, &j);
	assert_int_equal(j.done, 0);
	loop_uv_run(j.loop);
	assert_int_equal(j.done, 1);
	assert_false(pthread_equal(j.thread, pthread_self()));
	loop_uv_free(j.loop);
}

struct ticks {
	struct loop *loop;
	struct work *work;
	int n;
};

static void tick(void *ctx)
{
	struct ticks *t = ctx;
	if (++t->n < 100)
		timer_start(t->loop, 0, tick, t);
	else
		work_stop(t->work);
}

static void the_loop_goes_on_meanwhile(void **state)
{
	int left = 1;
	struct job j = { .loop = loop_uv_new(), .until_stopped = true, .left = &left };
	struct ticks t = { .loop = j.loop };
	(void)state;
	t.work = work_start(j.loop, do_it, done, &j);
	timer_start(j.loop, 0, tick, &t);
	loop_uv_run(j.loop);
	assert_int_equal(t.n, 100);
	assert_int_equal(j.done, 1);
	loop_uv_free(j.loop);
}

static void one_that_waits_in_line_ends_there(void **state)
{
	int left = THREADS + 1;
	struct loop *l = loop_uv_new();
	struct job jobs[THREADS + 1];
	struct work *works[THREADS + 1];
	(void)state;
	for (int i = 0; i <= THREADS; i++) {
		jobs[i] = (struct job){ .loop = l, .until_stopped = true, .left = &left };
		works[i] = work_start(l, do_it, done, &jobs[i]);
	}
	for (int i = 0; i < THREADS; i++)
		while (!atomic_load(&jobs[i].began))
			sched_yield();
	for (int i = THREADS; i >= 0; i--)
		work_stop(works[i]);
	loop_uv_run(l);
	assert_false(atomic_load(&jobs[THREADS].began));
	for (int i = 0; i <= THREADS; i++)
		assert_int_equal(jobs[i].done, 1);
	loop_uv_free(l);
}

/* ---- lines ---- */

/* Long work has two threads, and all that is short has the others. */
static void a_line_leaves_threads_for_others(void **state)
{
	enum { LONG = 8 };
	int left = 1;
	struct loop *l = loop_uv_new();
	struct work_line *line = work_line_new(l, 2);
	struct job jobs[LONG], shorts = { .loop = l, .left = &left };
	struct work *works[LONG];
	(void)state;
	for (int i = 0; i < LONG; i++) {
		jobs[i] = (struct job){ .loop = l, .until_stopped = true, .left = &left };
		works[i] = work_start_in(line, do_it, done, &jobs[i]);
	}
	work_start(l, do_it, done, &shorts);
	loop_uv_run(l);
	assert_int_equal(shorts.done, 1);
	left = LONG;
	for (int i = LONG - 1; i >= 0; i--) /* those in line end there, too */
		work_stop(works[i]);
	loop_uv_run(l);
	for (int i = 0; i < LONG; i++)
		assert_int_equal(jobs[i].done, 1);
	work_line_free(line);
	loop_uv_free(l);
}

struct part {
	struct work_line *line;
	struct loop *loop;
	struct str *order;
	char name;
	int parts, *left;
};

static void part(void *ctx, const atomic_bool *stop) { (void)ctx, (void)stop; }

static void part_done(void *ctx)
{
	struct part *p = ctx;
	str_addf(p->order, "%c", p->name);
	if (--p->parts)
		work_start_in(p->line, part, part_done, p);
	else if (--*p->left == 0)
		loop_uv_stop(p->loop);
}

static void what_goes_on_lets_others_in_between(void **state)
{
	AUTO(str_free) struct str order = { 0 };
	int left = 2;
	struct loop *l = loop_uv_new();
	struct work_line *line = work_line_new(l, 1);
	struct part a = { line, l, &order, 'a', 4, &left }, b = { line, l, &order, 'b', 2, &left };
	(void)state;
	work_start_in(line, part, part_done, &a);
	work_start_in(line, part, part_done, &b);
	loop_uv_run(l);
	assert_string_equal(str_text(&order), "ababaa");
	work_line_free(line);
	loop_uv_free(l);
}

static void a_line_that_goes_lets_all_go(void **state)
{
	struct loop *l = loop_uv_new();
	struct work_line *line = work_line_new(l, 1);
	struct job jobs[3];
	(void)state;
	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ .loop = l };
		work_start_in(line, do_it, done, &jobs[i]);
	}
	work_line_free(line);
	loop_uv_free(l);
	for (int i = 0; i < 3; i++)
		assert_int_equal(jobs[i].done, 1);
	work_line_free(NULL);
}

static void the_end_of_the_loop_waits_for_it(void **state)
{
	struct job j = { .loop = loop_uv_new(), .until_stopped = true };
	(void)state;
	struct work *w = work_start(j.loop, do_it, done, &j);
	while (!atomic_load(&j.began))
		sched_yield();
	work_stop(w);
	loop_uv_free(j.loop);
	assert_int_equal(j.done, 1);
	work_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_done_elsewhere_and_told_on_the_loop),
		cmocka_unit_test(the_loop_goes_on_meanwhile),
		cmocka_unit_test(one_that_waits_in_line_ends_there),
		cmocka_unit_test(a_line_leaves_threads_for_others),
		cmocka_unit_test(what_goes_on_lets_others_in_between),
		cmocka_unit_test(a_line_that_goes_lets_all_go),
		cmocka_unit_test(the_end_of_the_loop_waits_for_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
