/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Revisions of the template: reuses an equal one, renumbers it after a rollback, creates
 * one for a new template, and cuts the history.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "children/pod.h"
#include "children/revision.h"
#include "json/build.h"
#include "object/selector.h"
#include "plan/nodeset/worksheet.h"

struct revision {
	const struct json *object;
	const char *name, *hash;
	int64_t number;
	bool in_flight, ours; /* ours: controlled by this NodeSet; otherwise an orphan that fits */
	bool fixed;           /* cannot be patched (children/revision.h): its twin replaces it */
	bool used;
};

static int newest_first(const void *a, const void *b)
{
	const struct revision *x = a, *y = b;
	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct revision *read_revisions(struct worksheet *w, size_t *count)
{
	struct revision *list = arena_array(w->arena, struct revision, w->view->n_revisions + 1);
	size_t n = 0;
	for (size_t i = 0; i < w->view->n_revisions; i++) {
		const struct json *o = w->view->revisions[i].object, *controller = controller_of(o);
		struct revision r = {
			.object = o,
			.name = json_str(json_at(o, "metadata", "name"), ""),
			.hash = revision_hash_of(o),
		};
		r.number = json_i64(json_get(o, "revision"), 0);
		/* Leaves room for the next number */
		r.number = r.number < INT64_MAX ? r.number : INT64_MAX - 1;
		r.in_flight = w->view->revisions[i].in_flight;
		r.fixed = !r.in_flight && !revision_comes_through(o);
		r.ours = controller &&
			str_eq(json_str(json_get(controller, "uid"), ""), w->set.uid);
		bool fits = selector_matches(w->set.selector, labels_of_json,
			json_at(o, "metadata", "labels"));
		if (r.ours || r.in_flight || (!controller && fits))
			list[n++] = r;
	}
	qsort(list, n, sizeof(*list), newest_first);
	*count = n;
	return list;
}

static struct jval *revision_patch(struct worksheet *w, const struct revision *r)
{
	struct metadata m = metadata_of(r->object);
	return patch_of(w->d, m.uid, m.resource_version);
}

static void order_patch(struct worksheet *w, struct revision *r, struct jval *patch,
	const char *why)
{
	struct metadata m = metadata_of(r->object);
	struct action *a = order(w, DO(PATCH, REVISION), r->name, why);
	a->guard = (struct guard){ .uid = m.uid, .resource_version = m.resource_version };
	a->body = j_text(w->d, patch);
	a->event_failed = "FailedUpdate";
	r->in_flight = true;
}

/*
 * An orphan gets our reference in addition to its own ones, and a hash label if it has
 * none.
 */
static void adopt(struct worksheet *w, struct revision *r)
{
	struct jval *patch = revision_patch(w, r), *m = patch_metadata(w->d, patch);
	const struct json *refs = json_at(r->object, "metadata", "ownerReferences");
	struct jval *list = j_set(w->d, m, "ownerReferences",
		json_is_arr(refs) ? j_copy(w->d, refs) : j_arr(w->d));
	j_push(w->d, list, nodeset_reference(w->d, &w->set));
	if (json_is_null(json_at(r->object, "metadata", "labels", LABEL_HASH)))
		j_set_str(w->d, j_set(w->d, m, "labels", j_obj(w->d)), LABEL_HASH, r->name);
	order_patch(w, r, patch,
		arena_printf(w->arena,
			"revision %s has no controller and fits the NodeSet: adopting it",
			r->name));
}

static void renumber(struct worksheet *w, struct revision *r, int64_t number)
{
	struct jval *patch = revision_patch(w, r);
	j_set_int(w->d, patch, "revision", number);
	order_patch(w, r, patch,
		arena_printf(w->arena,
			"the template went back to revision %s: it becomes number %lld", r->name,
			(long long)number));
}

static void create(struct worksheet *w, int64_t number)
{
	const char *name = revision_name(w->arena, &w->set, w->hash);
	struct action *a = order(w, DO(CREATE, REVISION), name,
		arena_printf(w->arena, "the template is new: revision %s keeps it", name));
	a->body = revision_build(w->d, w->arena, &w->set, w->hash, number);
}

static void create_twin(struct worksheet *w, struct revision *r, int64_t number)
{
	const char *why = arena_printf(w->arena,
		"revision %s was stored in a form that cannot be patched: another one with the same template and hash takes its place",
		r->name);
	const char *name = revision_twin_name(w->arena, r->object);
	struct action *a = order(w, DO(CREATE, REVISION), name, why);
	a->body = revision_twin(w->d, w->arena, &w->set, r->object, number);
	r->in_flight = true;
}

static struct revision *find_name(struct revision *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(list[i].name, name))
			return &list[i];
	return NULL;
}

static struct revision *named_twin(struct worksheet *w, struct revision *list, size_t n,
	const struct revision *r)
{
	return r->fixed ? find_name(list, n, revision_twin_name(w->arena, r->object)) : NULL;
}

/* The twin, if it is ours and no action on it is in flight; NULL: none. */
static struct revision *twin_of(struct worksheet *w, struct revision *list, size_t n,
	const struct revision *r)
{
	struct revision *twin = named_twin(w, list, n, r);
	return twin && twin->ours && !twin->in_flight && str_eq(twin->hash, r->hash) ? twin : NULL;
}

static bool has_data(struct worksheet *w, const struct revision *r, const char *data)
{
	return !json_is_null(json_get(r->object, "data")) &&
		str_eq(revision_data_of(w->d, r->object), data);
}

/*
 * True if a revision with other data has the name or the hash. A creation in flight has
 * the name before its data is known, and is ours.
 */
static bool is_taken(struct worksheet *w, struct revision *list, size_t n, const char *data)
{
	const char *name = revision_name(w->arena, &w->set, w->hash);
	for (size_t i = 0; i < n; i++) {
		const struct revision *r = &list[i];
		bool clash = str_eq(r->name, name) || str_eq(r->hash, w->hash);
		if (clash && !r->in_flight && !has_data(w, r, data))
			return true;
	}
	return false;
}

static void choose_hash(struct worksheet *w, struct revision *list, size_t n, const char *data)
{
	do
		w->hash = revision_hash(w->arena, data, w->collisions);
	while (is_taken(w, list, n, data) && ++w->collisions);
}

/* A rollback: a revision with an earlier number becomes the newest. */
static void become_newest(struct worksheet *w, struct revision *list, size_t n,
	struct revision *same)
{
	struct revision *twin = twin_of(w, list, n, same);
	same = twin ? twin : same;
	if (same->number >= list[0].number || same->in_flight)
		return;
	if (!same->fixed)
		renumber(w, same, list[0].number + 1);
	else if (!named_twin(w, list, n, same))
		create_twin(w, same, list[0].number + 1);
}

/* Makes every revision ours; a twin replaces a revision that cannot be patched. */
static void keep_in_order(struct worksheet *w, struct revision *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct revision *r = &list[i];
		if (r->fixed && !r->in_flight && !named_twin(w, list, n, r))
			create_twin(w, r, r->number);
		else if (!r->ours && !r->in_flight && !r->fixed)
			adopt(w, r);
		w->revisions_settled &= !r->in_flight;
	}
}

/*
 * True if a revision of the template is ours. No pod is created or adopted before: when
 * the NodeSet is deleted, the revisions show what becomes of its pods (orphaned.c).
 */
static bool has_own(struct worksheet *w, const struct revision *list, size_t n, const char *data)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].ours && !list[i].in_flight && has_data(w, &list[i], data))
			return true;
	return false;
}

void step_revisions(struct worksheet *w)
{
	size_t n, same = 0;
	if (w->set.deleting)
		return;
	const char *data = revision_data(w->d, &w->set);
	struct revision *list = read_revisions(w, &n);
	while (same < n && !has_data(w, &list[same], data))
		same++;
	w->revisions_settled = same < n;
	w->revision_kept = has_own(w, list, n, data);
	if (same < n) {
		w->hash = list[same].hash;
		become_newest(w, list, n, &list[same]);
	} else {
		choose_hash(w, list, n, data);
		if (!find_name(list, n, revision_name(w->arena, &w->set, w->hash)))
			create(w, n ? list[0].number + 1 : 1);
	}
	keep_in_order(w, list, n);
}

static int by_hash(const void *a, const void *b)
{
	return strcmp((*(struct revision *const *)a)->hash, (*(struct revision *const *)b)->hash);
}

static void mark_hash(struct revision **sorted, size_t n, const char *hash)
{
	struct revision key = { .hash = hash }, *wanted = &key;
	struct revision **found = bsearch(&wanted, sorted, n, sizeof(*sorted), by_hash);
	while (found && found > sorted && str_eq(found[-1]->hash, hash))
		found--;
	for (; found && found < sorted + n && str_eq((*found)->hash, hash); found++)
		(*found)->used = true;
}

/*
 * Marks every revision that a pod still uses; a twin has the hash of its predecessor.
 * Most pods use the newest revision, which is kept anyway.
 */
static void mark_used(struct worksheet *w, struct revision *list, size_t n)
{
	struct revision **sorted = arena_array(w->arena, struct revision *, n + 1);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = &list[i];
		list[i].used = str_eq(list[i].hash, w->hash);
	}
	qsort(sorted, n, sizeof(*sorted), by_hash);
	for (size_t i = 0; i < w->n_pods; i++)
		if (!w->pods[i].updated)
			mark_hash(sorted, n, w->pods[i].hash);
}

static void order_deletion(struct worksheet *w, const struct revision *r, const char *why)
{
	const struct json *m = json_get(r->object, "metadata");
	struct action *a = order(w, DO(DELETE, REVISION), r->name, why);
	a->guard.uid = json_str(json_get(m, "uid"), NULL);
	a->guard.resource_version = json_str(json_get(m, "resourceVersion"), NULL);
}

/* Keeps the newest unused revisions up to the limit, and deletes the others. */
void step_history(struct worksheet *w)
{
	size_t n, kept = 0;
	if (w->set.deleting || !w->revisions_settled || w->tally.creating)
		return;
	struct revision *list = read_revisions(w, &n);
	size_t limit = (size_t)w->set.history_limit;
	mark_used(w, list, n);
	for (size_t i = 0; i < n; i++) {
		const struct revision *r = &list[i];
		if (!r->ours || !json_is_null(json_at(r->object, "metadata", "deletionTimestamp")))
			continue;
		if (twin_of(w, list, n, r))
			order_deletion(w, r,
				arena_printf(w->arena,
					"another revision has taken the place of %s, which nobody can patch",
					r->name));
		else if (!r->used && kept++ >= limit)
			order_deletion(w, r,
				arena_printf(w->arena,
					"no pod uses revision %s and the history keeps %zu",
					r->name, limit));
	}
}
