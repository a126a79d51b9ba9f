/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator in the simulated world: random users, random faults, and every promise
 * watched. The first seed that breaks one is shrunk to the faults that it takes, and the
 * line that plays exactly that again is printed.
 *
 *   SEEDS=n     how many seeds (default 225)
 *   FIRST=n     the first seed (default 1)
 *   SEED=n      only that one; when it breaks a promise, with the operator's log and
 *   every write
 *   FAULTS=...  with SEED: exactly these faults ("17:lost-after 40:watch-cut"), or "none"
 *   SHRINK=no   do not look for the shortest list
 *   ROUGH=...   which roughness the worlds have, see sim_rough.h
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
#include "sim/sim_play.h"

enum { MOST_FAULTS = 10000 };

static const char *text_of(const char *name)
{
	const char *text = getenv(name);
	return text ? text : "";
}

static uint64_t number(const char *name, uint64_t fallback)
{
	return *text_of(name) ? strtoull(text_of(name), NULL, 10) : fallback;
}

/* FAULTS: given to the play. False: nothing readable. */
static bool given_faults(struct sim_play *p, struct sim_fault list[static MOST_FAULTS])
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

/* Plays it once more, with every write in the log. */
static void show(const struct sim_play *p, const struct sim_played *broken)
{
	struct sim_play again = {
		.seed = p->seed,
		.faults = broken->faults,
		.n_faults = broken->n_faults,
		.rough = broken->rough,
		.exact = true,
		.trace = true,
	};
	log_set_level(LOG_DEBUG);
	struct sim_played played = sim_play(&again);
	log_set_level(LOG_ERROR + 1);
	fprintf(stderr, "%s", str_text(&played.log));
	sim_played_free(&played);
}

static void report(struct sim_play *p, struct sim_played *broken)
{
	AUTO(str_free) struct str faults = { 0 };
	size_t before = broken->n_faults;
	int plays = 0;
	if (!p->exact && !str_eq(text_of("SHRINK"), "no"))
		plays = sim_play_shrink(p, broken);
	if (*text_of("SEED"))
		show(p, broken);
	fprintf(stderr, "%s\n", broken->text);
	if (plays)
		fprintf(stderr, "%zu of %zu faults are enough (%d plays)\n", broken->n_faults,
			before, plays);
	sim_faults_print(broken->faults, broken->n_faults, &faults);
	fprintf(stderr, "replay with: make test SEED=%llu ROUGH=\"%s\" FAULTS=\"%s\"\n",
		(unsigned long long)p->seed, broken->rough,
		faults.len ? str_text(&faults) : "none");
}

static bool seed_holds(uint64_t seed, uint64_t *steps)
{
	static struct sim_fault list[MOST_FAULTS];
	struct sim_play p = { .seed = seed };
	assert_true(given_faults(&p, list));
	struct sim_played played = sim_play(&p);
	bool holds = !*played.promise;
	*steps += played.steps;
	if (!holds)
		report(&p, &played);
	sim_played_free(&played);
	return holds;
}

/* Acceptance: autoscale-11 */
static void every_promise_holds_for_every_seed(void **state)
{
	(void)state;
	uint64_t one = number("SEED", 0), first = one ? one : number("FIRST", 1),
		 n = one ? 1 : number("SEEDS", 225), steps = 0, played = 0;
	bool holds = true;
	for (uint64_t seed = first; seed < first + n && holds; seed++, played++)
		holds = seed_holds(seed, &steps);
	fprintf(stderr, "%llu seeds, %llu steps\n", (unsigned long long)played,
		(unsigned long long)steps);
	assert_true(holds);
	assert_true(steps > played * 100);
}

int main(void)
{
	log_set_level(LOG_ERROR + 1);
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_promise_holds_for_every_seed) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
