/* SPDX-License-Identifier: Apache-2.0 */
/* The shares that each namespace has, and the namespaces that wait for a slot. */
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "virtual_node/parts.h"

enum { WAITS_MS = 2 * VROOM_AGAIN_MS }; /* a pod that waits has tried again by then */

struct pod_space *pod_space_of(struct vnode *v, const char *ns)
{
	struct pod_space *s;
	HASH_FIND_STR(v->spaces, ns, s);
	if (s)
		return s;
	s = own_alloc(sizeof(*s));
	*s = (struct pod_space){ .ns = own_strdup(ns),
		.turned_away_ms = INT64_MIN / 2,
		.records = purse_of(&v->records, ns) };
	HASH_ADD_KEYPTR(hh, v->spaces, s->ns, strlen(s->ns), s);
	return s;
}

void pod_space_leave(struct vnode *v, struct pod_space *s)
{
	assert(s->pods > 0);
	if (--s->pods)
		return;
	assert(!s->slots); /* its pods have given theirs back */
	HASH_DEL(v->spaces, s);
	purse_leave(s->records);
	free(s->ns);
	free(s);
}

bool pod_space_others_wait(const struct vnode *v, const struct pod_space *but)
{
	int64_t now_ms = loop_now_ms(v->loop);
	for (const struct pod_space *s = v->spaces; s; s = s->hh.next)
		if (s != but && now_ms - s->turned_away_ms < WAITS_MS)
			return true;
	return false;
}
