/* SPDX-License-Identifier: Apache-2.0 */
/* Events that go with a status: told when it is written, once, whatever comes between. */
#include "lib/executor_world.h"

/* A plan that publishes the reason, and says so. */
static void when_planned(struct executor_world *w, const char *reason)
{
	static const struct object_ref about = { RES_CLUSTER, "ns", "slurm", "u" };
	struct plan plan = { .arena = &w->arena };
	struct action *status = plan_add(&plan, DO(PATCH_STATUS, NODESET), "it has changed");
	status->ns = "ns";
	status->name = "slurm";
	status->body = arena_printf(&w->arena, "{\"status\":{\"x\":\"%s\"}}", reason);
	struct action *event = plan_add(&plan, DO(TELL, EVENT), "it is so");
	event->with_status = true;
	event->reason = reason;
	executor_run(w->executor, &plan, &about, NULL);
}

static struct http_call *status_under_way(struct executor_world *w)
{
	struct http_call *c = fake_open(&w->http, "/status");
	if (!c)
		fail_msg("no status is on its way");
	return c;
}

static void when_events_are_taken(struct executor_world *w)
{
	fake_answer_all(&w->http, &(struct fake_row){ "/events", 201, "{}" }, 1);
}

/* The count that the API server has of the Event of this reason. */
static int told(struct executor_world *w, const char *reason)
{
	int n = 0;
	when_events_are_taken(w);
	sim_loop_pass(&w->loop, 20000); /* counts are gathered */
	when_events_are_taken(w);
	for (int i = 0; i < w->http.n; i++) {
		const char *body = w->http.calls[i].body, *count = strstr(body, "\"count\":");
		bool patch = str_eq(w->http.calls[i].method, "PATCH");
		if (strstr(w->http.calls[i].path, "/events") && (patch || strstr(body, reason)))
			n = count ? atoi(count + 8) : n;
	}
	return n;
}

#define WRITTEN                                                                 \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\",\"uid\":\"u\"," \
	"\"resourceVersion\":\"9\"}}"

/* A status waits a quarter of a second after the one before; plans do not. */
static void test_what_waits_with_its_status_is_told_once(void **state)
{
	struct executor_world *w = *state;
	when_planned(w, "NotChecked");
	fake_answer(status_under_way(w), 200, WRITTEN);
	for (int i = 0; i < 5; i++)
		when_planned(w, "Reachable");
	sim_loop_pass(&w->loop, 250);
	when_planned(w, "Reachable");
	fake_answer(status_under_way(w), 200, WRITTEN);
	assert_int_equal(told(w, "Reachable"), 1);
}

/* The next plan sees what was changed meanwhile, and says it again. */
static void test_a_status_that_was_not_written_tells_nothing(void **state)
{
	struct executor_world *w = *state;
	when_planned(w, "Unreachable");
	fake_answer(status_under_way(w), 409, "{\"reason\":\"Conflict\"}");
	fake_answer(fake_last(&w->http), 200, WRITTEN); /* it is read again */
	assert_int_equal(told(w, "Unreachable"), 0);
	when_planned(w, "Unreachable");
	fake_answer(status_under_way(w), 200, WRITTEN);
	assert_int_equal(told(w, "Unreachable"), 1);
}

/* The status cannot be written: then the Event is all that people get. */
static void test_a_status_that_is_refused_is_told_all_the_same(void **state)
{
	struct executor_world *w = *state;
	when_planned(w, "Unreachable");
	fake_answer(status_under_way(w), 403, "{\"message\":\"User x cannot patch\"}");
	assert_int_equal(told(w, "Unreachable"), 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_an_executor, free_executor_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_what_waits_with_its_status_is_told_once),
		T(test_a_status_that_was_not_written_tells_nothing),
		T(test_a_status_that_is_refused_is_told_all_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
