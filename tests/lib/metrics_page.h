/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions about a page of metrics.
 *
 *     page_has(&page, "slurm_nodes 6");
 *     page_lacks(&page, "slurm_partition");
 */
#ifndef TESTS_LIB_METRICS_PAGE_H
#define TESTS_LIB_METRICS_PAGE_H

#include "lib/test.h"

/* Prints the lines of the same metric. */
static inline void page_fails(const char *page, const char *line)
{
	size_t name = strcspn(line, "{ ");
	AUTO(str_free) struct str found = { 0 };
	for (; *page; page += strcspn(page, "\n"), page += *page == '\n')
		if (strncmp(page, line, name) == 0)
			str_addf(&found, "\n%.*s", (int)strcspn(page, "\n"), page);
	fail_msg("the page has no line %s, but of this metric:%s", line, str_text(&found));
}

/* This whole line. */
static inline void page_has(const struct str *page, const char *line)
{
	AUTO(str_free) struct str all = { 0 }, whole = { 0 };
	str_addf(&all, "\n%s", str_text(page));
	str_addf(&whole, "\n%s\n", line);
	if (!strstr(str_text(&all), str_text(&whole)))
		page_fails(str_text(page), line);
}

/* This text nowhere. */
static inline void page_lacks(const struct str *page, const char *part)
{
	const char *at = strstr(str_text(page), part);
	if (at)
		fail_msg("the page has %.60s", at);
}

#endif
