/* SPDX-License-Identifier: Apache-2.0 */
/* The collector of results, where files go and volumes are particular. */
#include <dirent.h>

#include "lib/results_world.h"

#include "daemons/results/tree.h"

/* Somebody removes what the job has left over: the next list does not have it. */
static void a_file_that_went_after_the_list_is_left_to_the_next(void **state)
{
	struct world *w = *state;
	when_begun(w);
	assert_true(answer_one(w)); /* the list */
	for (int i = 0; i < 100 && w->status < 0; i++) {
		struct http_call *c = fake_open(&w->http, "GET /results/ns/cow-job/file");
		if (c)
			fake_answer(c, 404, "out/a.txt: No such file or directory\n");
		sim_loop_pass(&w->loop, 1000);
	}
	then_ended(w, RESULTS_ANEW, "the virtual node says (404): out/a.txt");
	when_killed(w);
	w->sources[1] = w->sources[3];
	w->sources[1].path = "out/other";
	w->n = 3;
	when_begun(w);
	when_passed(w, 5000);
	then_ended(w, RESULTS_DONE, "1 files");
}

/* Some volumes take no other names: that of a part is cut between two characters. */
static void the_part_of_a_long_name_has_a_name_in_utf8(void **state)
{
	struct world *w = *state;
	struct tree *tree;
	struct part *part;
	AUTO(str_free) struct str name = { 0 };
	for (int bytes = 0; bytes < 2; bytes++) {
		str_clear(&name);
		str_add(&name, bytes ? "a" : "");
		while (name.len < RESULTS_NAME_BYTES - 3)
			str_add(&name, "\u00fc");
		const struct results_entry entry = { str_text(&name), 5, 0640, false, T_NS };
		assert_false(failed(tree_open(w->to, "ns/cow-job", &tree)));
		assert_false(failed(part_open(tree, &entry, &part)));
		DIR *dir = opendir(w->to);
		assert_non_null(dir);
		for (const struct dirent *d; (d = readdir(dir));)
			for (const char *at = d->d_name; *at; at += str_utf8(at))
				assert_int_not_equal(str_utf8(at), 0);
		closedir(dir);
		part_drop(part);
		tree_close(tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULTS_TEST(a_file_that_went_after_the_list_is_left_to_the_next),
		RESULTS_TEST(the_part_of_a_long_name_has_a_name_in_utf8),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
