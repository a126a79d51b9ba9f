/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that never read to the end, while the page changes. */
#include "lib/test.h"

#include "exporter/pages.h"

static struct http_shared *page(void)
{
	struct str text = { 0 };
	str_add(&text, "slurm_nodes 1\n");
	return http_shared_new(&text);
}

/* Acceptance: metric-2 */
static void a_page_waits_for_those_who_read_the_one_before_the_last(void **state)
{
	(void)state;
	struct pages p = { 0 };
	assert_true(pages_ready(&p, 0));
	pages_turn(&p, page(), 0);
	struct http_shared *first = http_shared_join(p.now);
	assert_true(pages_ready(&p, 1000));
	pages_turn(&p, page(), 1000);
	assert_ptr_equal(p.before, first);
	struct http_shared *second = http_shared_join(p.now);
	assert_false(pages_ready(&p, 2000));
	assert_ptr_equal(p.now, second);
	http_shared_leave(first);
	assert_true(pages_ready(&p, 3000));
	pages_turn(&p, page(), 3000);
	assert_ptr_equal(p.before, second);
	http_shared_leave(second);
	pages_free(&p);
}

static void it_does_not_wait_for_long(void **state)
{
	(void)state;
	struct pages p = { 0 };
	pages_turn(&p, page(), 0);
	struct http_shared *first = http_shared_join(p.now);
	pages_turn(&p, page(), 1000);
	assert_false(pages_ready(&p, 1000 + PAGES_WAIT_MS - 1));
	assert_true(pages_ready(&p, 1000 + PAGES_WAIT_MS));
	assert_null(p.before);
	http_shared_leave(first); /* LeakSanitizer has the last word */
	pages_free(&p);
}

static void a_page_that_nobody_reads_goes_at_once(void **state)
{
	(void)state;
	struct pages p = { 0 };
	for (int64_t ms = 0; ms < 5; ms++) {
		assert_true(pages_ready(&p, ms));
		pages_turn(&p, page(), ms);
		assert_null(p.before);
	}
	pages_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_waits_for_those_who_read_the_one_before_the_last),
		cmocka_unit_test(it_does_not_wait_for_long),
		cmocka_unit_test(a_page_that_nobody_reads_goes_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
