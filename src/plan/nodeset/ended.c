/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that end soon after their start are recreated after a pause that doubles, from one
 * second to a quarter of an hour. During the pause the ended pod stays, with its log. An
 * annotation of the next pod has the number of such ends in a row (carry_over.c). This
 * file also reports ended pods that a finalizer keeps.
 */
#include "base/own.h"
#include "base/str.h"
#include "plan/nodeset/groups.h"

enum {
	HEALTHY_MS = 600000, /* a pod that lived this long did not end soon */
	PAUSE_MS = 1000,
	PAUSE_MAX_MS = 900000,
	WORTH_SAYING = 3, /* fewer ends are not reported */
	PODS_SHOWN = 3,
	STUCK_MS = 30000, /* a controller needs a moment to remove its finalizer */
};

static int64_t started_ms(const struct pod *p)
{
	return p->fact->started_ms ? p->fact->started_ms : p->fact->created_ms;
}

static int64_t ended_before(const struct pod *p)
{
	int64_t times;
	const char *text = pod_annotation(p->fact, ANNOTATION_ENDED_BEFORE);
	return str_to_i64(text ? text : "", 0, POD_MAX_ENDED, &times) ? times : 0;
}

static int64_t pause_ms(int64_t times)
{
	int64_t ms = (int64_t)PAUSE_MS << (times - 1);
	return ms < PAUSE_MAX_MS ? ms : PAUSE_MAX_MS;
}

/*
 * If this manager saw the pod end, the pause starts then: a clock that is ahead must not
 * make the pause shorter. A manager that started later uses the wall clock, but never
 * waits longer than the pause.
 */
static void pause(struct worksheet *w, struct pod *p, int64_t ended_ms)
{
	int64_t ms = pause_ms(p->ended), left_ms = ended_ms + ms - w->now_wall_ms;
	int64_t seen_left_ms = p->phase_seen_ms + ms - w->now_ms;
	if (p->phase_seen_ms > w->view->acting_since_ms || seen_left_ms < left_ms)
		left_ms = seen_left_ms;
	p->again_ms = p->fact->ended_ms ? ended_ms + ms : 0;
	p->paused = left_ms > 0;
	if (p->paused)
		plan_again(w->out, left_ms + 1);
}

/* With a new template, the pod is recreated at once, and the count restarts. */
static void judge_ended(struct worksheet *w, struct pod *p)
{
	int64_t ended_ms = p->fact->ended_ms;
	if (!ended_ms)
		ended_ms = w->now_wall_ms - (w->now_ms - p->phase_seen_ms);
	if (!p->updated || ended_ms - started_ms(p) >= HEALTHY_MS)
		return;
	p->ended = ended_before(p) < POD_MAX_ENDED ? ended_before(p) + 1 : POD_MAX_ENDED;
	pause(w, p, ended_ms);
}

static void judge_running(struct worksheet *w, struct pod *p)
{
	int64_t left_ms = started_ms(p) + HEALTHY_MS - w->now_wall_ms;
	if (left_ms <= 0 || !ended_before(p))
		return;
	p->ended = ended_before(p);
	plan_again(w->out, left_ms + 1);
}

void step_ended(struct worksheet *w)
{
	for (size_t i = 0; i < w->n_pods; i++) {
		struct pod *p = &w->pods[i];
		if (p->leave == LEAVE_ENDED)
			judge_ended(w, p);
		else if (p->leave == STAY && pod_live(p))
			judge_running(w, p);
	}
}

static const char *said_of(struct worksheet *w, const struct pod *p)
{
	char again[TIME_RFC3339_BYTES];
	const char *name = p->fact->name;
	if (!pod_ended(p) || !p->again_ms)
		return arena_printf(w->arena, "%s (%lld times)", name, (long long)p->ended);
	time_format(p->again_ms, again);
	return arena_printf(w->arena, "%s (%lld times, again at %s)", name, (long long)p->ended,
		again);
}

const char *ended_sentence(struct worksheet *w)
{
	const char *list = "";
	size_t n = 0;
	for (size_t i = 0; i < w->n_pods; i++)
		if (w->pods[i].ended >= WORTH_SAYING && ++n <= PODS_SHOWN)
			list = arena_printf(w->arena, "%s%s%s", list, n > 1 ? ", " : "",
				said_of(w, &w->pods[i]));
	if (n > PODS_SHOWN)
		list = arena_printf(w->arena, "%s and %zu more", list, n - PODS_SHOWN);
	return !n
		? NULL
		: arena_printf(w->arena,
			  "pods ended within minutes of their start, and are made again after a growing pause: %s; kubectl describe pod and kubectl logs say why",
			  list);
}

/* ---- ended pods that a finalizer keeps ---- */

/* Time since the pod should be gone, if only a finalizer keeps it; -1: otherwise. */
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
	return !g.n
		? NULL
		: arena_printf(w->arena,
			  "these pods have ended, but a finalizer prevents their deletion, so no pods with their names can be created; the client that has set the finalizer must remove it: %s",
			  names);
}
