/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys for which nothing is submitted any more: their client wishes so, or was told that
 * nobody can say what became of them. What comes in one turn is one write, and
 * what was about to begin in this turn is decided anew behind it.
 */
#include <utlist.h>

#include "base/own.h"
#include "daemons/redbox/submit_parts.h"

void write_closed(struct submitter *s)
{
	size_t n;
	AUTO(own_free) const char **keys = runs_keys(s->to_close, &n);
	struct run *r;
	struct err e = n ? journal_close(s->journal, keys, n) : OK;
	while ((r = s->to_close)) {
		run_leave(r);
		if (r->closes || failed(e))
			run_tell(r, e, 0);
		else
			run_tell_why_not(r, SUBMISSION_NEVER);
	}
}
