/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the files of redbox/check/judge.h: the report under construction. */
#ifndef REDBOX_CHECK_JUDGE_PARTS_H
#define REDBOX_CHECK_JUDGE_PARTS_H

#include "base/str.h"
#include "redbox/check/judge.h"

enum { JUDGE_OTHERS_WRITE = 002 }; /* a permission bit */

struct judge {
	const struct check_facts *f;
	struct arena *a;
	struct check_report r;
};

static inline void judge_say(struct judge *j, const char *what, enum check_verdict verdict,
	char *text)
{
	str_make_plain(text);
	j->r.lines = arena_grown(j->a, j->r.lines, j->r.n, &j->r.cap, sizeof(*j->r.lines));
	j->r.lines[j->r.n++] = (struct check_line){ what, verdict, text };
}
#define WELL(what, ...) judge_say(j, what, CHECK_OK, arena_printf(j->a, __VA_ARGS__))
#define WRONG(what, ...) judge_say(j, what, CHECK_WRONG, arena_printf(j->a, __VA_ARGS__))
#define UNKNOWN(what, ...) judge_say(j, what, CHECK_UNKNOWN, arena_printf(j->a, __VA_ARGS__))

/* Checks tools, slurmctld, partitions and slurmdbd. */
void judge_slurm(struct judge *j);
/* Checks the folders of clients, the state folder and its journal. */
void judge_places(struct judge *j);

#endif
