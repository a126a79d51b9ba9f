/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the pods that are missing, at the lowest free ordinals. No pod waits
 * for a Slurm that does not answer: a set grows and heals while slurmrestd is away.
 */
#include "base/own.h"
#include "base/str.h"
#include "children/pod.h"
#include "plan/nodeset/worksheet.h"

enum { NAMES_SHOWN = 3 };

/* Who has the name of an ordinal. */
enum name {
	NAME_FREE,
	NAME_HELD,    /* a pod of ours, also a terminating one, or one without a controller */
	NAME_FOREIGN, /* a pod of another controller: the ordinal is left out */
	NAME_EARLIER, /* a pod of a NodeSet of the same name that is gone: collected soon */
	NAME_BUSY,    /* free, but a slurmd has its host name: its place is kept */
};

static enum name foreign_name(const struct worksheet *w, const struct pod_fact *p)
{
	bool nodeset = str_eq(p->controller.kind, KIND_NODESET);
	return nodeset && str_eq(p->controller.name, w->set.name) ? NAME_EARLIER : NAME_FOREIGN;
}

static enum name *names(struct worksheet *w, int64_t limit)
{
	enum name *list = arena_array(w->arena, enum name, limit + 1);
	for (size_t i = 0; i < w->view->n_pods; i++) {
		int64_t ordinal = pod_ordinal(w->set.name, w->view->pods[i]->name);
		if (ordinal >= 0 && ordinal < limit)
			list[ordinal] = NAME_HELD;
	}
	for (size_t i = 0; i < w->view->n_taken; i++) {
		int64_t ordinal = pod_ordinal(w->set.name, w->view->taken[i]->name);
		if (ordinal >= 0 && ordinal < limit)
			list[ordinal] = foreign_name(w, w->view->taken[i]);
	}
	for (size_t i = 0; i < w->view->n_host_names; i++) {
		int64_t ordinal = w->view->host_names[i].ordinal;
		if (ordinal < limit && list[ordinal] == NAME_FREE && w->host_busy[i])
			list[ordinal] = NAME_BUSY;
	}
	return list;
}

/* "foo-0, foo-1 and 3 more": NULL when nobody has one in this way. */
static const char *list_of(struct worksheet *w, enum name how, const struct pod_fact **first)
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

/* Nobody tells when those pods go: it is looked at again from time to time. */
static void tell_taken(struct worksheet *w)
{
	const struct pod_fact *first = NULL;
	const char *earlier = list_of(w, NAME_EARLIER, &first);
	const char *foreign = list_of(w, NAME_FOREIGN, &first);
	if (w->set.deleting || !w->view->n_taken)
		return;
	plan_again(w->out, NAMES_AGAIN_MS);
	if (foreign)
		w->tally.names_taken = arena_printf(w->arena,
			"pods of %s %s have the names %s: other ordinals are used; rename one of "
			"the two",
			first->controller.kind, first->controller.name, foreign);
	else
		w->tally.names_taken = arena_printf(w->arena,
			"pods of an earlier NodeSet %s have the "
			"names %s: waiting until the garbage collector has taken them",
			w->set.name, earlier);
}

/* Pods that are nobody's, and will not be ours, have their names as well. */
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

static void create(struct worksheet *w, int64_t ordinal, const char *name)
{
	struct heritage heritage = heritage_noted(w, ordinal);
	heritage.returning = lift_may_come_for_next(w, name);
	struct action *a = order_creation(w, DO(CREATE, POD), name,
		arena_printf(w->arena, "creating pod %s: there are fewer pods than spec.replicas",
			name),
		pod_build(w->d, w->arena, &w->set, ordinal, w->hash, heritage,
			w->view->namespace_uid));
	a->event_warned = "TemplateWarning";
	a->warned_of = "the pods that are made from spec.template";
}

void step_create(struct worksheet *w)
{
	int64_t absent = w->set.deleting ? 0 : w->set.replicas - (int64_t)w->n_pods;
	tell_taken(w);
	if (absent <= 0 || !w->hash)
		return;
	int64_t missing = absent - (int64_t)w->view->n_overtaken;
	int64_t limit = w->set.replicas + (int64_t)(w->view->n_pods + w->view->n_taken);
	const enum name *list = names(w, limit);
	w->tally.creating = absent;
	if (!w->revision_kept || !w->view->namespace_uid || !host_names_known(w))
		return; /* the answer makes a new plan */
	for (int64_t i = 0; i < limit && missing > 0 && w->n_creates < w->view->max_creates; i++) {
		missing -= list[i] == NAME_FREE || list[i] == NAME_EARLIER || list[i] == NAME_BUSY;
		if (list[i] != NAME_FREE)
			continue;
		const char *name = pod_name(w->arena, &w->set, i);
		if (!record_is_going(w, name) && claims_ready(w, name))
			create(w, i, name);
	}
}
