/* SPDX-License-Identifier: Apache-2.0 */
/* The list of partitions, of which only a sum is kept; whole and conditional. */
#include "lib/slurm_reading.h"

#define WHOLE "GET /slurm/v0.0.42/partitions/"
#define SINCE "GET /slurm/v0.0.42/partitions/?update_time=1795714872"
#define LIST(items)                                                                                \
	"{\"partitions\":[" items "],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":" \
	"1795714874},\"errors\":[],\"warnings\":[]}"
#define IN_STATE(name, state) "{\"name\":\"" name "\",\"partition\":{\"state\":" state "}}"

/* "2/1 a (DOWN) " */
static void done(void *ctx, struct err err, const struct slurm_partitions *news)
{
	struct seen *s = ctx;
	if (news)
		str_addf(&s->text, "%zu/%zu %s ", news->n, news->up, news->others);
	seen_done(s, err, news != NULL, 0);
}

static void nodes_done(void *ctx, struct err err, const struct slurm_partitions *news)
{
	struct seen *s = ctx;
	if (news)
		str_add(&s->text, news->nodes);
	seen_done(s, err, news != NULL, 0);
}

static void start_nodes(struct setup *t)
{
	slurm_read_partitions(t->s, true, nodes_done, &t->seen);
}
static void start(struct setup *t) { slurm_read_partitions(t->s, false, done, &t->seen); }
static void begin(struct setup *t) { begin_reading(t, start, "reading the partitions of Slurm: "); }

static void test_partitions_are_counted_and_those_that_are_not_up_named(void **state)
{
	(void)state;
	static const struct {
		const char *body, *told;
	} rows[] = {
		{ LIST(""), "0/0  " },
		{ LIST(IN_STATE("a", "[\"UP\"]")), "1/1  " },
		{ LIST(IN_STATE("a", "[\"DOWN\"]") "," IN_STATE("b", "\"UP\"")), "2/1 a (DOWN) " },
		{ LIST(IN_STATE("a", "[\"INACTIVE\"]") "," IN_STATE("b", "[]")),
			"2/0 a (INACTIVE), b () " },
		/* A name from outside breaks no line. */
		{ LIST(IN_STATE("a\\nb", "[\"DRAIN\"]")), "1/0 a b (DRAIN) " },
		{ LIST(IN_STATE("a", "[\"DOWN\"]") "," IN_STATE("b", "[\"DOWN\"]") "," IN_STATE("c",
			  "[\"DOWN\"]") "," IN_STATE("d", "[\"DOWN\"]") "," IN_STATE("e",
			  "[\"DOWN\"]") "," IN_STATE("f", "[\"DOWN\"]")),
			"6/0 a (DOWN), b (DOWN), c (DOWN), d (DOWN), e (DOWN) " },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct setup t;
		begin(&t);
		rest_answers(t.f, WHOLE, 200, rows[i].body);
		was_read(&t, rows[i].told);
		end_reading(&t);
	}
}

/* As recorded of 24.11.5 and 26.05.5: records with the state FUTURE are among them. */
static void test_the_nodes_of_partitions_are_kept_as_they_are_told(void **state)
{
	(void)state;
#define WITH(name, nodes) "{\"name\":\"" name "\",\"partition\":{\"state\":[\"UP\"]}" nodes "}"
#define CONFIGURED(list) ",\"nodes\":{\"configured\":\"" list "\",\"total\":4}"
	static const struct {
		const char *body, *told;
	} rows[] = {
		{ LIST(WITH("a", CONFIGURED("d-0,d-future[0-2]")) "," WITH("b", CONFIGURED(""))),
			"a=d-0,d-future[0-2];b=;" },
		{ LIST(WITH("a", "") "," WITH("b", ",\"nodes\":{\"configured\":7}")), "" },
		{ LIST(WITH("a", CONFIGURED("d;e=f")) "," WITH("b", CONFIGURED("c"))), "b=c;" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct setup t;
		begin_reading(&t, start_nodes, "reading the partitions of Slurm: ");
		rest_answers(t.f, WHOLE, 200, rows[i].body);
		was_read(&t, rows[i].told);
		end_reading(&t);
	}
}

/* slurmctld says "nothing has changed" when a partition has got nodes. */
static void test_a_whole_read_takes_no_for_no_answer(void **state)
{
	(void)state;
	struct setup t;
	begin_reading(&t, start_nodes, "reading the partitions of Slurm: ");
	for (int i = 0; i < 2; i++) {
		rest_answers(t.f, WHOLE, 200, LIST(WITH("a", CONFIGURED("n1"))));
		was_read(&t, "a=n1;");
		if (!i)
			read_again(&t);
	}
	end_reading(&t);
}

static void test_the_next_read_asks_for_changes_only(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_answers(t.f, WHOLE, 200, LIST(IN_STATE("a", "[\"UP\"]")));
	was_read(&t, "1/1  ");
	read_again(&t);
	rest_answers(t.f, SINCE, 304, "");
	assert_string_equal(t.seen.err.text, "");
	assert_int_equal(t.seen.calls, 1);
	assert_false(t.seen.changed);
	assert_string_equal(str_text(&t.seen.text), "");
	read_again(&t);
	rest_answers(t.f, SINCE, 200, LIST(IN_STATE("a", "[\"DOWN\"]")));
	was_read(&t, "1/0 a (DOWN) ");
	end_reading(&t);
}

static void test_behind_a_failure_the_list_is_read_whole(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_answers(t.f, WHOLE, 200, LIST(IN_STATE("a", "[\"UP\"]")));
	read_again(&t);
	rest_fails(t.f, SINCE, err_new(ERR_LOST, "gone"));
	assert_true(failed(t.seen.err));
	read_again(&t);
	rest_answers(t.f, WHOLE, 200, "{\"errors\":[],\"warnings\":[]}");
	has_failed(&t, ERR_INVALID); /* no list is not an empty list */
	end_reading(&t);
}

/* A proxy may not know the path: that is no reason to find out the version anew. */
static void test_an_unknown_path_is_a_failure_of_this_read_alone(void **state)
{
	(void)state;
	struct setup t;
	begin(&t);
	rest_answers(t.f, WHOLE, 404, "no such page");
	assert_true(failed(t.seen.err));
	read_again(&t);
	rest_answers(t.f, WHOLE, 200, LIST(IN_STATE("a", "[\"UP\"]")));
	was_read(&t, "1/1  ");
	end_reading(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partitions_are_counted_and_those_that_are_not_up_named),
		cmocka_unit_test(test_the_nodes_of_partitions_are_kept_as_they_are_told),
		cmocka_unit_test(test_a_whole_read_takes_no_for_no_answer),
		cmocka_unit_test(test_the_next_read_asks_for_changes_only),
		cmocka_unit_test(test_behind_a_failure_the_list_is_read_whole),
		cmocka_unit_test(test_an_unknown_path_is_a_failure_of_this_read_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
