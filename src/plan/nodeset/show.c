/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows the state of a Slurm node on its pod: conditions, a label, and Slurm's reason.
 * The display is for users and their tools, and no decision relies on it. So it is
 * ordered last, for a few pods in a second, and never for a pod that may be deleted at
 * any moment. A pod that waits for its turn gets the newest state then. A state that came
 * and went meanwhile is never written.
 *
 * While Slurm does not answer, the pods stay unchanged.
 */
#include <string.h>

#include "base/str.h"
#include "json/build.h"
#include "plan/nodeset/worksheet.h"
#include "slurm/state_shown.h"

enum { REASON_BYTES = 400, AGAIN_MS = 1000 };

#define LABEL_PATH "/metadata/labels/nodeset.slinky.slurm.net~1slurm-state"
#define REASON_PATH "/metadata/annotations/nodeset.slinky.slurm.net~1slurm-reason"

/* The state that a pod must show: bits of enum node_state, and Slurm's reason or "". */
struct shows {
	uint32_t states;
	const char *reason;
	size_t bytes; /* length of the part of the reason that is shown */
};

static size_t fitting(const char *reason)
{
	size_t n = 0;
	for (size_t more; reason[n] && (more = str_utf8(reason + n)); n += more)
		if (n + more > REASON_BYTES)
			break;
	return n;
}

/*
 * True if the pod leaves and nothing runs on it: it may be deleted at any moment, so
 * nothing is written to it any more.
 */
static bool may_go_soon(const struct pod *p)
{
	return p->leave != STAY && !(p->node->state & NODE_BUSY_MASK) && p->node->held != YES;
}

/* True if the Slurm node of that name is the pod's. */
static bool has_node(const struct pod *p)
{
	return p->phase == POD_RUNNING && p->node->known == YES && p->at_its_address &&
		!pod_is_ambiguous(p);
}

/* False: the pod stays unchanged. */
static bool shows_of(const struct pod *p, struct shows *s)
{
	*s = (struct shows){ 0, "", 0 };
	if (p->node->known == UNKNOWN || may_go_soon(p))
		return false;
	if (!has_node(p))
		return true;
	/* An answer that is older than the pod's process may be about another slurmd. */
	if (p->node->seen_ms < p->phase_seen_ms)
		return false;
	s->states = state_shown(p->node->state);
	if (state_shown_has_reason(s->states) && !str_empty(p->node->reason)) {
		s->reason = p->node->reason;
		s->bytes = fitting(s->reason);
	}
	return true;
}

static bool differs(const struct pod *p, const struct shows *s)
{
	const struct shown_fact *f = &p->fact->shown;
	if (f->cut)
		return false;
	if (f->states != s->states || !f->whole || f->noted != (s->bytes > 0))
		return true;
	const char *note = s->bytes ? pod_annotation(p->fact, ANNOTATION_SLURM_REASON) : "";
	return note && (strlen(note) != s->bytes || memcmp(note, s->reason, s->bytes) != 0);
}

/* ---- the patch ---- */

static const char *place(struct worksheet *w, size_t at, const char *member)
{
	return arena_printf(w->arena, "/status/conditions/%zu%s", at, member);
}

static void add_condition(struct worksheet *w, struct jval *patch,
	const struct state_shown_row *row, const char *reason)
{
	char now[TIME_RFC3339_BYTES];
	time_format(w->now_wall_ms, now);
	struct jval *c = pod_operation(w, patch, "add", "/status/conditions/-", j_obj(w->d));
	j_set_str(w->d, c, "type", row->condition);
	j_set_str(w->d, c, "status", "True");
	j_set_str(w->d, c, "lastTransitionTime", now);
	if (row->has_reason && *reason)
		j_set_str(w->d, c, "message", reason);
}

/*
 * Indexes are those of the list that was read. So messages are set first, and then
 * conditions are removed, the last one first.
 */
static void edit_conditions(struct worksheet *w, struct jval *patch, const struct shown_fact *f,
	const struct shows *s, const char *reason)
{
	const struct state_shown_row *rows = state_shown_rows;
	bool kept[SHOWN_MOST] = { 0 };
	for (size_t i = 0; i < f->n; i++) {
		kept[i] = f->of[i].row >= 0 && (rows[f->of[i].row].bit & s->states);
		if (kept[i] && (rows[f->of[i].row].has_reason || !f->whole))
			pod_operation(w, patch, "add", place(w, f->of[i].at, "/message"),
				j_str(w->d, rows[f->of[i].row].has_reason ? reason : ""));
	}
	for (size_t i = f->n; i-- > 0;)
		if (!kept[i])
			pod_operation(w, patch, "remove", place(w, f->of[i].at, ""), NULL);
	if (!f->listed)
		pod_operation(w, patch, "add", "/status/conditions", j_arr(w->d));
	for (size_t i = 0; i < STATE_SHOWN_ROWS; i++)
		if (rows[i].bit & s->states & ~f->states)
			add_condition(w, patch, &rows[i], reason);
}

static void edit_text(struct worksheet *w, struct jval *patch, const char *path, bool there,
	const char *text)
{
	if (*text)
		pod_operation(w, patch, "add", path, j_str(w->d, text));
	else if (there)
		pod_operation(w, patch, "remove", path, NULL);
}

static void show(struct worksheet *w, struct pod *p, const struct shows *s)
{
	const struct pod_fact *f = p->fact;
	struct jval *patch = pod_operations(w, f);
	const char *word = state_shown_word(s->states),
		   *reason = arena_printf(w->arena, "%.*s", (int)s->bytes, s->reason);
	edit_conditions(w, patch, &f->shown, s, reason);
	edit_text(w, patch, LABEL_PATH, f->shown.labelled, word);
	if (*reason && !f->annotated)
		pod_operation(w, patch, "add", "/metadata/annotations", j_obj(w->d));
	edit_text(w, patch, REASON_PATH, f->shown.noted, reason);
	struct action *a = order(w, DO(SHOW, POD), f->name,
		*word ? arena_printf(w->arena, "the Slurm node of pod %s is %s", f->name, word)
		      : arena_printf(w->arena, "pod %s has no Slurm node", f->name));
	a->guard = (struct guard){ .uid = f->uid, .resource_version = f->resource_version };
	a->body = j_text(w->d, patch);
	p->held = true;
}

/* ---- whose turn it is ---- */

/*
 * If more pods change than may be shown, each second begins with another pod, so that
 * each has its turn.
 */
static size_t first(const struct worksheet *w)
{
	uint64_t second = (uint64_t)w->now_ms / 1000;
	return w->n_pods ? (size_t)(second * (w->view->max_shows + 1) % w->n_pods) : 0;
}

/* True if pods are being created, which matters more. */
static bool pods_come(const struct worksheet *w)
{
	bool coming = w->n_creates > 0;
	for (size_t i = 0; i < w->n_pods && !coming; i++)
		coming = str_empty(w->pods[i].fact->resource_version);
	return coming;
}

void step_show(struct worksheet *w)
{
	size_t left = w->view->max_shows, start = first(w);
	bool wait = pods_come(w);
	for (size_t i = 0; i < w->n_pods && w->usable; i++) {
		struct pod *p = &w->pods[(start + i) % w->n_pods];
		struct shows s;
		if (!pod_live(p) || pod_ended(p) || !shows_of(p, &s) || !differs(p, &s))
			continue;
		if (!left || wait) {
			plan_again(w->out, wait ? AGAIN_MS : w->view->shows_again_ms);
			return;
		}
		left -= !p->held;
		if (!p->held)
			show(w, p, &s);
	}
}
