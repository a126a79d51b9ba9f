/* SPDX-License-Identifier: Apache-2.0 */
/* Many ask for many jobs: few programs are started, and no client gets an old answer. */
#include "lib/fake_slurm_tools.h"
#include "lib/sim_loop.h"

#include "redbox/jobs/status_cache.h"

enum { MANY = 100 };

struct asker {
	struct status_cache_wait *wait;
	int told;
	struct err err;
	char state[16];
};

struct world {
	struct sim_loop loop;
	struct fake_tools tools;
	struct status_cache *status_cache;
	struct asker askers[MANY];
	uint64_t marks[MANY]; /* of the jobs from number 1 on; 0: squeue does not have it */
};

static int given_a_status_cache(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	w->status_cache = status_cache_new(&w->loop.loop, (struct slurm_tools *)&w->tools);
	for (int i = 0; i < MANY; i++)
		w->marks[i] = 1;
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	status_cache_free(w->status_cache);
	assert_null(w->tools.calls);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	free(w);
	return 0;
}

static void told(void *ctx, struct err e, const struct slurm_tools_told *t)
{
	struct asker *a = ctx;
	a->told++;
	a->wait = NULL;
	a->err = e;
	snprintf(a->state, sizeof(a->state), "%s", t->n ? t->jobs[0].state : "");
}

/* Asker i asks for the job number i + 1. */
static void asks(struct world *w, int i)
{
	w->askers[i].wait = status_cache_show(w->status_cache, i + 1, told, &w->askers[i]);
}

static void all_ask(struct world *w, int n)
{
	for (int i = 0; i < n; i++)
		asks(w, i);
	sim_loop_pass(&w->loop, 0);
}

static void squeue_answers(struct world *w)
{
	struct slurm_job_mark marks[MANY];
	size_t n = 0;
	for (int i = 0; i < MANY; i++)
		if (w->marks[i])
			marks[n++] = (struct slurm_job_mark){ i + 1, w->marks[i] };
	fake_says(fake_call(&w->tools, FAKE_MARKS), OK,
		&(struct slurm_tools_told){ .marks = marks, .n = n });
	sim_loop_pass(&w->loop, 0);
}

/* Every job that scontrol is asked for is in this state. */
static int scontrol_answers(struct world *w, const char *word)
{
	int n = 0;
	for (struct slurm_tools_call *c = w->tools.calls, *next; c; c = next, n++) {
		const struct slurm_job_shown job = { .id = c->number, .state = word };
		next = c->next;
		assert_int_equal(c->kind, FAKE_JOB);
		fake_says(c, OK, &(struct slurm_tools_told){ .jobs = &job, .n = 1 });
	}
	sim_loop_pass(&w->loop, 0);
	return n;
}

static void has_been_told(struct world *w, int n, int times, const char *word)
{
	for (int i = 0; i < n; i++) {
		assert_int_equal(w->askers[i].told, times);
		assert_false(failed(w->askers[i].err));
		assert_string_equal(w->askers[i].state, word);
	}
}

/* All of them have been asked for, and shown, once; a second has passed. */
static void given_many_that_were_shown(struct world *w)
{
	all_ask(w, MANY);
	squeue_answers(w);
	assert_int_equal(scontrol_answers(w, "RUNNING"), MANY);
	has_been_told(w, MANY, 1, "RUNNING");
	sim_loop_pass(&w->loop, STATUS_CACHE_PAUSE_MS);
}

static void few_jobs_are_shown_one_by_one(void **state)
{
	struct world *w = *state;
	all_ask(w, STATUS_CACHE_FEW);
	assert_int_equal(w->tools.seen[FAKE_MARKS], 0);
	assert_int_equal(scontrol_answers(w, "RUNNING"), STATUS_CACHE_FEW);
	has_been_told(w, STATUS_CACHE_FEW, 1, "RUNNING");
}

/* V19 */
/* Acceptance: vnode-13, V19 */
static void many_are_one_question_and_what_is_new(void **state)
{
	struct world *w = *state;
	given_many_that_were_shown(w);
	for (int round = 2; round < 20; round++) {
		all_ask(w, MANY);
		squeue_answers(w);
		has_been_told(w, MANY, round, "RUNNING");
		sim_loop_pass(&w->loop, STATUS_CACHE_PAUSE_MS);
	}
	assert_int_equal(w->tools.seen[FAKE_JOB], MANY);
	w->marks[7] = 2;
	all_ask(w, MANY);
	squeue_answers(w);
	assert_int_equal(scontrol_answers(w, "COMPLETED"), 1);
	assert_string_equal(w->askers[7].state, "COMPLETED");
	assert_string_equal(w->askers[8].state, "RUNNING");
}

/* Acceptance: V19 */
static void those_who_come_one_by_one_are_many_too(void **state)
{
	struct world *w = *state;
	given_many_that_were_shown(w);
	for (int i = 0; i < MANY; i++) {
		asks(w, i);
		sim_loop_pass(&w->loop, 1);
		if (i < STATUS_CACHE_FEW)
			assert_int_equal(scontrol_answers(w, "RUNNING"), 1);
	}
	squeue_answers(w);
	sim_loop_pass(&w->loop, STATUS_CACHE_PAUSE_MS);
	if (w->tools.calls)
		squeue_answers(w);
	has_been_told(w, MANY, 2, "RUNNING");
	assert_int_equal(w->tools.seen[FAKE_JOB], MANY + STATUS_CACHE_FEW);
}

static void no_answer_is_older_than_its_question(void **state)
{
	struct world *w = *state;
	given_many_that_were_shown(w);
	all_ask(w, MANY - 1);
	all_ask(w, MANY); /* while squeue is on its way */
	squeue_answers(w);
	has_been_told(w, MANY - 1, 2, "RUNNING");
	assert_int_equal(w->askers[MANY - 1].told, 1); /* one alone: scontrol shows it */
	w->marks[0] = 2;
	sim_loop_pass(&w->loop, STATUS_CACHE_PAUSE_MS);
	squeue_answers(w);
	assert_int_equal(scontrol_answers(w, "COMPLETED"), 2);
	assert_int_equal(w->askers[0].told, 3);
	assert_string_equal(w->askers[0].state, "COMPLETED");
	assert_int_equal(w->askers[MANY - 1].told, 2);
}

static void a_job_that_squeue_does_not_have_is_asked_for(void **state)
{
	struct world *w = *state;
	w->marks[3] = 0;
	given_many_that_were_shown(w);
	all_ask(w, MANY);
	squeue_answers(w);
	assert_int_equal(scontrol_answers(w, "COMPLETED"), 1);
	assert_string_equal(w->askers[3].state, "COMPLETED");
}

static void what_was_shown_grows_old(void **state)
{
	struct world *w = *state;
	given_many_that_were_shown(w);
	for (int second = 0; second * 10000 < STATUS_CACHE_KEEP_MS; second++) {
		sim_loop_pass(&w->loop, 10000);
		all_ask(w, MANY);
		squeue_answers(w);
	}
	assert_int_equal(scontrol_answers(w, "RUNNING"), MANY);
}

static void a_slurm_that_is_away_is_told_to_all(void **state)
{
	struct world *w = *state;
	given_many_that_were_shown(w);
	all_ask(w, MANY);
	fake_says(fake_call(&w->tools, FAKE_MARKS), err_new(ERR_RETRY, "away"), NULL);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(w->askers[i].err.kind, ERR_RETRY);
	assert_int_equal(w->tools.seen[FAKE_JOB], MANY);
}

static void who_leaves_hears_nothing(void **state)
{
	struct world *w = *state;
	all_ask(w, MANY);
	status_cache_wait_stop(w->askers[0].wait);
	squeue_answers(w);
	status_cache_wait_stop(w->askers[1].wait);
	assert_int_equal(scontrol_answers(w, "RUNNING"), MANY - 2);
	assert_int_equal(w->askers[0].told + w->askers[1].told, 0);
	all_ask(w, STATUS_CACHE_FEW);
}

#define STATUS_CACHE_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_status_cache, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATUS_CACHE_TEST(few_jobs_are_shown_one_by_one),
		STATUS_CACHE_TEST(many_are_one_question_and_what_is_new),
		STATUS_CACHE_TEST(those_who_come_one_by_one_are_many_too),
		STATUS_CACHE_TEST(no_answer_is_older_than_its_question),
		STATUS_CACHE_TEST(a_job_that_squeue_does_not_have_is_asked_for),
		STATUS_CACHE_TEST(what_was_shown_grows_old),
		STATUS_CACHE_TEST(a_slurm_that_is_away_is_told_to_all),
		STATUS_CACHE_TEST(who_leaves_hears_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
