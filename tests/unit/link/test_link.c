/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a link: the Secret, the client, the ping, the lists and the updates. */
#include "lib/link_world.h"

/* ---- Clusters ---- */

/* Acceptance: cluster-1 */
static void test_cluster_without_its_secret_has_no_client_and_with_it_is_up(void **state)
{
	struct world *w = *state;
	w->secret = NULL;
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 1000);
	assert_int_equal(slurm_link_fact(w->link).secret, NO);
	assert_int_equal(w->clients, 0);
	assert_string_equal(slurm_link_fact(w->link).trouble,
		"Secret ns/t with the Slurm token does not exist");
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);

	w->secret = SECRET("dG9rZW4=");
	when_passed(w, 11000);
	assert_int_equal(w->clients, 1);
	then_health(w, SLURM_UP);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* Acceptance: cluster-2 */
static void test_slurm_that_does_not_answer_the_ping_is_not_ready(void **state)
{
	struct world *w = *state;
	w->rest_down = true;
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 1000);
	then_health(w, SLURM_UNREACHABLE);
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	assert_int_equal(node(w, "foo-0").known, UNKNOWN);
}

/* Acceptance: cluster-2 */
static void test_a_cluster_that_becomes_unreachable_is_noticed_within_a_check(void **state)
{
	struct world *w = *state;
	given_up(w);
	w->rest_down = true;
	when_passed(w, 11000);
	then_health(w, SLURM_UNREACHABLE);
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	assert_int_equal(node(w, "foo-0").known, UNKNOWN);
	w->rest_down = false;
	when_passed(w, 11000);
	then_health(w, SLURM_UP);
	assert_int_equal(node(w, "foo-0").known, YES);
}

/* ---- deadlines ---- */

#define JOB(id, nodes, start, minutes)                                                        \
	"{\"jobs\":[{\"job_id\":" #id ",\"job_state\":[\"RUNNING\"],\"nodes\":\"" nodes "\"," \
	"\"start_time\":{\"set\":true,\"infinite\":false,\"number\":" #start "},"             \
	"\"time_limit\":{\"set\":true,\"infinite\":false,\"number\":" #minutes "}}],"         \
	"\"errors\":[],\"warnings\":[]}"

/* Acceptance: status-7 */
static void test_host_lists_are_expanded_and_pending_jobs_ignored(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(
		"{\"name\":\"foo-0\",\"state\":[\"ALLOCATED\"],\"reason\":\"\",\"comment\":\"\"},"
		"{\"name\":\"foo-5\",\"state\":[\"ALLOCATED\"],\"reason\":\"\",\"comment\":\"\"},"
		"{\"name\":\"foo-4\",\"state\":[\"IDLE\"],\"reason\":\"\",\"comment\":\"\"}");
	w->jobs = "{\"jobs\":[{\"job_id\":\"7\",\"state\":[\"RUNNING\"]},{\"job_id\":\"8\","
		  "\"state\":[\"PENDING\"]}],\"errors\":[],\"warnings\":[]}";
	w->job = JOB(7, "foo-[0-2,5]", 1767225600, 60);
	when_wanted(w, SLURM_AT_REST, true);
	given_up(w);
	when_passed(w, 1000);
	assert_int_equal(node(w, "foo-0").busy_until_s, 1767225600 + 3600);
	assert_int_equal(node(w, "foo-5").busy_until_s, 1767225600 + 3600);
	assert_int_equal(node(w, "foo-4").busy_until_s, 0);
}

/* Acceptance: status-7 */
static void test_of_several_jobs_on_a_node_the_latest_end_counts(void **state)
{
	struct world *w = *state;
	static const char *const jobs[] = { JOB(7, "foo-0", 1767225600, 60),
		JOB(8, "foo-0", 1767225600, 90), JOB(9, "foo-0", 1767225600, 10) };
	w->jobs = "{\"jobs\":[{\"job_id\":\"7\",\"state\":[\"RUNNING\"]},{\"job_id\":\"8\","
		  "\"state\":[\"RUNNING\"]},"
		  "{\"job_id\":\"9\",\"state\":[\"RUNNING\"]}],"
		  "\"errors\":[],\"warnings\":[]}";
	when_wanted(w, SLURM_AT_REST, true);
	slurm_link_set(w->link, "http://slurm:6820", "t");
	for (int i = 0; i < 40; i++) {
		struct http_call *c;
		sim_loop_pass(&w->loop, 0);
		if ((c = first_open(&w->api)))
			api_answers(w, c);
		else if ((c = first_open(&w->rest))) {
			const char *id = strstr(c->path, "/job/");
			w->job = id ? jobs[atoi(id + 5) - 7] : NULL;
			slurmrestd_answers(w, c);
		}
	}
	assert_int_equal(node(w, "foo-0").busy_until_s, 1767225600 + 90 * 60);
	assert_int_equal(node(w, "foo-0").holder.id, 8);
	assert_true(node(w, "foo-0").holder.others);
}

static void test_bad_input_a_refused_token_is_named(void **state)
{
	struct world *w = *state;
	w->token_refused = true;
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 1000);
	then_health(w, SLURM_DENIED);
	assert_non_null(strstr(slurm_link_fact(w->link).trouble, "Slurm refused the token"));
	assert_null(strstr(slurm_link_fact(w->link).trouble, "token\":"));
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	w->token_refused = false;
	when_passed(w, 11000);
	then_health(w, SLURM_UP);
}

static void test_bad_input_slurm_that_answers_nonsense_is_named_and_unknown(void **state)
{
	struct world *w = *state;
	static const char *const bad[] = { "<html>hello</html>",
		"{\"nodes\":[{\"name\":\"foo-0\",\"sta", "{\"nodes\":{}}", "[]", "" };
	given_up(w);
	for (size_t i = 0; i < LENGTH(bad); i++) {
		w->nodes = bad[i];
		when_passed(w, 21000);
		assert_int_equal(slurm_link_slurm(w->link).usable, NO);
		assert_int_equal(node(w, "foo-0").known, UNKNOWN);
		assert_true(strlen(slurm_link_slurm(w->link).trouble) > 0);
		w->nodes = NODES(IDLE);
		when_passed(w, 11000);
		assert_int_equal(node(w, "foo-0").known, YES);
	}
}

/* ---- never asked, and no way to ask ---- */

static void test_not_asked_yet_is_neither_usable_nor_trouble(void **state)
{
	struct world *w = *state;
	assert_int_equal(slurm_link_slurm(w->link).usable, UNKNOWN);
	slurm_link_set(w->link, "http://slurm:6820", "t");
	sim_loop_pass(&w->loop, 0);
	assert_int_equal(slurm_link_slurm(w->link).usable, UNKNOWN);
	assert_int_equal(node(w, "foo-0").known, UNKNOWN);
	api_answers(w, first_open(&w->api));
	assert_int_equal(slurm_link_slurm(w->link).usable, UNKNOWN); /* the ping is on its way */
}

static void test_bad_input_a_secret_that_may_not_be_read_is_trouble(void **state)
{
	struct world *w = *state;
	w->api_forbids = true;
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 1000);
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	assert_non_null(strstr(slurm_link_fact(w->link).trouble, "reading Secret ns/t"));
	assert_non_null(strstr(slurm_link_fact(w->link).trouble, "forbidden"));
	w->api_forbids = false;
	when_passed(w, 11000);
	then_health(w, SLURM_UP);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

static void test_bad_input_a_cluster_whose_spec_is_wrong_is_no_way_to_ask(void **state)
{
	struct world *w = *state;
	slurm_link_invalid(w->link, "spec.server is empty");
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	assert_string_equal(slurm_link_slurm(w->link).trouble, "spec.server is empty");
	given_up(w);
	/* A change for the worse: who answered until now is still asked. */
	slurm_link_invalid(w->link, "spec.server is empty");
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* ---- updates ---- */

static void told(void *ctx, struct err err) { *(int *)ctx += !failed(err); }

static void when_updated(struct world *w, enum slurm_update what, int *answered)
{
	static const char *names[] = { "foo-0" };
	slurm_link_update(w->link, what, names, 1,
		what == SLURM_COMMENT ? "its pod" : "slurm-operator: x", told, answered);
}

static void when_answered(struct world *w, const char *part)
{
	for (int i = 0; i < w->rest.n; i++)
		if (w->rest.calls[i].open && strstr(w->rest.calls[i].body, part)) {
			answer(w, &w->rest.calls[i], 200, "{\"errors\":[],\"warnings\":[]}");
			return;
		}
	fail_msg("no update with %s is open", part);
}

static bool in_flight(struct world *w) { return node(w, "foo-0").in_flight; }

static void test_a_node_is_in_flight_until_every_update_of_it_is_answered(void **state)
{
	struct world *w = *state;
	int answered = 0;
	given_up(w);
	when_wanted(w, SLURM_SOON, false);
	assert_false(in_flight(w));
	when_updated(w, SLURM_UNDRAIN, &answered);
	when_updated(w, SLURM_COMMENT, &answered);
	when_answered(w, "comment"); /* the end of the drain is still on its way */
	when_passed(w, 3000);
	assert_int_equal(answered, 1);
	assert_true(in_flight(w));
	when_answered(w, "UNDRAIN");
	assert_true(in_flight(w));
	when_passed(w, 1000);
	assert_int_equal(answered, 2);
	assert_false(in_flight(w));
}

/* A thousand comments would be a thousand lists of a thousand nodes. */
static void test_a_comment_alone_is_no_reason_to_read_the_nodes(void **state)
{
	struct world *w = *state;
	int answered = 0;
	given_up(w);
	int before = w->lists;
	when_updated(w, SLURM_COMMENT, &answered);
	when_answered(w, "comment");
	when_passed(w, 1000);
	assert_int_equal(w->lists, before);
	assert_true(in_flight(w));
	when_updated(w, SLURM_DRAIN, &answered);
	when_answered(w, "DRAIN");
	when_passed(w, 0);
	assert_int_equal(w->lists, before + 1);
	assert_false(in_flight(w));
}

#define DRAINED                                                                            \
	"{\"name\":\"foo-0\",\"state\":[\"IDLE\",\"DRAIN\"],\"reason\":\"slurm-operator: " \
	"x\",\"comment\":\"\"}"
#define OTHER "{\"name\":\"foo-1\",\"state\":[\"IDLE\"],\"reason\":\"\",\"comment\":\"\"}"

static struct http_call *when_asked(struct world *w, const char *part)
{
	for (int64_t ms = 0; ms < 20000; ms += 10, sim_loop_pass(&w->loop, 10))
		for (int i = 0; i < w->rest.n; i++)
			if (w->rest.calls[i].open && strstr(w->rest.calls[i].path, part))
				return &w->rest.calls[i];
	fail_msg("nobody asked for %s", part);
	return NULL;
}

static void answered_as_of(struct http_call *c, int64_t asked_ms, const char *body)
{
	struct http_answer a = { 200, body, strlen(body), asked_ms, -1 };
	fake_end(c, OK, &a);
}

/*
 * Seed 1015195 of the simulator, which lost a job: while a slow list was on its way a
 * node was read singly, drained; its pod went and a new one came. The list, asked
 * earlier, said so, but what is known of a node is the newer question. The next list said
 * "nothing has changed" (304) and made "drained" look new, for the new pod.
 */
static void then_the_list_behind_a_single_read_is_no_base(struct world *w, const char *list)
{
	static const char *names[] = { "foo-0" };
	given_up(w);
	when_wanted(w, SLURM_SOON, false);
	struct http_call *slow = when_asked(w, "/nodes/");
	int64_t list_asked_ms = w->loop.now_ms;
	slurm_link_demand(w->link, NULL,
		&(struct demand){ .of[ASK_LOOKS] = { .names = names, .n_names = 1 } });
	struct http_call *single = when_asked(w, "/node/foo-0");
	answered_as_of(single, w->loop.now_ms, NODES(DRAINED));
	answered_as_of(slow, list_asked_ms, list);
	assert_true(node(w, "foo-0").state & NODE_DRAIN);
	when_wanted(w, SLURM_SOON, false);
	assert_null(strstr(when_asked(w, "/nodes/")->path, "update_time"));
	when_passed(w, 0);
	assert_int_equal(node(w, "foo-0").state & NODE_DRAIN, 0);
}

static void test_a_list_overtaken_by_a_single_read_is_no_base_for_a_304(void **state)
{
	then_the_list_behind_a_single_read_is_no_base(*state, NODES(IDLE));
}

static void test_nor_is_one_that_lacks_the_node(void **state)
{
	then_the_list_behind_a_single_read_is_no_base(*state, NODES(OTHER));
}

/*
 * Two plans undid each other 80 times a second: the first took the answer for good and
 * wanted a newer one, which made it too old, and so the second wanted nothing, which made
 * it good again.
 */
static void test_an_answer_does_not_turn_bad_because_a_newer_one_is_wanted(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_passed(w, 7000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);

	when_wanted(w, SLURM_SOON, false);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);

	/* The answer has its time to come, and does not. */
	sim_loop_pass(&w->loop, 7000);
	assert_int_not_equal(slurm_link_slurm(w->link).usable, YES);
}

/* After slurmctld's clock was set back, "nothing has changed" hides what has come. */
static void test_that_nothing_has_changed_is_no_list_that_names_every_node(void **state)
{
	struct world *w = *state;
	given_up(w);
	w->unchanged = true;
	w->nodes = NODES(IDLE "," OTHER);
	int64_t whole_ms = slurm_link_slurm(w->link).whole_seen_ms;
	when_wanted(w, SLURM_NOW, false);
	when_passed(w, 3000);
	assert_int_equal(slurm_link_slurm(w->link).whole_seen_ms, whole_ms);
	assert_true(slurm_link_slurm(w->link).nodes_seen_ms > whole_ms);

	when_wanted(w, SLURM_WHOLE, false);
	when_passed(w, 1000);

	assert_true(slurm_link_slurm(w->link).whole_seen_ms > whole_ms);
	assert_int_equal(node(w, "foo-1").known, YES);
}

/* A decision waits for this Slurm, and its list has been read, slowly. */
static void given_a_long_list(struct world *w)
{
	given_up(w);
	w->list_takes_ms = 2000;
	when_wanted(w, SLURM_SOON, false);
	when_passed(w, 3000);
}

static void test_a_long_list_is_read_rarely_and_oftener_when_only_its_age_is_in_the_way(void *
		*state)
{
	struct world *w = *state;
	given_a_long_list(w);
	int before = w->lists;

	when_passed(w, 8000);
	assert_int_equal(w->lists, before);
	when_wanted(w, SLURM_NOW, false);
	when_passed(w, 200);
	assert_int_equal(w->lists, before + 1);

	when_wanted(w, SLURM_SOON, false);
	when_wanted(w, SLURM_NOW, false);
	when_passed(w, 1800 + 1500);
	assert_int_equal(w->lists, before + 1);
	when_passed(w, 500);
	assert_int_equal(w->lists, before + 2);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* The time of the old server says nothing about the new one. */
static void test_another_server_is_asked_at_once_however_slow_the_last_one_was(void **state)
{
	struct world *w = *state;
	given_a_long_list(w);
	w->list_takes_ms = 0;

	slurm_link_set(w->link, "http://other:6820", "t");
	sim_loop_pass(&w->loop, 0);
	/* From now on there is a client, which has not been heard of yet */
	api_answers(w, first_open(&w->api));
	when_wanted(w, SLURM_AT_REST, false);
	when_passed(w, 1000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_link, free_world)
/*
 * The check and the reads fail in turn, each in its words: were both told, the Cluster
 * would be written again and again.
 */
static void test_a_refused_token_is_told_in_the_same_words_for_as_long_as_it_lasts(void **state)
{
	struct world *w = *state;
	given_up(w);
	w->token_refused = true;
	when_passed(w, 21000);
	char said[ERR_TEXT_BYTES];
	snprintf(said, sizeof(said), "%s", slurm_link_fact(w->link).trouble);
	assert_non_null(strstr(said, "it is not a JWT"));
	for (int i = 0; i < 30; i++) {
		when_passed(w, 700);
		assert_string_equal(slurm_link_fact(w->link).trouble, said);
		assert_string_equal(slurm_link_slurm(w->link).trouble, said);
	}
	w->token_refused = false;
	when_passed(w, 21000);
	assert_string_equal(slurm_link_slurm(w->link).trouble, "");
}

/* slurmrestd may put something else into each of its answers. */
static void test_a_trouble_is_logged_once_whatever_words_it_has(void **state)
{
	struct world *w = *state;
	w->token_refused = true;
	given_log(w);
	slurm_link_set(w->link, "http://slurm:6820", "t");
	for (int i = 0; i < 6; i++) {
		char answer[200];
		snprintf(answer, sizeof(answer),
			"{\"errors\":[{\"error_number\":1007,\"error\":\"refused, request %d\"}]}",
			i);
		w->refusal = answer;
		when_passed(w, 10000);
	}
	w->token_refused = false;
	when_passed(w, 11000);
	then_logged(w, "Slurm is not usable", 1);
	then_logged(w, "Slurm answers", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_trouble_is_logged_once_whatever_words_it_has),
		T(test_cluster_without_its_secret_has_no_client_and_with_it_is_up),
		T(test_slurm_that_does_not_answer_the_ping_is_not_ready),
		T(test_a_cluster_that_becomes_unreachable_is_noticed_within_a_check),
		T(test_host_lists_are_expanded_and_pending_jobs_ignored),
		T(test_of_several_jobs_on_a_node_the_latest_end_counts),
		T(test_bad_input_a_refused_token_is_named),
		T(test_bad_input_slurm_that_answers_nonsense_is_named_and_unknown),
		T(test_not_asked_yet_is_neither_usable_nor_trouble),
		T(test_bad_input_a_secret_that_may_not_be_read_is_trouble),
		T(test_bad_input_a_cluster_whose_spec_is_wrong_is_no_way_to_ask),
		T(test_a_node_is_in_flight_until_every_update_of_it_is_answered),
		T(test_a_long_list_is_read_rarely_and_oftener_when_only_its_age_is_in_the_way),
		T(test_another_server_is_asked_at_once_however_slow_the_last_one_was),
		T(test_a_comment_alone_is_no_reason_to_read_the_nodes),
		T(test_a_list_overtaken_by_a_single_read_is_no_base_for_a_304),
		T(test_nor_is_one_that_lacks_the_node),
		T(test_an_answer_does_not_turn_bad_because_a_newer_one_is_wanted),
		T(test_that_nothing_has_changed_is_no_list_that_names_every_node),
		T(test_a_refused_token_is_told_in_the_same_words_for_as_long_as_it_lasts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
