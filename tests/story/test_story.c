/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stories of this folder on the simulator, each as a test of its own, with several
 * seeds; and again with a crash of the manager at one of its requests, for one request
 * after another. The same text on the real cluster: tests/cluster/run.
 *
 *   SEEDS=n    how many seeds (default 8)        SEED=n  only that one, with a trace when
 *   it fails
 *   CRASHES=n  how many crashes of each story, about (default 24; 0: before and after
 *   every request)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "story/player.h"

static struct stories stories;

static uint64_t number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);
	return text && *text ? strtoull(text, NULL, 10) : fallback;
}

/* One fault of a story, or none. */
struct mishap {
	struct sim_fault fault;
	uint32_t points; /* out: how many requests and deliveries the story had */
	uint64_t kills;  /* out */
};

static bool plays(const struct story *story, uint64_t seed, struct mishap *m)
{
	struct player p = { .w = world_new(seed) };
	struct sim_faults *faults = &p.w->net->faults;
	bool goes_wrong = m->fault.kind != FAULT_NONE;
	p.w->oracle.trace = number("SEED", 0) != 0;
	faults->replay = goes_wrong;
	faults->given = &m->fault;
	faults->n_given = goes_wrong;
	if (goes_wrong)
		player_crashes(&p);
	const char *trouble = player_play(&p, story);
	m->kills += p.kills;
	m->points = faults->points;
	if (trouble) {
		fprintf(stderr, "%s\n", trouble);
		world_report(p.w);
		fprintf(stderr, "replay with: make test SEED=%llu T=%s%s\n",
			(unsigned long long)seed, goes_wrong ? "crash_" : "", story->name);
	}
	player_end(&p);
	world_free(p.w);
	metric_free_all();
	return !trouble;
}

static void test_story(void **state)
{
	const struct story *story = *state;
	uint64_t one = number("SEED", 0), first = one ? one : 1, n = one ? 1 : number("SEEDS", 8);
	struct mishap none = { 0 };
	for (uint64_t seed = first; seed < first + n; seed++)
		if (!plays(story, seed, &none))
			fail_msg("%s", "a story did not end as it should");
	if (none.kills)
		fprintf(stderr, "%s: killed at %llu points in %llu seeds\n", story->name,
			(unsigned long long)none.kills, (unsigned long long)n);
}

/*
 * The manager dies right before a request leaves it, or right after the request was
 * carried out: at each of the story's requests in turn.
 */
static void test_crash_at_requests(void **state)
{
	const struct story *story = *state;
	uint64_t seed = number("SEED", 1), most = number("CRASHES", 24);
	struct mishap m = { 0 };
	assert_true(plays(story, seed, &m));
	/* Odd: before and after by turns */
	uint64_t n = (uint64_t)m.points * 2, step = most && n > most ? n / most | 1 : 1;
	for (uint64_t i = seed % step; i < n; i += step) {
		m.fault = (struct sim_fault){ (uint32_t)(i / 2),
			i % 2 ? FAULT_CRASH_AFTER : FAULT_CRASH_BEFORE };
		if (!plays(story, seed, &m))
			fail_msg("%s", "a story did not end as it should");
	}
	fprintf(stderr, "%s: crashed at %llu points\n", story->name, (unsigned long long)m.kills);
}

/*
 * A crash means one manager that starts again; stories that see to their managers
 * themselves have their own. An Event is said once: a crash may swallow it.
 */
static bool can_crash(const struct story *story)
{
	static const char *const not_with[] = { "managers", "kill_until", "event" };
	for (size_t i = 0; i < story->n_steps; i++)
		for (size_t k = 0; k < LENGTH(not_with); k++)
			if (str_eq(story->steps[i]->phrase->verb, not_with[k]))
				return false;
	return true;
}

static void test_the_simulator_knows_every_phrase(void **state)
{
	(void)state;
	for (size_t i = 0; i < stories.n_phrases; i++)
		if (!player_can(&stories.phrases[i]))
			fail_msg("tests/story has no word for %s", stories.phrases[i].verb);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void then_reading_says(const char *phrases, const char *text, const char *says)
{
	char folder[] = "/tmp/story-XXXXXX", path[128];
	struct stories s;
	assert_non_null(mkdtemp(folder));
	write_file(folder, "phrases", phrases);
	write_file(folder, "a.story", text);
	struct err e = stories_read(folder, &s);
	if (!strstr(e.text, says) || failed(e) == str_empty(says))
		fail_msg("not \"%s\" but \"%s\" for %s", says, e.text, text);
	stories_free(&s);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, i ? "phrases" : "a.story");
		unlink(path);
	}
	rmdir(folder);
}

static void test_what_is_not_a_story_is_an_error_with_file_and_line(void **state)
{
	(void)state;
	const char *table =
		"do eat {n} apples?\nask full it is {name}\ndo wait waiting until {ask}\n";
	then_reading_says(table,
		"story a\n# why\ngiven 1 apple\n\nwhen waiting until it is full\nthen within 3 s "
		"it is full\n",
		"");
	then_reading_says(table, "story a\nthen for 3 s it is full\nthen it is full", "");
	then_reading_says(table, "given 1 apple\n", "a.story:1: ");
	then_reading_says(table, "story a\n\nand 1 apple\n", "a.story:3: ");
	then_reading_says(table, "story a\ngiven one apple\n", "a.story:2: no phrase");
	then_reading_says(table, "story a\ngiven 1 apple and more\n", "a.story:2: no phrase");
	then_reading_says(table, "story a\ngiven it is full\n", "a.story:2: this asks");
	then_reading_says(table, "story a\nthen 1 apple\n", "a.story:2: this does something");
	then_reading_says(table, "story a\nwhen within 3 s 1 apple\n", "a.story:2: no phrase");
	then_reading_says(table, "story a\nwhen waiting until 1 apple\n",
		"a.story:2: this does something");
	then_reading_says(table, "story a\nstory b\nstory a\n", "a.story:3: there is another");
	then_reading_says("eat apples\n", "story a\n", "phrases:1: ");
	then_reading_says("ask a it is {name}\nask b it is full\n", "story a\nthen it is full\n",
		"a.story:2: two phrases");
}

int main(void)
{
	log_set_level(number("SEED", 0) ? LOG_DEBUG : LOG_ERROR + 1);
	struct err e = stories_read("tests/story", &stories);
	if (failed(e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	static const struct CMUnitTest fixed[] = {
		cmocka_unit_test(test_what_is_not_a_story_is_an_error_with_file_and_line),
		cmocka_unit_test(test_the_simulator_knows_every_phrase),
	};
	size_t n = LENGTH(fixed);
	struct CMUnitTest *tests = own_alloc((n + 2 * stories.n) * sizeof(*tests));
	struct str *names = own_alloc((stories.n + 1) * sizeof(*names));
	memcpy(tests, fixed, sizeof(fixed));
	for (size_t i = 0; i < stories.n; i++) {
		tests[n++] = (struct CMUnitTest){
			.name = stories.all[i].name,
			.test_func = test_story,
			.initial_state = &stories.all[i],
		};
		if (!can_crash(&stories.all[i]))
			continue;
		str_addf(&names[i], "crash_%s", stories.all[i].name);
		tests[n++] = (struct CMUnitTest){
			.name = str_text(&names[i]),
			.test_func = test_crash_at_requests,
			.initial_state = &stories.all[i],
		};
	}
	int status = _cmocka_run_group_tests("stories", tests, n, NULL, NULL);
	for (size_t i = 0; i < stories.n; i++)
		str_free(&names[i]);
	free(names);
	free(tests);
	stories_free(&stories);
	return status;
}
