/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a NodeSet: which ordinals have a pod, and which names other pods have. */
#include "api/names.h"
#include "base/str.h"
#include "children/pod.h"
#include "plan/nodeset/worksheet.h"

enum { NAMES_SHOWN = 3 };

static enum place foreign_name(const struct worksheet *w, const struct pod_fact *p)
{
	bool nodeset = str_eq(p->controller.kind, KIND_NODESET);
	return nodeset && str_eq(p->controller.name, w->set.name) ? PLACE_EARLIER : PLACE_FOREIGN;
}

const enum place *places(struct worksheet *w, int64_t limit)
{
	enum place *list = arena_array(w->arena, enum place, limit + 1);
	for (size_t i = 0; i < w->view->n_pods; i++) {
		int64_t ordinal = pod_ordinal(w->set.name, w->view->pods[i]->name);
		if (ordinal >= 0 && ordinal < limit)
			list[ordinal] = PLACE_HELD;
	}
	for (size_t i = 0; i < w->view->n_taken; i++) {
		int64_t ordinal = pod_ordinal(w->set.name, w->view->taken[i]->name);
		if (ordinal >= 0 && ordinal < limit)
			list[ordinal] = foreign_name(w, w->view->taken[i]);
	}
	for (size_t i = 0; i < w->view->n_host_names; i++) {
		int64_t ordinal = w->view->host_names[i].ordinal;
		if (ordinal < limit && list[ordinal] == PLACE_FREE && w->host_busy[i])
			list[ordinal] = PLACE_BUSY;
	}
	return list;
}

/* "foo-0, foo-1 and 3 more": pods that hold a place in this way; NULL: none. */
static const char *list_of(struct worksheet *w, enum place how, const struct pod_fact **first)
{
	const char *list = NULL;
	size_t n = 0;
	for (size_t i = 0; i < w->view->n_taken; i++) {
		const struct pod_fact *p = w->view->taken[i];
		if (foreign_name(w, p) != how || ++n > NAMES_SHOWN)
			continue;
		list = n > 1 ? arena_printf(w->arena, "%s, %s", list, p->name) : p->name;
		*first = n > 1 ? *first : p;
	}
	if (n <= NAMES_SHOWN)
		return list;
	return arena_printf(w->arena, "%s and %zu more", list, n - NAMES_SHOWN);
}

/* No event reports the end of those pods, so the plan is repeated from time to time. */
void tell_taken_names(struct worksheet *w)
{
	const struct pod_fact *first = NULL;
	const char *earlier = list_of(w, PLACE_EARLIER, &first);
	const char *foreign = list_of(w, PLACE_FOREIGN, &first);
	if (w->set.deleting || !w->view->n_taken)
		return;
	plan_again(w->out, NAMES_AGAIN_MS);
	if (foreign)
		w->tally.names_taken = arena_printf(w->arena,
			"pods of %s %s have the names %s: other ordinals are used; rename one of the two",
			first->controller.kind, first->controller.name, foreign);
	else
		w->tally.names_taken = arena_printf(w->arena,
			"pods of an earlier NodeSet %s have the names %s: waiting until the garbage collector has deleted them",
			w->set.name, earlier);
}

/* Pods without a controller that we do not adopt occupy their names as well. */
static void leave_out_strays(const struct worksheet *w, bool *left_out, int64_t limit)
{
	for (size_t i = 0, ours = 0; i < w->view->n_pods; i++) {
		const struct pod_fact *p = w->view->pods[i];
		int64_t ordinal = pod_ordinal(w->set.name, p->name);
		if (ours < w->n_pods && w->pods[ours].fact == p)
			ours++;
		else if (ordinal >= 0 && ordinal < limit && !p->terminating)
			left_out[ordinal] = true;
	}
}

int64_t first_not_made_again(struct worksheet *w)
{
	int64_t places = w->set.replicas, ordinal = 0;
	int64_t limit = w->set.replicas + (int64_t)(w->view->n_pods + w->view->n_taken);
	bool *left_out = arena_array(w->arena, bool, limit + 1);
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		places -= pod_live(p);
		if (pod_live(p) && p->ordinal >= 0 && p->ordinal < limit)
			left_out[p->ordinal] = true;
	}
	for (size_t i = 0; i < w->view->n_taken; i++) {
		int64_t taken = pod_ordinal(w->set.name, w->view->taken[i]->name);
		if (taken >= 0 && taken < limit)
			left_out[taken] = true;
	}
	leave_out_strays(w, left_out, limit);
	for (; places > 0; ordinal++)
		places -= !left_out[ordinal];
	return ordinal;
}
