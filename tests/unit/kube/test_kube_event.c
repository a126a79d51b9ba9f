/* SPDX-License-Identifier: Apache-2.0 */
/* Events and the plain client, against a server that the test plays. */
#include "lib/given_kube.h"

#include "base/log.h"
#include "kube/event.h"

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct events *events;
	struct err err;
	int done;
	struct str name;
};

static const struct object_ref pod = { RES_POD, "ns", "web-0", "u-1" };

static int given_a_writer(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	log_set_level(LOG_ERROR);
	given_kube(&w->kube, &w->http, &w->loop);
	w->events = events_new(&w->kube, NULL);
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	events_free(w->events);
	free_kube(&w->http, &w->loop);
	str_free(&w->name);
	free(w);
	return 0;
}

static struct http_call *last(struct world *w) { return fake_last(&w->http); }
static void has(struct world *w, const char *text) { assert_has(last(w)->body, text); }
static void emit(struct world *w, const char *message)
{
	events_emit(w->events, &pod, true, "FailedCreate", message);
}

static void an_event_says_all_that_kubectl_shows(void **state)
{
	struct world *w = *state;
	emit(w, "no room");
	assert_string_equal(last(w)->method, "POST");
	assert_string_equal(last(w)->path, "/api/v1/namespaces/ns/events");
	has(w, "\"metadata\":{\"name\":\"web-0.");
	has(w,
		"\"involvedObject\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"web-0\","
		"\"namespace\":\"ns\",\"uid\":\"u-1\"}");
	has(w, "\"type\":\"Warning\",\"reason\":\"FailedCreate\",\"message\":\"no room\"");
	has(w, "\"count\":1");
	has(w,
		"\"source\":{\"component\":\"slurm-operator\"},\"reportingComponent\":\"slurm-"
		"operator\"");
}

static void a_repetition_raises_the_count_not_too_often(void **state)
{
	struct world *w = *state;
	emit(w, "no room");
	fake_answer(last(w), 201, "{}");
	emit(w, "no room");
	emit(w, "no room");
	assert_int_equal(w->http.n, 1);
	sim_loop_pass(&w->loop, 15000);
	assert_int_equal(w->http.n, 2);
	assert_string_equal(last(w)->method, "PATCH");
	assert_non_null(strstr(last(w)->path, "/api/v1/namespaces/ns/events/web-0."));
	has(w, "{\"count\":3,\"lastTimestamp\":\"");
	fake_answer(last(w), 200, "{}");
	sim_loop_pass(&w->loop, 600000);
	assert_int_equal(w->http.n, 2); /* nothing new, nothing written */
}

static void a_late_repetition_is_written_at_once(void **state)
{
	struct world *w = *state;
	emit(w, "no room");
	fake_answer(last(w), 201, "{}");
	sim_loop_pass(&w->loop, 20000);
	emit(w, "no room");
	assert_string_equal(last(w)->method, "PATCH");
}

static void an_event_that_the_server_forgot_is_made_anew(void **state)
{
	struct world *w = *state;
	emit(w, "no room");
	fake_answer(last(w), 201, "{}");
	sim_loop_pass(&w->loop, 7200000);
	emit(w, "no room");
	fake_answer(last(w), 404, "{}");
	sim_loop_pass(&w->loop, 15000);
	assert_string_equal(last(w)->method, "POST");
	has(w, "\"count\":2");
}

static void an_unknown_end_is_tried_again_under_the_same_name(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *body = NULL;
	emit(w, "no room");
	body = own_strdup(last(w)->body);
	fake_fail(last(w), ERR_LOST);
	sim_loop_pass(&w->loop, 15000);
	assert_string_equal(last(w)->body, body);
	fake_answer(last(w), 409, "{\"reason\":\"AlreadyExists\"}");
	sim_loop_pass(&w->loop, 20000);
	assert_int_equal(w->http.n, 2);
	emit(w, "no room");
	assert_string_equal(last(w)->method, "PATCH");
}

static void a_refused_event_is_given_up(void **state)
{
	struct world *w = *state;
	emit(w, "no room");
	fake_answer(last(w), 403, "{\"message\":\"no\"}");
	sim_loop_pass(&w->loop, 600000);
	assert_int_equal(w->http.n, 1);
}

static void one_object_makes_at_most_25_in_five_minutes(void **state)
{
	struct world *w = *state;
	const struct object_ref other = { RES_NODESET, NULL, "set", NULL };
	for (int i = 0; i < 40; i++) {
		AUTO(str_free) struct str message = { 0 };

		str_addf(&message, "number %d", i);
		emit(w, str_text(&message));
	}
	assert_int_equal(w->http.n, 25);
	events_emit(w->events, &other, false, "Fine", "all is well");
	assert_int_equal(w->http.n, 26);
	assert_string_equal(last(w)->path, "/api/v1/namespaces/default/events");
	has(w, "\"type\":\"Normal\"");
	sim_loop_pass(&w->loop, 300000);
	emit(w, "later");
	assert_int_equal(w->http.n, 27);
}

/* ---- the plain client ---- */

/* A promised Event is written after any number of others, and once on each occasion. */
static void test_d2_a_promised_warning_has_a_budget_of_its_own(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 40; i++) {
		char text[40];
		snprintf(text, sizeof(text), "pod %d", i);
		emit(w, text);
	}
	int sent = w->http.n;
	for (int i = 0; i < 10; i++) {
		events_emit_promised(w->events, &pod, "DeletedWhileBusy", "job 8 ends");
		sim_loop_pass(&w->loop, 60000);
	}
	assert_int_equal(w->http.n, sent + 1);
	has(w, "\"DeletedWhileBusy\"");
	has(w, "\"Warning\"");
	fake_answer(last(w), 201, "{}");
	sim_loop_pass(&w->loop, 600000);
	events_emit_promised(w->events, &pod, "DeletedWhileBusy", "job 8 ends"); /* another time */
	assert_int_equal(w->http.n, sent + 2);
	has(w, "\"count\":2");
}

static void promise_many(struct world *w, int n)
{
	for (int i = 0; i < n; i++) {
		char text[40];
		snprintf(text, sizeof(text), "job %d ends", i);
		events_emit_promised(w->events, &pod, "DeletedWhileBusy", text);
	}
}

/*
 * A namespace full of busy pods that goes: each job is told or counted, and none twice.
 */
static void of_many_promised_warnings_the_rest_is_counted_by_one(void **state)
{
	struct world *w = *state;
	promise_many(w, 40);
	assert_int_equal(w->http.n, 26);
	has(w, "the first of them: job 25 ends");
	has(w, "\"DeletedWhileBusy\"");
	fake_answer(last(w), 201, "{}");
	sim_loop_pass(&w->loop, 60000);
	promise_many(w, 40); /* each plan says it again */
	sim_loop_pass(&w->loop, 60000);
	assert_int_equal(w->http.n, 27);
	assert_string_equal(last(w)->method, "PATCH");
	has(w, "\"count\":15");
	fake_answer(last(w), 200, "{}");

	sim_loop_pass(&w->loop, 600000); /* another time */
	events_emit_promised(w->events, &pod, "DeletedWhileBusy", "job 39 ends");
	has(w, "\"message\":\"job 39 ends\"");
	assert_string_equal(last(w)->method, "POST");
}

/* ---- one tenant silences no other ---- */

/* NodeSets of a namespace write so many Events each; the API server does not answer. */
static void flood(struct world *w, const char *ns, int sets, int each)
{
	for (int i = 0; i < sets * each; i++) {
		char name[40], text[40];
		snprintf(name, sizeof(name), "set-%d", i / each);
		snprintf(text, sizeof(text), "trouble %d", i);
		const struct object_ref set = { RES_NODESET, ns, name, name };
		events_emit(w->events, &set, true, "FailedCreate", text);
	}
}

static int cancelled(const struct world *w)
{
	int n = 0;
	for (int i = 0; i < w->http.n; i++)
		n += w->http.calls[i].cancelled;
	return n;
}

static void test_bad_input_a_namespace_that_floods_silences_no_other(void **state)
{
	struct world *w = *state;
	const struct object_ref victim = { RES_NODESET, "victim", "set", "u" };
	events_emit(w->events, &victim, true, "FailedCreate", "no room");
	fake_answer(last(w), 201, "{}");
	flood(w, "evil", 400, 20);
	flood(w, "worse", 400, 20);
	assert_true(fake_count(&w->http, "/evil/") + fake_count(&w->http, "/worse/") < 60);
	assert_int_equal(cancelled(w), 0);

	events_emit(w->events, &victim, true, "FailedCreate", "no quota");
	assert_string_equal(last(w)->path, "/api/v1/namespaces/victim/events");
	fake_answer(last(w), 201, "{}");
	sim_loop_pass(&w->loop, 20000);
	events_emit(w->events, &victim, true, "FailedCreate", "no room");
	assert_string_equal(last(w)->method, "PATCH"); /* it is not forgotten */
	assert_non_null(strstr(last(w)->path, "/victim/"));
	has(w, "\"count\":2");
}

/* Waiting Events go when others have ended; the namespace with the least comes first. */
static void test_bad_input_what_waits_for_its_turn_is_told_in_the_end(void **state)
{
	struct world *w = *state;
	w->http.forgets = true;
	flood(w, "evil", 20, 10);
	flood(w, "victim", 2, 20);
	int told = 0;
	for (struct http_call *c; (c = fake_open(&w->http, "/victim/")); told++)
		fake_answer(c, 201, "{}");
	assert_int_equal(told, 40);
	for (struct http_call *c; (c = fake_open(&w->http, "/evil/")); told++)
		fake_answer(c, 201, "{}");
	assert_int_equal(told, 240);
	assert_int_equal(cancelled(w), 0);
}

static void kube_answered(void *ctx, struct err e, const struct json *object,
	int64_t retry_after_ms)
{
	struct world *w = ctx;
	(void)retry_after_ms;
	w->done++;
	w->err = e;
	str_clear(&w->name);
	str_add(&w->name, json_str(json_get(object, "name"), ""));
}

static void request(struct world *w)
{
	const struct kube_request r = {
		.method = "PATCH",
		.path = "/api/v1/pods/x",
		.patch = PATCH_MERGE,
		.body = "{}",
	};
	kube_send(&w->kube, &r, kube_answered, w);
}

static void an_answer_is_decoded_or_explained(void **state)
{
	struct world *w = *state;
	request(w);
	fake_answer(last(w), 200, "{\"name\":\"x\"}");
	assert_string_equal(str_text(&w->name), "x");
	request(w);
	fake_answer(last(w), 502, "bad gateway\nmore");
	assert_string_equal(w->err.text, "the API server answered 502: bad gateway");
	assert_int_equal(w->err.kind, ERR_RETRY);
	request(w);
	fake_answer(last(w), 200, "<html>");
	assert_int_equal(w->err.kind, ERR_LOST); /* it may have been done */
	request(w);
	fake_fail(last(w), ERR_RETRY);
	assert_int_equal(w->err.kind, ERR_RETRY);
	assert_int_equal(w->done, 4);
	request(w);
	http_cancel(&w->http.http, last(w));
	assert_int_equal(w->done, 4);
}

#define EVENT_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_writer, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EVENT_TEST(an_event_says_all_that_kubectl_shows),
		EVENT_TEST(a_repetition_raises_the_count_not_too_often),
		EVENT_TEST(a_late_repetition_is_written_at_once),
		EVENT_TEST(an_event_that_the_server_forgot_is_made_anew),
		EVENT_TEST(an_unknown_end_is_tried_again_under_the_same_name),
		EVENT_TEST(a_refused_event_is_given_up),
		EVENT_TEST(one_object_makes_at_most_25_in_five_minutes),
		EVENT_TEST(test_d2_a_promised_warning_has_a_budget_of_its_own),
		EVENT_TEST(of_many_promised_warnings_the_rest_is_counted_by_one),
		EVENT_TEST(test_bad_input_a_namespace_that_floods_silences_no_other),
		EVENT_TEST(test_bad_input_what_waits_for_its_turn_is_told_in_the_end),
		EVENT_TEST(an_answer_is_decoded_or_explained),
	};
	return cmocka_run_group_tests_name("kube_event", tests, NULL, NULL);
}
