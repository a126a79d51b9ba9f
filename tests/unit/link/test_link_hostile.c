/* SPDX-License-Identifier: Apache-2.0 */
/* A slurmrestd that lies harms its own link alone; what it says in excess is unknown. */
#include "lib/link_world.h"

#define IDLE_OTHER "{\"name\":\"foo-1\",\"state\":[\"IDLE\"]}"
#define FREE "{\"name\":\"foo-0\",\"state\":[\"IDLE\",\"DRAIN\"]}"

static void when_jobs_are_asked(struct world *w)
{
	slurm_link_demand(w->link, NULL,
		&(struct demand){ .of[ASK_NODES] = { .need = SLURM_SOON },
			.of[ASK_JOBS] = { .at_ms = w->loop.now_ms } });
	when_passed(w, 1000);
}

/* Suspended ones, on these nodes each; the text is the caller's. */
static char *given_jobs(struct world *w, int n, const char *nodes)
{
	struct str list = { 0 };
	str_add(&list, "{\"jobs\":[");
	for (int i = 1; i <= n; i++)
		str_addf(&list, "%s{\"job_id\":%d,\"state\":[\"SUSPENDED\"]}", i > 1 ? "," : "", i);
	str_add(&list, "],\"errors\":[],\"warnings\":[]}");
	w->jobs = str_text(&list);
	w->job_nodes = nodes;
	w->nodes = NODES(FREE);
	given_up(w);
	return str_take(&list);
}

/* Acceptance: removal-22 */
static void test_what_host_lists_name_beyond_the_limit_is_unknown_never_free(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *jobs = given_jobs(w, 64, "n[0-65535]");
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "foo-0").held, NO);
	assert_string_equal(slurm_link_slurm(w->link).jobs_trouble, "");

	AUTO(own_free) char *more = given_jobs(w, 65, "n[0-65535]");
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "foo-0").held, UNKNOWN);
	assert_string_equal(slurm_link_slurm(w->link).jobs_trouble,
		"the nodes of job 65 cannot be read");
}

static void test_unreadable_host_lists_are_logged_once_while_there_are_some(void **state)
{
	struct world *w = *state;
	given_log(w);
	AUTO(own_free) char *jobs = given_jobs(w, 300, "n[3-1]");
	when_jobs_are_asked(w);
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "foo-0").held, UNKNOWN);
	then_logged(w, "the nodes of a job are not known", 1);
}

/* The text of a list of n nodes of other names each time. */
static char *given_names(struct world *w, int n, int round)
{
	struct str list = { 0 };
	str_add(&list, "{\"nodes\":[" FREE);
	for (int i = 0; i < n; i++)
		str_addf(&list, ",{\"name\":\"r%d-%d\",\"state\":[\"IDLE\"]}", round, i);
	str_add(&list, "],\"errors\":[],\"warnings\":[]}");
	w->nodes = str_text(&list);
	return str_take(&list);
}

/* Acceptance: removal-22 */
static void test_other_names_in_each_list_make_nothing_larger(void **state)
{
	enum { NODES = 20000, LISTS = 5 };
	struct world *w = *state;
	size_t first = 0;
	for (int i = 0; i < LISTS; i++) {
		AUTO(own_free) char *list = given_names(w, NODES, i);
		if (!i)
			given_up(w);
		when_passed(w, 11000);
		assert_int_equal(w->lists, i + 2);
		first = i ? first : w->memory.used;
		assert_true(w->memory.used < first + 100000);
		w->nodes = NULL;
	}
	assert_int_equal(node(w, "foo-0").known, YES);
}

/* An expected name is remembered: since when it is missing counts. */
static void test_a_name_that_is_expected_is_missing_since_the_first_list_without_it(void **state)
{
	struct world *w = *state;
	w->nodes = NODES(FREE);
	given_up(w);
	slurm_link_expect(w->link, &(struct slurm_who){ "foo-0", "" });
	w->nodes = NODES(IDLE_OTHER);
	when_passed(w, 11000);
	assert_int_equal(node(w, "foo-0").known, NO);
	int64_t since = node(w, "foo-0").absent_since_ms;
	when_passed(w, 21000);
	assert_int_equal(node(w, "foo-0").absent_since_ms, since);
}

/* n0, n1 and so on, all free. */
static char *given_free_nodes(struct world *w, int n)
{
	struct str list = { 0 };
	str_add(&list, "{\"nodes\":[" FREE);
	for (int i = 0; i < n; i++)
		str_addf(&list, ",{\"name\":\"n%d\",\"state\":[\"IDLE\",\"DRAIN\"]}", i);
	str_add(&list, "],\"errors\":[],\"warnings\":[]}");
	w->nodes = str_text(&list);
	return str_take(&list);
}

/* Each of its nodes keeps the name: 200 kB of a job on 2,000 nodes were 400 MB. */
static void test_of_a_long_name_of_a_user_the_beginning_is_kept(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *nodes = given_free_nodes(w, 2000);
	AUTO(str_free) struct str job = { 0 };
	str_addf(&job,
		"{\"jobs\":[{\"job_id\":7,\"job_state\":[\"SUSPENDED\"],\"nodes\":\"n[0-1999]\","
		"\"user_name\":\"%0200000d\"}],\"errors\":[],\"warnings\":[]}",
		1);
	w->jobs = "{\"jobs\":[{\"job_id\":7,\"state\":[\"SUSPENDED\"]}],"
		  "\"errors\":[],\"warnings\":[]}";
	w->job = str_text(&job);
	given_up(w);
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "n1999").held, YES);
	assert_in_range(strlen(node(w, "n1999").holder.user), 32, 100);
}

/* Beside the node itself there is its job, and the pod that its comment names. */
static void test_what_is_kept_of_the_job_of_a_node_is_paid_for(void **state)
{
	enum { JOB_BYTES = 64 };
	struct world *w = *state;
	AUTO(own_free) char *nodes = given_free_nodes(w, 2000);
	w->jobs = "{\"jobs\":[],\"errors\":[],\"warnings\":[]}";
	given_up(w);
	when_jobs_are_asked(w);
	size_t before = w->memory.used;
	w->jobs = "{\"jobs\":[{\"job_id\":1,\"state\":[\"SUSPENDED\"]}],\"errors\":[],"
		  "\"warnings\":[]}";
	w->job_nodes = "n[0-1999]";
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "n1999").held, YES);
	assert_true(w->memory.used > before + 2000 * JOB_BYTES);

	w->jobs = "{\"jobs\":[],\"errors\":[],\"warnings\":[]}";
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "n1999").held, NO);
	assert_in_range(w->memory.used, before - 1000, before + 1000);
}

static bool no_pod(void *ctx, const char *name, const char *pod)
{
	(void)ctx, (void)name, (void)pod;
	return false;
}
static void no_record(void *ctx, const struct slurm_record *r) { (void)ctx, (void)r; }

static void test_what_is_kept_of_a_comment_is_paid_for_twice(void **state)
{
	enum { NAME_BYTES = 3000 };
	struct world *w = *state;
	AUTO(str_free) struct str list = { 0 };
	str_addf(&list,
		"{\"nodes\":[" FREE ",{\"name\":\"n0\",\"state\":[\"IDLE\",\"DRAIN\"],\"comment\":"
		"\"{\\\"namespace\\\":\\\"ns\\\",\\\"podName\\\":\\\"%0*d\\\"}\"}],"
		"\"errors\":[],\"warnings\":[]}",
		NAME_BYTES, 0);
	w->nodes = str_text(&list);
	given_up(w);
	size_t before = w->memory.used;
	slurm_link_each_record(w->link, "ns", 0, no_pod, no_record, NULL);
	assert_true(w->memory.used >= before + NAME_BYTES);
	w->nodes = NODES(FREE);
	when_passed(w, 11000);
	assert_true(w->memory.used < before);
}

/* Jobs are not read before the nodes are: their memory would never be given back. */
static void test_jobs_leave_room_for_the_nodes(void **state)
{
	struct world *w = *state;
	w->memory.limit = 2 << 20;
	AUTO(own_free) char *jobs = given_jobs(w, 3000, "n0");
	AUTO(own_free) char *nodes = given_free_nodes(w, 700);
	when_passed(w, 11000);
	when_jobs_are_asked(w);
	when_passed(w, 60000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	assert_int_equal(node(w, "n0").held, UNKNOWN);
	assert_non_null(strstr(slurm_link_slurm(w->link).jobs_trouble, "no memory is left"));

	w->jobs = "{\"jobs\":[],\"errors\":[],\"warnings\":[]}";
	when_jobs_are_asked(w);
	when_passed(w, 5000);
	assert_int_equal(node(w, "n0").held, NO);
	assert_string_equal(slurm_link_slurm(w->link).jobs_trouble, "");
}

/* More namespaces have come, and the share is smaller than it was. */
static void test_nodes_have_the_room_of_remembered_jobs(void **state)
{
	struct world *w = *state;
	char many[4000];
	memset(many, 0, sizeof(many));
	for (size_t i = 0; i < sizeof(many) - 4; i += 3)
		memcpy(many + i, "n0,", 4);
	many[strlen(many) - 1] = '\0';
	AUTO(own_free) char *jobs = given_jobs(w, 300, many);
	AUTO(own_free) char *nodes = given_free_nodes(w, 700);
	when_passed(w, 11000);
	when_jobs_are_asked(w);
	assert_int_equal(node(w, "n0").held, YES);
	w->memory.limit = 2 << 20;
	when_passed(w, 60000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
}

/* 4 MB of them took 35 MB while they were read, which no share paid. */
static void test_a_node_of_millions_of_values_is_not_read(void **state)
{
	enum { VALUES = 2000000 };
	struct world *w = *state;
	AUTO(str_free) struct str list = { 0 };
	str_add(&list, "{\"nodes\":[" FREE ",{\"name\":\"foo-1\",\"state\":[\"IDLE\"],\"z\":[0");
	for (int i = 0; i < VALUES; i++)
		str_add_bytes(&list, ",0", 2);
	str_add(&list, "]}],\"errors\":[],\"warnings\":[]}");
	w->nodes = NODES(FREE);
	given_up(w);
	w->nodes = str_text(&list);
	when_passed(w, 11000);
	assert_int_not_equal(slurm_link_slurm(w->link).usable, YES);
	assert_non_null(strstr(slurm_link_slurm(w->link).trouble, "has more than 1048576 values"));
}

enum { GREEDY = 10, MANY = 10000 };

/* The text is the caller's. */
static char *given_ten_thousand_nodes(struct world *w)
{
	struct str list = { 0 };
	str_add(&list, "{\"nodes\":[" FREE);
	for (int i = 0; i < MANY; i++)
		str_addf(&list,
			",{\"name\":\"compute-%d\",\"state\":[\"IDLE\",\"DRAIN\"],\"hostname\":"
			"\"compute-%d\","
			"\"address\":\"10.244.%d.%d\",\"reason\":\"slurm-operator(slurm/compute)\","
			"\"comment\":\"{\\\"namespace\\\":\\\"slurm\\\",\\\"podName\\\":"
			"\\\"compute-%d\\\"}\"}",
			i, i, i / 250, i % 250, i);
	str_add(&list, "],\"errors\":[],\"warnings\":[]}");
	w->nodes = str_text(&list);
	return str_take(&list);
}

/* Namespaces that have each taken all that they may. */
static void given_greedy_ones(struct world *w, struct quota *all[GREEDY], size_t taken[GREEDY],
	int n)
{
	w->memory.limit = 48 << 20;
	w->memory.least = 2 << 20;
	for (int i = 0; i < n; i++) {
		char name[] = { 'a' + (char)i, '\0' };
		all[i] = quota_of(&w->memory, name);
		taken[i] = 0;
		for (size_t kb = 1 << 10; !failed(quota_take(all[i], kb));)
			taken[i] += kb;
	}
}

static void greedy_ones_go(struct quota *all[GREEDY], size_t taken[GREEDY], int n)
{
	for (int i = 0; i < n; i++) {
		quota_give(all[i], taken[i]);
		quota_leave(all[i]);
	}
}

static void test_ten_thousand_nodes_have_room_beside_one_that_takes_all_it_may(void **state)
{
	struct world *w = *state;
	struct quota *greedy[GREEDY];
	size_t taken[GREEDY];
	given_greedy_ones(w, greedy, taken, 1);
	AUTO(own_free) char *nodes = given_ten_thousand_nodes(w);
	given_up(w);
	when_passed(w, 60000);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	greedy_ones_go(greedy, taken, 1);
}

static void when_asks_with_nodes(struct world *w, size_t n)
{
	struct demand d = { .of[ASK_NODES] = { .need = SLURM_SOON },
		.of[ASK_JOBS] = { .at_ms = w->loop.now_ms },
		.n_nodes = n };
	slurm_link_demand(w->link, w, &d);
	when_passed(w, 6000);
}

/* Only as many strangers are read as have room in the share that each has in any case. */
/* Acceptance: removal-22 */
static void test_ten_thousand_nodes_that_are_pods_have_room_beside_ten_that_take_all(void **state)
{
	struct world *w = *state;
	struct quota *greedy[GREEDY];
	size_t taken[GREEDY];
	AUTO(own_free) char *jobs = given_jobs(w, 300, "compute-7,foo-0");
	AUTO(own_free) char *nodes = given_ten_thousand_nodes(w);
	given_greedy_ones(w, greedy, taken, GREEDY);
	when_asks_with_nodes(w, 100);
	assert_int_not_equal(slurm_link_slurm(w->link).usable, YES);
	assert_non_null(strstr(slurm_link_slurm(w->link).trouble, "no memory is left"));

	when_asks_with_nodes(w, MANY);
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	assert_int_equal(node(w, "compute-9999").known, YES);
	assert_int_equal(node(w, "compute-7").held, YES);
	when_asks_with_nodes(w, MANY); /* and when they are known it is read again */
	assert_int_equal(slurm_link_slurm(w->link).usable, YES);
	assert_string_equal(slurm_link_slurm(w->link).jobs_trouble, "");
	greedy_ones_go(greedy, taken, GREEDY);
}

#define T(test) cmocka_unit_test_setup_teardown(test, given_a_link, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_a_node_of_millions_of_values_is_not_read),
		T(test_what_host_lists_name_beyond_the_limit_is_unknown_never_free),
		T(test_other_names_in_each_list_make_nothing_larger),
		T(test_a_name_that_is_expected_is_missing_since_the_first_list_without_it),
		T(test_of_a_long_name_of_a_user_the_beginning_is_kept),
		T(test_what_is_kept_of_the_job_of_a_node_is_paid_for),
		T(test_what_is_kept_of_a_comment_is_paid_for_twice),
		T(test_jobs_leave_room_for_the_nodes),
		T(test_nodes_have_the_room_of_remembered_jobs),
		T(test_ten_thousand_nodes_have_room_beside_one_that_takes_all_it_may),
		T(test_ten_thousand_nodes_that_are_pods_have_room_beside_ten_that_take_all),
		T(test_unreadable_host_lists_are_logged_once_while_there_are_some),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
