/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a link about nodes and jobs, and since when: deletions rely on them. */
#include "lib/link_world.h"

#define STATE(name, state)                            \
	"{\"name\":\"" name "\",\"hostname\":\"" name \
	"\",\"address\":\"10.0.0.1\",\"state\":[" state "]}"
#define FREE STATE("foo-0", "\"IDLE\",\"DRAIN\"")
#define META(cluster) "\"meta\":{\"slurm\":{\"cluster\":\"" cluster "\"}},"
#define STATES(list) "{\"jobs\":[" list "],\"errors\":[],\"warnings\":[]}"
#define ONE_JOB(state, nodes)                                                       \
	"{\"jobs\":[{\"job_id\":7,\"job_state\":[\"" state "\"],\"nodes\":\"" nodes \
	"\",\"user_name\":\"alice\"}],\"errors\":[],\"warnings\":[]}"

static void when_jobs_are_asked(struct world *w)
{
	slurm_link_demand(w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_SOON },
			.of[ASK_JOBS] = { .at_ms = w->loop.now_ms } });
	when_passed(w, 1000);
}

static void given_a_free_node(struct world *w)
{
	w->nodes = NODES(FREE);
	given_up(w);
}

/* ---- jobs ---- */

/* Acceptance: removal-15 */
static void test_a_suspended_job_holds_its_node(void **state)
{
	struct world *w = *state;
	w->jobs = STATES("{\"job_id\":7,\"state\":[\"SUSPENDED\"]}");
	w->job = ONE_JOB("SUSPENDED", "foo-[0-1]");
	given_a_free_node(w);
	assert_int_equal(node(w, "foo-0").held, UNKNOWN);

	when_jobs_are_asked(w);

	assert_int_equal(node(w, "foo-0").held, YES);
	assert_int_equal(node(w, "foo-0").holder.id, 7);
	assert_string_equal(node(w, "foo-0").holder.user, "alice");
	assert_true(node(w, "foo-0").holder.suspended);
	assert_false(node(w, "foo-0").holder.others);

	int changes = w->changes;
	w->jobs = STATES("{\"job_id\":7,\"state\":[\"RUNNING\"]}");
	/* A user resumed it: it has no end, as before */
	w->job = ONE_JOB("RUNNING", "foo-[0-1]");
	when_jobs_are_asked(w);
	assert_false(node(w, "foo-0").holder.suspended);
	assert_true(w->changes > changes);
}

static void test_without_a_job_a_node_is_held_by_none_as_of_the_asking(void **state)
{
	struct world *w = *state;
	given_a_free_node(w);
	int64_t before = w->loop.now_ms;
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "foo-0").held, NO);
	assert_true(slurm_link_slurm(w->link).jobs_seen_ms >= before);
	assert_true(slurm_link_slurm(w->link).jobs_seen_ms >= node(w, "foo-0").free_since_ms);
}

static void test_a_suspended_job_whose_nodes_cannot_be_read_may_be_anywhere(void **state)
{
	struct world *w = *state;
	w->jobs = STATES("{\"job_id\":7,\"state\":[\"SUSPENDED\"]}");
	w->job = "{\"jobs\":[],\"errors\":[{\"error_number\":9999,\"error\":\"x\"}],\"warnings\":[]"
		 "}";
	given_a_free_node(w);
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "foo-0").held, UNKNOWN);
}

/* The node of the job looks busy, and has nothing else to show for it. */
static void test_a_running_job_whose_nodes_cannot_be_read_is_told(void **state)
{
	struct world *w = *state;
	w->jobs = STATES("{\"job_id\":7,\"state\":[\"RUNNING\"]}");
	w->job = ONE_JOB("RUNNING", "foo-0");
	given_a_free_node(w);
	when_jobs_are_asked(w);
	assert_false(slurm_link_slurm(w->link).jobs_unread);
	w->jobs = STATES("{\"job_id\":8,\"state\":[\"RUNNING\"]}");
	w->job = "{\"jobs\":[{\"job_id\":8,\"job_state\":[\"RUNNING\"]}],\"errors\":[],"
		 "\"warnings\":[]}";
	when_jobs_are_asked(w);
	assert_true(slurm_link_slurm(w->link).jobs_unread);
	assert_int_equal(node(w, "foo-0").held, NO);
	w->jobs = STATES("");
	when_jobs_are_asked(w);
	assert_false(slurm_link_slurm(w->link).jobs_unread);
}

static void test_a_node_that_came_after_the_jobs_were_asked_for_is_in_no_answer(void **state)
{
	struct world *w = *state;
	given_a_free_node(w);
	when_jobs_are_asked(w);
	w->nodes = NODES(FREE "," STATE("foo-9", "\"IDLE\",\"DRAIN\""));
	slurm_link_demand(w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_SOON } });
	when_passed(w, 3000);
	assert_int_equal(node(w, "foo-9").known, YES);
	assert_int_equal(node(w, "foo-9").held, UNKNOWN);
	assert_int_equal(node(w, "foo-0").held, NO);
}

static void test_jobs_that_cannot_be_read_are_trouble_and_asked_again(void **state)
{
	struct world *w = *state;
	w->jobs = "{\"errors\":[{\"error_number\":9999,\"error\":\"x\"}]}";
	given_a_free_node(w);
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "foo-0").held, UNKNOWN);
	assert_true(strlen(slurm_link_slurm(w->link).jobs_trouble) > 0);
	w->jobs = STATES("");
	when_passed(w, 3000);
	assert_int_equal(node(w, "foo-0").held, NO);
	assert_string_equal(slurm_link_slurm(w->link).jobs_trouble, "");
}

/* ---- since when all that was sent is known ---- */

/*
 * A standby has its links for hours before it leads: what the leader of until now has
 * sent may come late all the same.
 */
static void test_who_takes_over_does_not_know_what_was_sent_before(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_passed(w, 3600000);
	int64_t now = loop_now_ms(&w->loop.loop);
	assert_true(slurm_link_slurm(w->link).since_ms < now);
	slurm_link_take_over(w->link);
	assert_int_equal(slurm_link_slurm(w->link).since_ms, now);
}

static void test_nor_does_a_new_client(void **state)
{
	struct world *w = *state;
	given_up(w);
	when_passed(w, 3600000);
	int64_t now = loop_now_ms(&w->loop.loop);
	slurm_link_set(w->link, "http://other", "slurm-token");
	assert_true(slurm_link_slurm(w->link).since_ms >= now);
}

/* ---- since when a node is free ---- */

static void test_free_since_is_of_the_first_of_the_unbroken_answers(void **state)
{
	struct world *w = *state;
	given_a_free_node(w);
	int64_t since = node(w, "foo-0").free_since_ms;
	assert_true(since > 0);
	when_wanted(w, SLURM_SOON, false);
	when_passed(w, 3000);
	assert_int_equal(node(w, "foo-0").free_since_ms, since);

	w->nodes = NODES(STATE("foo-0", "\"ALLOCATED\",\"DRAIN\""));
	when_passed(w, 3000);
	assert_int_equal(node(w, "foo-0").free_since_ms, 0);
	w->nodes = NODES(FREE);
	when_passed(w, 3000);
	assert_true(node(w, "foo-0").free_since_ms > since);
}

#define FREE_SINCE(busy_s)                                                        \
	"{\"name\":\"foo-0\",\"state\":[\"IDLE\",\"DRAIN\"],\"reason\":\"ours\"," \
	"\"last_busy\":{\"set\":true,\"infinite\":false,\"number\":" #busy_s "}}"

/*
 * The drain was lifted, a job began and was suspended, and a user drained the node again:
 * no answer shows it, and the jobs were asked for before.
 */
static void test_a_drain_that_was_lifted_between_two_answers_breaks_the_row(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(FREE_SINCE(1700000000));
	given_up(w);
	when_jobs_are_asked(w);
	int64_t since = node(w, "foo-0").free_since_ms;
	assert_true(slurm_link_slurm(w->link).jobs_seen_ms >= since);

	w->nodes = NODES(FREE_SINCE(1700000007));
	when_wanted(w, SLURM_SOON, false);
	when_passed(w, 3000);

	assert_true(node(w, "foo-0").free_since_ms > slurm_link_slurm(w->link).jobs_seen_ms);
}

static void test_a_long_time_without_answers_breaks_the_row(void **state)
{
	struct world *w = *state;
	given_a_free_node(w);
	int64_t since = node(w, "foo-0").free_since_ms;
	w->rest_down = true;
	when_passed(w, 20000);
	w->rest_down = false;
	when_passed(w, 15000);
	assert_int_equal(node(w, "foo-0").known, YES);
	assert_true(node(w, "foo-0").free_since_ms > since + 20000);
}

/*
 * Slurm made the answer at some moment between the asking and the coming: jobs asked for
 * meanwhile may be of before it.
 */
static void test_free_counts_from_when_the_answer_came(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(STATE("foo-0", "\"ALLOCATED\",\"DRAIN\""));
	given_up(w);
	w->nodes = NODES(FREE);
	w->list_takes_ms = 3000;
	when_wanted(w, SLURM_SOON, false);
	when_passed(w, 8000);
	struct slurm_node_fact f = node(w, "foo-0");
	assert_true(f.free_since_ms >= slurm_link_slurm(w->link).nodes_seen_ms);
}

/* ---- single reads ---- */

static void told(void *ctx, struct err err) { *(int *)ctx += failed(err) ? -1 : 1; }

static void test_a_look_tells_that_there_is_no_such_node(void **state)
{
	struct world *w = *state;
	int answered = 0;
	given_a_free_node(w);
	slurm_link_look(w->link, "foo-0", told, &answered);
	when_passed(w, 0);
	assert_int_equal(answered, 1);
	assert_int_equal(node(w, "foo-0").known, NO);
	assert_int_equal(node(w, "foo-0").absent_since_ms, node(w, "foo-0").looked_ms);
}

static void test_a_look_that_its_client_does_not_survive_is_told(void **state)
{
	struct world *w = *state;
	int answered = 0;
	given_a_free_node(w);
	slurm_link_look(w->link, "foo-0", told, &answered);
	slurm_link_set(w->link, "http://other:6820", "t");
	assert_int_equal(answered, -1);
}

/* Each node that is waited for has its turn, however many there are. */
static void test_with_a_slow_list_every_node_that_is_waited_for_has_its_turn(void **state)
{
	struct world *w = *state;
	enum { NODES_WAITED_FOR = 40 };
	char names[NODES_WAITED_FOR][16];
	const char *looks[NODES_WAITED_FOR];
	given_up(w);
	for (int i = 0; i < NODES_WAITED_FOR; i++) {
		snprintf(names[i], sizeof(names[i]), "foo-%d", i);
		looks[i] = names[i];
		node(w, names[i]);
	}
	w->list_takes_ms = 6000;
	when_passed(w, 10000);
	int64_t began = w->loop.now_ms;
	slurm_link_demand(w->link, NULL,
		&(struct demand){
			.of[ASK_NODES] = { .need = SLURM_SOON },
			.of[ASK_LOOKS] = { .names = looks, .n_names = NODES_WAITED_FOR },
		});
	when_passed(w, 12000);
	for (int i = 0; i < NODES_WAITED_FOR; i++)
		assert_true(node(w, names[i]).looked_ms > began);
}

/* ---- names ---- */

static void test_a_node_of_another_name_at_the_pods_address_is_told(void **state)
{
	struct world *w = *state;
	w->nodes = NODES("{\"name\":\"alt-foo-0\",\"hostname\":\"foo-0\",\"address\":\"10.0.0.7\","
			 "\"state\":[\"IDLE\"]}");
	given_up(w);
	assert_string_equal(slurm_link_node(w->link, &(struct slurm_who){ "bar-0", "10.0.0.7" })
				    .elsewhere,
		"alt-foo-0");
	assert_string_equal(slurm_link_node(w->link, &(struct slurm_who){ "foo-0", "10.0.0.8" })
				    .elsewhere,
		"alt-foo-0");
	assert_null(slurm_link_node(w->link, &(struct slurm_who){ "bar-1", "10.0.0.8" }).elsewhere);
	/*
	 * Slurm has one address of a machine with two families, or with several networks.
	 */
	assert_string_equal(slurm_link_node(w->link,
				    &(struct slurm_who){
					    "bar-1", "10.0.0.8", .second_address = "10.0.0.7" })
				    .elsewhere,
		"alt-foo-0");
	assert_string_equal(slurm_link_node(w->link,
				    &(struct slurm_who){ "bar-1", "10.0.0.8", .machine = "foo-0" })
				    .elsewhere,
		"alt-foo-0");
	/* A node that is down has no job; its address may be of another node by now. */
	w->nodes = NODES("{\"name\":\"alt-foo-0\",\"hostname\":\"foo-0\",\"address\":\"10.0.0.7\","
			 "\"state\":[\"DOWN\"]}");
	when_passed(w, 11000);
	assert_null(slurm_link_node(w->link, &(struct slurm_who){ "bar-0", "10.0.0.7" }).elsewhere);
}

/* The record of a predecessor is not the node of a pod whose slurmd has another name. */
static void test_a_node_of_the_right_name_at_another_address_may_be_a_predecessors(void **state)
{
	struct world *w = *state;
	w->nodes = NODES("{\"name\":\"alt-foo-0\",\"hostname\":\"foo-0\",\"address\":\"10.0.0.7\","
			 "\"state\":[\"IDLE\"]}," FREE);
	given_up(w);
	assert_int_equal(slurm_link_node(w->link, &(struct slurm_who){ "foo-0", "10.0.0.7" }).known,
		YES);
	assert_string_equal(slurm_link_node(w->link, &(struct slurm_who){ "foo-0", "10.0.0.7" })
				    .elsewhere,
		"alt-foo-0");
	assert_null(slurm_link_node(w->link, &(struct slurm_who){ "foo-0", "10.0.0.1" }).elsewhere);
}

/* ---- which Slurm ---- */

#define NODES_OF(cluster)                                                                          \
	"{" META(cluster) "\"nodes\":[" FREE "],\"last_update\":{\"set\":true,\"infinite\":false," \
			  "\"number\":1},\"errors\":[],\"warnings\":[]}"

static void test_the_slurm_that_answers_first_is_the_one_that_is_meant(void **state)
{
	struct world *w = *state;
	w->nodes = NODES_OF("blue");
	given_up(w);
	assert_string_equal(slurm_link_slurm(w->link).cluster, "blue");

	w->nodes = NODES_OF("green");
	when_passed(w, 12000);
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);
	assert_int_equal(node(w, "foo-0").known, UNKNOWN);
	assert_string_equal(slurm_link_fact(w->link).answers, "green");
	assert_string_equal(slurm_link_fact(w->link).meant, "blue");

	w->nodes = NODES_OF("blue");
	when_passed(w, 12000);
	assert_int_equal(node(w, "foo-0").known, YES);
}

static void test_another_slurm_counts_once_somebody_says_that_it_is_meant(void **state)
{
	struct world *w = *state;
	slurm_link_mean(w->link, "blue");
	w->nodes = NODES_OF("green");
	slurm_link_set(w->link, "http://slurm:6820", "t");
	when_passed(w, 5000);
	assert_int_equal(slurm_link_slurm(w->link).usable, NO);

	slurm_link_mean(w->link, "green");
	when_passed(w, 5000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	assert_int_equal(node(w, "foo-0").known, YES);
}

/* ---- updates that were lost ---- */

/* Reports its end after so long: an update of thousands of nodes goes in parts. */
static void given_a_lost_undrain(struct world *w, int64_t after_ms)
{
	static const char *const names[] = { "foo-0" };
	int answered = 0;
	given_a_free_node(w);
	when_wanted(w, SLURM_SOON, false);
	slurm_link_update(w->link, SLURM_UNDRAIN, names, 1, "x", told, &answered);
	when_passed(w, after_ms);
	for (int i = 0; i < w->rest.n; i++)
		if (w->rest.calls[i].open && str_eq(w->rest.calls[i].method, "POST"))
			fake_fail(&w->rest.calls[i], ERR_LOST);
	assert_int_equal(answered, -1);
}

static void test_an_undrain_without_an_answer_may_arrive_for_a_minute(void **state)
{
	struct world *w = *state;
	given_a_lost_undrain(w, 0);
	when_passed(w, 50000);
	assert_true(node(w, "foo-0").in_flight);
	when_passed(w, 20000);
	assert_false(node(w, "foo-0").in_flight);
}

/* At rest there is no next read: the end has to be reported. */
static void test_the_end_of_a_lost_undrain_is_told_though_nothing_changes(void **state)
{
	struct world *w = *state;
	given_a_lost_undrain(w, 0);
	when_wanted(w, SLURM_AT_REST, false);
	w->unchanged = true;
	when_passed(w, 40000);
	assert_true(node(w, "foo-0").in_flight);
	int before = w->changes;
	when_passed(w, 40000);
	assert_false(node(w, "foo-0").in_flight);
	assert_int_equal(w->changes, before + 1);
}

static void test_the_last_part_of_an_undrain_may_arrive_long_after_the_first(void **state)
{
	struct world *w = *state;
	given_a_lost_undrain(w, 100000);
	when_passed(w, 25000);
	assert_true(node(w, "foo-0").in_flight);
	when_passed(w, 20000);
	assert_false(node(w, "foo-0").in_flight);
}

#define T(name) cmocka_unit_test_setup_teardown(name, given_a_link, free_world)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_suspended_job_holds_its_node),
		T(test_without_a_job_a_node_is_held_by_none_as_of_the_asking),
		T(test_a_suspended_job_whose_nodes_cannot_be_read_may_be_anywhere),
		T(test_a_running_job_whose_nodes_cannot_be_read_is_told),
		T(test_a_node_that_came_after_the_jobs_were_asked_for_is_in_no_answer),
		T(test_jobs_that_cannot_be_read_are_trouble_and_asked_again),
		T(test_who_takes_over_does_not_know_what_was_sent_before),
		T(test_nor_does_a_new_client),
		T(test_free_since_is_of_the_first_of_the_unbroken_answers),
		T(test_a_drain_that_was_lifted_between_two_answers_breaks_the_row),
		T(test_a_long_time_without_answers_breaks_the_row),
		T(test_free_counts_from_when_the_answer_came),
		T(test_a_look_tells_that_there_is_no_such_node),
		T(test_a_look_that_its_client_does_not_survive_is_told),
		T(test_with_a_slow_list_every_node_that_is_waited_for_has_its_turn),
		T(test_a_node_of_another_name_at_the_pods_address_is_told),
		T(test_a_node_of_the_right_name_at_another_address_may_be_a_predecessors),
		T(test_the_slurm_that_answers_first_is_the_one_that_is_meant),
		T(test_another_slurm_counts_once_somebody_says_that_it_is_meant),
		T(test_an_undrain_without_an_answer_may_arrive_for_a_minute),
		T(test_the_end_of_a_lost_undrain_is_told_though_nothing_changes),
		T(test_the_last_part_of_an_undrain_may_arrive_long_after_the_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
