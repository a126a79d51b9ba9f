/* SPDX-License-Identifier: Apache-2.0 */
/* Which clients may scrape. */
#include "lib/sim_loop.h"
#include "lib/test.h"

#include <stdio.h>
#include <unistd.h>

#include "exporter/scrapers.h"
#include "net/secret.h"

struct world {
	struct sim_loop loop;
	struct scrapers *scrapers;
	char path[40];
};

static struct err given(struct world *w, const char *text)
{
	*w = (struct world){ .path = "/tmp/scrape-token-XXXXXX" };
	close(mkstemp(w->path));
	text_to_file(w->path, text);
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	return scrapers_new(&w->loop.loop, w->path, &w->scrapers);
}

static void end(struct world *w)
{
	scrapers_free(w->scrapers);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	unlink(w->path);
}

/* Acceptance: exporter-11 */
static void a_client_with_the_token_may_scrape(void **state)
{
	(void)state;
	static const struct {
		const char *authorization;
		bool may;
	} rows[] = {
		{ "Bearer s3cret", true },
		{ "bearer   s3cret", true },
		{ NULL, false },
		{ "", false },
		{ "Bearer", false },
		{ "Bearer ", false },
		{ "s3cret", false },
		{ "Basic s3cret", false },
		{ "Bearer s3cre", false },
		{ "Bearer s3crets", false },
		{ "Bearer S3cret", false },
		{ "Bearer s3cret ", false },
	};
	struct world w;
	assert_false(failed(given(&w, "s3cret\nand a second line\n")));
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (scrapers_permit(w.scrapers, rows[i].authorization) != rows[i].may)
			fail_msg("Authorization: %s", rows[i].authorization);
	end(&w);
}

/* Acceptance: exporter-11 */
static void another_token_counts_and_an_unusable_one_does_not(void **state)
{
	(void)state;
	struct world w;
	assert_false(failed(given(&w, "old")));
	text_to_file(w.path, "newer\r\n");
	sim_loop_pass(&w.loop, 15000);
	assert_true(scrapers_permit(w.scrapers, "Bearer newer"));
	assert_false(scrapers_permit(w.scrapers, "Bearer old"));
	text_to_file(w.path, "");
	sim_loop_pass(&w.loop, 15000);
	assert_true(scrapers_permit(w.scrapers, "Bearer newer"));
	assert_false(scrapers_permit(w.scrapers, "Bearer "));
	end(&w);
}

/* Acceptance: exporter-11 */
static void what_no_client_could_send_is_refused(void **state)
{
	(void)state;
	static const char *const rows[] = { "", "\n", "\nsecond line", "two words", "caf\xc3\xa9" };
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct world w;
		struct err e = given(&w, rows[i]);
		if (e.kind != ERR_INVALID || !strstr(e.text, "--scrape-token-file: "))
			fail_msg("\"%s\" gives: %s", rows[i], e.text);
		end(&w);
	}
	struct world w = { .path = "" };
	sim_loop_init(&w.loop, SIM_LOOP_WALL_MS);
	struct err e = scrapers_new(&w.loop.loop, "/tmp/there/is/none", &w.scrapers);
	assert_non_null(strstr(e.text, "No such file"));
	end(&w);
}

/* Acceptance: exporter-11 */
static void secrets_are_the_same_or_not(void **state)
{
	(void)state;
	assert_true(secret_same("", ""));
	assert_true(secret_same("ab", "ab"));
	assert_false(secret_same("ab", "ac"));
	assert_false(secret_same("ab", "a"));
	assert_false(secret_same("", "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_with_the_token_may_scrape),
		cmocka_unit_test(another_token_counts_and_an_unusable_one_does_not),
		cmocka_unit_test(what_no_client_could_send_is_refused),
		cmocka_unit_test(secrets_are_the_same_or_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
