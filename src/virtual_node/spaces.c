/* SPDX-License-Identifier: Apache-2.0 */
/* The resources that each namespace uses, and the namespaces that wait for room. */
#include <assert.h>
#include <string.h>

#include "base/own.h"
#include "virtual_node/parts.h"

enum { WAITS_MS = 2 * VROOM_AGAIN_MS }; /* a waiting pod has tried again by then */

struct pod_space *pod_space_of(struct vnode *v, const char *ns)
{
	struct pod_space *s;
	HASH_FIND_STR(v->spaces, ns, s);
	if (s)
		return s;
	s = own_alloc(sizeof(*s));
	*s = (struct pod_space){
		.ns = own_strdup(ns),
		.calls = own_alloc(v->n_boxes * sizeof(*s->calls)),
		.records = quota_of(&v->records, ns),
	};
	for (int i = 0; i < VROOM_KINDS; i++)
		s->turned_away_ms[i] = INT64_MIN / 2;
	HASH_ADD_KEYPTR(hh, v->spaces, s->ns, strlen(s->ns), s);
	return s;
}

void pod_space_leave(struct vnode *v, struct pod_space *s)
{
	assert(s->pods > 0);
	if (--s->pods)
		return;
	assert(!s->slots); /* its pods and calls have released theirs */
	HASH_DEL(v->spaces, s);
	quota_leave(s->records);
	free(s->calls);
	free(s->ns);
	free(s);
}

int *pod_space_calls(struct pod_space *s, const struct box *b)
{
	return &s->calls[b - b->all->boxes];
}

void pod_space_turned_away(struct vnode *v, struct pod_space *s, enum vroom_kind kind)
{
	s->turned_away_ms[kind] = v->turned_away_ms[kind] = loop_now_ms(v->loop);
}

bool pod_space_others_wait(const struct vnode *v, const struct pod_space *but, enum vroom_kind kind)
{
	int64_t since_ms = loop_now_ms(v->loop) - WAITS_MS;
	if (v->turned_away_ms[kind] <= since_ms)
		return false;
	for (const struct pod_space *s = v->spaces; s; s = s->hh.next)
		if (s != but && s->turned_away_ms[kind] > since_ms)
			return true;
	return false;
}
