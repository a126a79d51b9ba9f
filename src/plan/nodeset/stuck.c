/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that have ended and are being deleted, and do not go. */
#include "base/own.h"
#include "base/str.h"
#include "plan/nodeset/groups.h"

enum { STUCK_MS = 30000 }; /* a controller that has a finalizer needs a moment */

/*
 * For how long a pod should have gone, and only a finalizer is in the way; -1: that is
 * not so.
 */
static int64_t held_for_ms(const struct worksheet *w, const struct pod *p)
{
	const struct pod_fact *f = p->fact;
	bool runs = !pod_ended(p) && !str_empty(f->node_name);
	return f->terminating && f->ends_at_ms && !str_empty(f->finalizer) && !runs
		? w->now_wall_ms - f->ends_at_ms
		: -1;
}

/* "SENTENCE: example.com/stuck: foo-1, foo-2" */
const char *stuck_sentence(struct worksheet *w)
{
	struct groups g = { .w = w };
	for (size_t i = 0; i < w->n_pods; i++) {
		struct str text AUTO(str_free) = { 0 };
		int64_t ms = held_for_ms(w, &w->pods[i]);
		if (ms >= 0 && ms < STUCK_MS)
			plan_again(w->out, STUCK_MS - ms);
		if (ms < STUCK_MS)
			continue;
		str_add_foreign(&text, w->pods[i].fact->finalizer, 100);
		groups_add(&g, arena_strdup(w->arena, str_text(&text)), w->pods[i].fact->name);
	}
	const char *names = groups_text(&g);
	return !g.n ? NULL
		    : arena_printf(w->arena,
			      "these pods have ended and are being deleted, and a finalizer keeps "
			      "them, so no pod of "
			      "their names can be made: whoever has set it must take it away: %s",
			      names);
}
