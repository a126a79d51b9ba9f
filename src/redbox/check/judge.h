/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the facts of a check into verdicts. Pure: no I/O.
 *
 * A line is WRONG if red-box would not work as it should, and UNKNOWN if that could not
 * be checked. The text of a WRONG line is one sentence: what is wrong, where, and what
 * would be right.
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

/* Returns the report, which lives in the arena and uses texts of the facts. */
struct check_report check_judge(const struct check_facts *f, struct arena *a);
/* True if all lines are OK. */
bool check_is_well(const struct check_report *r);

/* The report as text: a line for each check, with its verdict in front. */
const char *check_text(const struct check_report *r, struct arena *a);
/* {"well": bool, "checks": [{"what", "verdict", "text"}]}, in one line. */
const char *check_json(const struct check_report *r, struct arena *a);

#endif
