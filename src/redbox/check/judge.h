/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what was seen to what is wrong. Pure: it neither reads nor asks.
 *
 * A line is WRONG when red-box would not work as it should, and unknown when that could
 * not be seen. The text of a line that is WRONG is one sentence: what is wrong, where,
 * and what would be right.
 */
#ifndef REDBOX_CHECK_JUDGE_H
#define REDBOX_CHECK_JUDGE_H

#include "base/arena.h"
#include "redbox/check/facts.h"

enum check_verdict { CHECK_OK, CHECK_WRONG, CHECK_UNKNOWN };

struct check_line {
	const char *what;
	enum check_verdict verdict;
	const char *text;
};

struct check_report {
	struct check_line *lines;
	size_t n, cap;
};

/* The report is in the arena, and points to texts of the facts. */
struct check_report check_judge(const struct check_facts *f, struct arena *a);
/* All lines are ok. */
bool check_is_well(const struct check_report *r);

/* A line for each, with its verdict in front. */
const char *check_text(const struct check_report *r, struct arena *a);
/* {"well": bool, "checks": [{"what", "verdict", "text"}]}, in one line. */
const char *check_json(const struct check_report *r, struct arena *a);

#endif
