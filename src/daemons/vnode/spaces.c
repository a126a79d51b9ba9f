/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What namespaces have of the room for scripts. One has all of it while no other one
 * waits; then it has half of what the others leave, and one in any case: who makes ten
 * thousand jobs keeps nobody's first one waiting.
 */
#include <string.h>

#include "base/budget.h"
#include "base/own.h"
#include "daemons/vnode/parts.h"

enum { WAITS_MS = 2 * CROWDED_MS }; /* whoever was turned away comes again before that */

struct pod_space *pod_space_of(struct vnode *v, const char *ns)
{
	struct pod_space *s;
	HASH_FIND_STR(v->spaces, ns, s);
	if (s)
		return s;
	s = own_alloc(sizeof(*s));
	*s = (struct pod_space){ .ns = own_strdup(ns), .turned_away_ms = INT64_MIN / 2 };
	HASH_ADD_KEYPTR(hh, v->spaces, s->ns, strlen(s->ns), s);
	return s;
}

void pod_space_leave(struct vnode *v, struct pod_space *s)
{
	if (--s->pods)
		return;
	HASH_DEL(v->spaces, s);
	free(s->ns);
	free(s);
}

static bool others_wait(const struct vnode *v, const struct pod_space *but)
{
	int64_t now_ms = loop_now_ms(v->loop);
	for (const struct pod_space *s = v->spaces; s; s = s->hh.next)
		if (s != but && now_ms - s->turned_away_ms < WAITS_MS)
			return true;
	return false;
}

bool pod_space_has_room(const struct vnode *v, const struct pod_space *s)
{
	enum { LEAST = 1 };
	int of_others = v->scripts - s->scripts, left = SCRIPTS_AT_A_TIME - of_others;
	if (!others_wait(v, s))
		return s->scripts < (left > LEAST ? left : LEAST);
	return (size_t)s->scripts < budget_share(SCRIPTS_AT_A_TIME, (size_t)of_others, LEAST);
}
