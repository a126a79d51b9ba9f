/*
 * The stories of this folder on the simulator, each as a test of its own, with several seeds. The same text on the real cluster:
 * tests/cluster/run.
 *
 *   SEEDS=n  how many seeds (default 20)      SEED=n  only that one, with a trace when it fails
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

static bool plays(const struct story *story, uint64_t seed, uint64_t *kills)
{
	struct player p = { .w = world_new(seed) };
	p.w->oracle.trace = number("SEED", 0) != 0;
	const char *trouble = player_play(&p, story);
	*kills += p.kills;
	if (trouble) {
		fprintf(stderr, "%s\n", trouble);
		world_report(p.w);
		fprintf(stderr, "replay with: make test SEED=%llu T=%s\n", (unsigned long long)seed, story->name);
	}
	player_end(&p);
	world_free(p.w);
	metric_free_all();
	return !trouble;
}

static void test_story(void **state)
{
	const struct story *story = *state;
	uint64_t one = number("SEED", 0), first = one ? one : 1, n = one ? 1 : number("SEEDS", 20), kills = 0;
	for (uint64_t seed = first; seed < first + n; seed++)
		if (!plays(story, seed, &kills))
			fail_msg("%s", "a story did not end as it should");
	if (kills)
		fprintf(stderr, "%s: killed at %llu points in %llu seeds\n", story->name, (unsigned long long)kills, (unsigned long long)n);
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
	const char *table = "do eat {n} apples?\nask full it is {name}\ndo wait waiting until {ask}\n";
	then_reading_says(table, "story a\n# why\ngiven 1 apple\n\nwhen waiting until it is full\nthen within 3 s it is full\nthen for 3 s it is full\n", "");
	then_reading_says(table, "given 1 apple\n", "a.story:1: ");
	then_reading_says(table, "story a\n\nand 1 apple\n", "a.story:3: ");
	then_reading_says(table, "story a\ngiven one apple\n", "a.story:2: no phrase");
	then_reading_says(table, "story a\ngiven 1 apple and more\n", "a.story:2: no phrase");
	then_reading_says(table, "story a\ngiven it is full\n", "a.story:2: this asks");
	then_reading_says(table, "story a\nthen 1 apple\n", "a.story:2: this does something");
	then_reading_says(table, "story a\nwhen within 3 s 1 apple\n", "a.story:2: no phrase");
	then_reading_says(table, "story a\nwhen waiting until 1 apple\n", "a.story:2: this does something");
	then_reading_says(table, "story a\nstory b\nstory a\n", "a.story:3: there is another");
	then_reading_says("eat apples\n", "story a\n", "phrases:1: ");
	then_reading_says("ask a it is {name}\nask b it is full\n", "story a\nthen it is full\n", "a.story:2: two phrases");
}

int main(void)
{
	log_set_level(number("SEED", 0) ? LOG_DEBUG : LOG_ERROR + 1);
	struct err e = stories_read("tests/story", &stories);
	if (failed(e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	struct CMUnitTest *tests = own_alloc((stories.n + 2) * sizeof(*tests));
	tests[0] = (struct CMUnitTest)cmocka_unit_test(test_what_is_not_a_story_is_an_error_with_file_and_line);
	tests[1] = (struct CMUnitTest)cmocka_unit_test(test_the_simulator_knows_every_phrase);
	for (size_t i = 0; i < stories.n; i++)
		tests[i + 2] = (struct CMUnitTest){ .name = stories.all[i].name, .test_func = test_story, .initial_state = &stories.all[i] };
	int status = _cmocka_run_group_tests("stories", tests, stories.n + 2, NULL, NULL);
	free(tests);
	stories_free(&stories);
	return status;
}
