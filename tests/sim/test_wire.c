/* SPDX-License-Identifier: Apache-2.0 */
/* The fake clock, the wire and its faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/own.h"
#include "sim/sim_ask.h"

#define PODS "/api/v1/namespaces/slurm/pods"
#define POD(name)                                                                       \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"}," \
	"\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"

static char order[16];
static void note(void *ctx)
{
	size_t n = strlen(order);
	order[n] = *(const char *)ctx;
	order[n + 1] = '\0';
}

static void timers_run_in_order_of_time_then_start(void **state)
{
	(void)state;
	struct sim_loop *l = sim_loop_new(5000);
	order[0] = '\0';
	timer_start(&l->loop, 30, note, (void *)(uintptr_t)"c");
	timer_start(&l->loop, 10, note, (void *)(uintptr_t)"a");
	struct timer *never = timer_start(&l->loop, 15, note, (void *)(uintptr_t)"x");
	timer_start(&l->loop, 10, note, (void *)(uintptr_t)"b");
	timer_stop(&l->loop, never);
	assert_int_equal(sim_loop_due_ms(l), SIM_LOOP_START_MS + 10);
	while (sim_loop_step(l))
		;
	assert_string_equal(order, "abc");
	assert_int_equal(loop_now_ms(&l->loop), SIM_LOOP_START_MS + 30);
	assert_int_equal(loop_wall_ms(&l->loop), 5030);
	sim_loop_jump_wall(l, -1000);
	assert_int_equal(loop_wall_ms(&l->loop), 4030);
	assert_int_equal(sim_loop_server_ms(l), 5030);
	sim_loop_free(l);
}

static void many_timers_stay_sorted(void **state)
{
	(void)state;
	struct sim_loop *l = sim_loop_new(0);
	struct sim_rand r = sim_rand_new(7, 7);
	struct timer *kept[300];
	for (int i = 0; i < 300; i++)
		kept[i] = timer_start(&l->loop, sim_rand_range(&r, 0, 1000), note,
			(void *)(uintptr_t)"");
	for (int i = 0; i < 300; i += 3)
		timer_stop(&l->loop, kept[i]);
	int64_t last = 0;
	int n = 0;
	for (; sim_loop_due_ms(l) != INT64_MAX; n++) {
		order[0] = '\0';
		assert_true(sim_loop_due_ms(l) >= last);
		last = sim_loop_due_ms(l);
		sim_loop_step(l);
	}
	assert_int_equal(n, 200);
	sim_loop_free(l);
}

/* The world with one fault at its first request. */
static struct world *world_with(enum sim_fault_kind kind, struct sim_fault *fault)
{
	struct world *w = world_new(3);
	*fault = (struct sim_fault){ .point = 0, .kind = kind };
	w->net->faults.replay = true;
	w->net->faults.given = fault;
	w->net->faults.n_given = 1;
	return w;
}

static void check_fault(enum sim_fault_kind kind, enum err_kind err, int status, bool done)
{
	struct sim_fault fault;
	struct world *w = world_with(kind, &fault);
	struct http *h = world_kube_http(w);
	struct answer a = sim_ask(w, h, "POST", PODS, NULL, NULL, POD("p"));
	assert_int_equal(a.err.kind, err);
	assert_int_equal(a.status, status);
	world_run(w, 20000);
	assert_int_equal(world_object(w, RES_POD, "slurm", "p") != NULL, done);
	assert_int_equal(w->net->faults.n_happened, kind != FAULT_NONE);
	answer_free(&a);
	http_free(h);
	world_free(w);
}

static void faults_of_requests(void **state)
{
	(void)state;
	check_fault(FAULT_NONE, ERR_NONE, 201, true);
	check_fault(FAULT_REFUSED, ERR_RETRY, 0, false);
	check_fault(FAULT_LOST_BEFORE, ERR_LOST, 0, false);
	check_fault(FAULT_LOST_AFTER, ERR_LOST, 0, true);
	check_fault(FAULT_500, ERR_NONE, 500, false);
	check_fault(FAULT_503, ERR_NONE, 503, false);
	check_fault(FAULT_429, ERR_NONE, 429, false);
	check_fault(FAULT_INSIDE, ERR_NONE, 500, false);
	check_fault(FAULT_SLOW, ERR_NONE, 201, true);
}

/* etcd was stopped for 5 s: the object stays. */
/* Acceptance: removal-26 */
static void a_request_that_is_slow_is_refused_at_its_deadline(void **state)
{
	struct sim_fault fault;
	(void)state;
	for (int allows_it = 0; allows_it < 2; allows_it++) {
		struct world *w = world_with(FAULT_SLOW, &fault);
		struct http *h = world_kube_http(w);
		int64_t began_ms = w->loop->now_ms;
		struct answer a = sim_ask(w, h, "POST",
			allows_it ? PODS "?timeout=8000ms" : PODS "?timeout=400ms", NULL, NULL,
			POD("p"));
		assert_int_equal(a.status, allows_it ? 201 : 504);
		assert_true(allows_it || w->loop->now_ms - began_ms < 600);
		world_run(w, 20000);
		assert_int_equal(world_object(w, RES_POD, "slurm", "p") != NULL, allows_it);
		answer_free(&a);
		http_free(h);
		world_free(w);
	}
}

static int crashes;
static struct http *dying;
static void on_crash(void *ctx, int who)
{
	(void)who;
	(void)ctx;
	crashes++;
	http_free(dying);
	dying = NULL;
}
static void never(void *ctx, struct err err, const struct http_answer *answer)
{
	(void)ctx, (void)err, (void)answer;
	fail();
}

static void check_crash(enum sim_fault_kind kind, bool done)
{
	struct sim_fault fault;
	struct world *w = world_with(kind, &fault);
	dying = world_kube_http(w);
	crashes = 0;
	world_on_crash(w, on_crash, w);
	struct http_request r = {
		.method = "POST",
		.path = PODS,
		.body = POD("p"),
		.body_bytes = strlen(POD("p")),
	};
	http_send(dying, &r, never, NULL);
	world_run(w, 1000);
	assert_int_equal(crashes, 1);
	assert_int_equal(world_object(w, RES_POD, "slurm", "p") != NULL, done);
	world_free(w);
}

static void a_crash_takes_the_program_and_leaves_what_was_sent(void **state)
{
	(void)state;
	check_crash(FAULT_CRASH_BEFORE, false);
	check_crash(FAULT_CRASH_AFTER, true);
}

static void a_freed_client_gets_no_answer_but_its_requests_arrive(void **state)
{
	(void)state;
	struct world *w = world_new(4);
	struct http *h = world_kube_http(w);
	struct http_request r = {
		.method = "POST",
		.path = PODS,
		.body = POD("p"),
		.body_bytes = strlen(POD("p")),
	};
	http_send(h, &r, never, NULL);
	http_free(h);
	world_run(w, 100);
	assert_non_null(world_object(w, RES_POD, "slurm", "p"));
	world_free(w);
}

static int answered;
static void count_answer(void *ctx, struct err err, const struct http_answer *answer)
{
	(void)ctx, (void)answer;
	assert_int_equal(err.kind, ERR_NONE);
	answered++;
}

static void drop(void *ctx) { ++*(int *)ctx; }

static void a_cancelled_request_is_dropped(void **state)
{
	(void)state;
	int dropped = 0;
	struct world *w = world_new(8);
	struct http *h = world_kube_http(w);
	struct http_request r = { .method = "GET", .path = PODS, .drop = drop };
	http_cancel(h, http_send(h, &r, never, &dropped));
	assert_int_equal(dropped, 1);
	http_send(h, &r, never, &dropped);
	http_free(h);
	assert_int_equal(dropped, 2);
	world_run(w, 1000);
	world_free(w);
}

static enum err_kind kind_of_error;
static void note_error(void *ctx, struct err err, const struct http_answer *answer)
{
	(void)ctx;
	assert_null(answer);
	kind_of_error = err.kind;
}

static void note_answer(void *ctx, struct err err, const struct http_answer *answer)
{
	(void)ctx;
	assert_true(answer && answer->status == 200);
	kind_of_error = err.kind;
}

static bool take_piece(void *ctx, const char *bytes, size_t n)
{
	(void)ctx;
	return bytes && n;
}

static void too_large_and_too_late(void **state)
{
	(void)state;
	struct world *w = world_new(9);
	struct http *h = world_kube_http(w);
	struct http_request r = { .method = "GET", .path = PODS, .max_answer_bytes = 10 };
	http_send(h, &r, note_error, NULL);
	world_run(w, 1000);
	assert_int_equal(kind_of_error, ERR_TOO_LARGE);
	r.on_body = take_piece;
	http_send(h, &r, note_answer, NULL);
	world_run(w, 1000);
	assert_int_equal(kind_of_error, ERR_NONE);
	r = (struct http_request){
		.method = "POST",
		.path = PODS,
		.body = POD("p"),
		.body_bytes = strlen(POD("p")),
		.timeout_ms = 1,
	};
	w->net->way_ms = 100;
	http_send(h, &r, note_error, NULL);
	world_run(w, 1000);
	assert_int_equal(kind_of_error, ERR_LOST);
	assert_non_null(world_object(w, RES_POD, "slurm", "p"));
	http_free(h);
	world_free(w);
}

static void requests_beyond_the_limit_wait(void **state)
{
	(void)state;
	struct world *w = world_new(5);
	struct http *h = sim_http_new(w->net, WORLD_KUBE_URL, 2, true);
	struct http_request r = { .method = "GET", .path = PODS };
	answered = 0;
	for (int i = 0; i < 7; i++)
		http_send(h, &r, count_answer, NULL);
	assert_int_equal(w->net->sent, 2);
	world_run(w, 1000);
	assert_int_equal(answered, 7);
	http_free(h);
	world_free(w);
}

static void a_server_that_is_down_refuses_and_breaks(void **state)
{
	(void)state;
	struct world *w = world_new(6);
	struct http *h = world_kube_http(w);
	struct listener l = { 0 };
	sim_stream_open(&l, h, PODS "?watch=1&resourceVersion=1");
	world_run(w, 100);
	sim_server_down(&w->kube.server, 5000);
	struct answer a = sim_ask(w, h, "GET", PODS, NULL, NULL, NULL);
	assert_int_equal(a.err.kind, ERR_RETRY);
	world_run(w, 100);
	assert_true(l.done);
	assert_int_equal(l.err.kind, ERR_LOST);
	answer_free(&a);
	world_run(w, 6000);
	a = sim_ask(w, h, "GET", PODS, NULL, NULL, NULL);
	assert_int_equal(a.status, 200);
	answer_free(&a);
	str_free(&l.text);
	http_free(h);
	world_free(w);
}

/* Fails when both 3 and 7 are in the list. */
static bool needs_two(void *ctx, const struct sim_fault *list, size_t n)
{
	int found = 0;
	++*(int *)ctx;
	for (size_t i = 0; i < n; i++)
		found += list[i].point == 3 || list[i].point == 7;
	return found == 2;
}

static void shrinking_leaves_what_matters(void **state)
{
	(void)state;
	struct sim_fault list[40], back[4];
	int runs = 0;
	for (unsigned i = 0; i < 40; i++)
		list[i] = (struct sim_fault){ .point = i, .kind = FAULT_LOST_AFTER };
	assert_int_equal(sim_faults_shrink(list, 40, needs_two, &runs), 2);
	assert_int_equal(list[0].point, 3);
	assert_int_equal(list[1].point, 7);
	assert_true(runs < 100);
	struct str text = { 0 };
	sim_faults_print(list, 2, &text);
	assert_string_equal(text.text, "3:lost-after 7:lost-after");
	assert_int_equal(sim_faults_parse(text.text, back, 4), 2);
	assert_memory_equal(back, list, 2 * sizeof(*list));
	assert_int_equal(sim_faults_parse("3:unheard-of", back, 4), -1);
	str_free(&text);
}

static void one_seed_gives_one_run(void **state)
{
	(void)state;
	char first[200] = "";
	for (int run = 0; run < 2; run++) {
		struct world *w = world_new(11);
		sim_faults_rough(&w->net->faults);
		struct http *h = world_kube_http(w);
		char line[200];
		for (int i = 0; i < 30; i++) {
			struct answer a = sim_ask(w, h, "POST", PODS, NULL, NULL,
				i % 2 ? POD("p") : POD("q"));
			answer_free(&a);
		}
		world_run(w, 60000);
		snprintf(line, sizeof(line), "%lld %lld %llu %zu", (long long)w->loop->now_ms,
			(long long)w->kube.store.rv, (unsigned long long)w->loop->steps,
			w->net->faults.n_happened);
		if (run)
			assert_string_equal(line, first);
		memcpy(first, line, sizeof(first));
		http_free(h);
		world_free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_run_in_order_of_time_then_start),
		cmocka_unit_test(many_timers_stay_sorted),
		cmocka_unit_test(faults_of_requests),
		cmocka_unit_test(a_request_that_is_slow_is_refused_at_its_deadline),
		cmocka_unit_test(a_crash_takes_the_program_and_leaves_what_was_sent),
		cmocka_unit_test(a_freed_client_gets_no_answer_but_its_requests_arrive),
		cmocka_unit_test(a_cancelled_request_is_dropped),
		cmocka_unit_test(too_large_and_too_late),
		cmocka_unit_test(requests_beyond_the_limit_wait),
		cmocka_unit_test(a_server_that_is_down_refuses_and_breaks),
		cmocka_unit_test(shrinking_leaves_what_matters),
		cmocka_unit_test(one_seed_gives_one_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
