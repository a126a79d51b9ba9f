/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that stay and have not been ready for longer than a start takes. A pod that was
 * just created is no trouble; only Available reports it.
 */
#include <string.h>

#include "base/str.h"
#include "plan/mounts.h"
#include "plan/nodeset/groups.h"

enum { UNREADY_MS = 60000 };

/* -1: the pod is ready, ended or leaves, or the time is unknown. */
static int64_t unready_for_ms(const struct worksheet *w, const struct pod *p)
{
	int64_t since_ms = p->fact->unready_since_ms, ms = w->now_wall_ms - since_ms;
	bool stays = pod_live(p) && p->leave == STAY && !pod_ended(p);
	if (!stays || p->ready || !since_ms || str_empty(p->fact->resource_version))
		return -1;
	return ms >= 0 ? ms : w->now_ms - p->phase_seen_ms; /* the clock was set back */
}

/*
 * The kubelet does not report missing volumes, so only the mounts of the pod are known.
 */
static bool waits_for_volumes(const struct pod *p)
{
	return p->phase == POD_PENDING && str_empty(p->fact->why) && !str_empty(p->fact->mounts);
}

static const char *cause_of(struct worksheet *w, const struct pod *p)
{
	return waits_for_volumes(p) ? mounts_sentence(p->fact, w->arena) : pod_cause(p);
}

/* The first word: "ErrImagePull" of "ErrImagePull: image m/x:1: not found". */
static const char *word_of(struct worksheet *w, const struct pod *p)
{
	const char *why = p->fact->why;
	if (waits_for_volumes(p))
		return mounts_word(p->fact, w->arena);
	int n = str_empty(why) ? 0 : (int)strcspn(why, ": ");
	return n ? arena_printf(w->arena, "%.*s", n, why) : NULL;
}

const char *unready_sentence(struct worksheet *w)
{
	struct groups g = { .w = w };
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		int64_t ms = unready_for_ms(w, p);
		if (ms >= 0 && ms < UNREADY_MS)
			plan_again(w->out, UNREADY_MS - ms + 1);
		if (ms < UNREADY_MS)
			continue;
		w->unready_word = w->unready_word ? w->unready_word : word_of(w, p);
		groups_add(&g, cause_of(w, p), p->fact->name);
	}
	return g.n ? arena_printf(w->arena, "not ready for more than a minute: %s", groups_text(&g))
		   : NULL;
}
