/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SlurmJobs on their way to Slurm in the simulated world: random people, random faults,
 * and every promise watched. SEEDS, FIRST, SEED, FAULTS and SHRINK are those of
 * test_operator.c. GO_ON=yes: the first seed that breaks a promise is not the last
 * one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "sim/sim_bridge_play.h"

#define STORY "every_slurmjob_is_one_job_for_every_seed"
enum { MOST_FAULTS = 10000, SEEDS = 150 };

static const char *text_of(const char *name)
{
	const char *text = getenv(name);
	return text ? text : "";
}

static uint64_t number(const char *name, uint64_t fallback)
{
	return *text_of(name) ? strtoull(text_of(name), NULL, 10) : fallback;
}

static bool given_faults(struct bridge_play *p, struct sim_fault list[static MOST_FAULTS])
{
	const char *text = text_of("FAULTS");
	if (!*text)
		return true;
	long n = str_eq(text, "none") ? 0 : sim_faults_parse(text, list, MOST_FAULTS);
	p->faults = list;
	p->n_faults = n > 0 ? (size_t)n : 0;
	p->exact = true;
	return n >= 0;
}

/* The same once more, with all that happens and the logs of the programs. */
static void show(const struct bridge_play *p, const struct bridge_played *broken)
{
	struct bridge_play again = {
		.seed = p->seed,
		.faults = broken->faults,
		.n_faults = broken->n_faults,
		.exact = true,
		.trace = true,
	};
	log_set_level(LOG_DEBUG);
	struct bridge_played played = bridge_play(&again);
	log_set_level(LOG_ERROR + 1);
	fprintf(stderr, "%s", str_text(&played.log));
	bridge_played_free(&played);
}

static void report(struct bridge_play *p, struct bridge_played *broken)
{
	AUTO(str_free) struct str faults = { 0 };
	size_t before = broken->n_faults;
	int plays = 0;
	if (!p->exact && !str_eq(text_of("SHRINK"), "no"))
		plays = bridge_play_shrink(p, broken);
	if (*text_of("SEED"))
		show(p, broken);
	fprintf(stderr, "%s\n", broken->text);
	if (plays)
		fprintf(stderr, "%zu of %zu faults are enough (%d plays)\n", broken->n_faults,
			before, plays);
	sim_faults_print(broken->faults, broken->n_faults, &faults);
	fprintf(stderr, "replay with: make test T=" STORY " SEED=%llu FAULTS=\"%s\"\n",
		(unsigned long long)p->seed, faults.len ? str_text(&faults) : "none");
}

struct sums {
	uint64_t steps, objects, jobs, rest, nowhere;
};

static bool seed_holds(uint64_t seed, struct sums *sums)
{
	static struct sim_fault list[MOST_FAULTS];
	struct bridge_play p = { .seed = seed };
	assert_true(given_faults(&p, list));
	struct bridge_played played = bridge_play(&p);
	bool holds = !*played.promise;
	sums->steps += played.steps;
	sums->objects += played.objects;
	sums->jobs += played.jobs;
	sums->rest += played.rest;
	sums->nowhere += played.nowhere;
	if (!holds)
		report(&p, &played);
	bridge_played_free(&played);
	return holds;
}

static void every_slurmjob_is_one_job_for_every_seed(void **state)
{
	(void)state;
	uint64_t one = number("SEED", 0), first = one ? one : number("FIRST", 1),
		 n = one ? 1 : number("SEEDS", SEEDS), played = 0;
	bool holds = true;
	struct sums sums = { 0 };
	bool goes_on = *text_of("GO_ON");
	for (uint64_t seed = first; seed < first + n && (holds || goes_on); seed++, played++)
		holds &= seed_holds(seed, &sums);
	fprintf(stderr,
		"%llu seeds, %llu SlurmJobs, %llu clients by REST, %llu jobs, %llu times no partition fits, %llu steps\n",
		(unsigned long long)played, (unsigned long long)sums.objects,
		(unsigned long long)sums.rest, (unsigned long long)sums.jobs,
		(unsigned long long)sums.nowhere, (unsigned long long)sums.steps);
	assert_true(holds);
	assert_true(sums.rest || played < 20);
	assert_true(sums.jobs >= played);
	assert_true(sums.nowhere >= played / 10);
}

int main(void)
{
	log_set_level(LOG_ERROR + 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_slurmjob_is_one_job_for_every_seed)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
