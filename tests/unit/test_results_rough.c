/* SPDX-License-Identifier: Apache-2.0 */
/* The collector of results, where files go and volumes are particular. */
#include "lib/results_world.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULTS_TEST(a_file_that_went_after_the_list_is_left_to_the_next),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
