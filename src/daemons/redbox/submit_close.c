/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys for which nothing is submitted any more. What comes in one turn is one write, and
 * what was about to begin in this turn is decided anew behind it.
 */
#include <utlist.h>

#include "base/own.h"
#include "daemons/redbox/submit_parts.h"

void write_closed(struct submitter *s)
{
	AUTO(own_free) const char **keys = own_alloc((s->n + 1) * sizeof(*keys));
	struct run *r;
	size_t n = 0;
	DL_FOREACH2(s->to_close, r, next_listed)
	keys[n++] = r->key;
	struct err e = n ? journal_close(s->journal, keys, n) : OK;
	while ((r = s->to_close)) {
		run_leave(r);
		run_tell(r, e, 0);
	}
}
