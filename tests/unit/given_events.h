/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a plan. */
#ifndef TESTS_GIVEN_EVENTS_H
#define TESTS_GIVEN_EVENTS_H

#include "unit/given.h"

/* How many of this reason. */
UNUSED static size_t events_of(const struct given *g, const char *reason)
{
	size_t n = 0;
	for (size_t i = 0; i < g->plan.n; i++)
		n += str_eq(g->plan.actions[i].reason, reason);
	return n;
}

#endif
