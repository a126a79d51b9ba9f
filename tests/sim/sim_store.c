/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the simulated API server and their history. */
#include "sim/sim_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

struct sim_version *sim_version_keep(struct sim_version *v)
{
	v->refs++;
	return v;
}

void sim_version_drop(struct sim_version *v)
{
	if (!v || --v->refs > 0)
		return;
	yyjson_doc_free(v->doc);
	free(v->text);
	free(v);
}

/* Takes doc; writes the resourceVersion into it. */
static struct sim_version *version_new(enum resource r, yyjson_doc *doc, int64_t rv)
{
	struct sim_version *v = own_alloc(sizeof(*v));
	v->refs = 1;
	v->resource = r;
	v->rv = rv;
	v->doc = doc;
	v->root = yyjson_doc_get_root(doc);
	yyjson_val *meta = sim_get(v->root, "metadata");
	int n = snprintf(v->rv_text, sizeof(v->rv_text), "%lld", (long long)rv);
	yyjson_set_strn(sim_get(meta, "resourceVersion"), v->rv_text, (size_t)n);
	v->text = yyjson_val_write(v->root, 0, &v->bytes);
	v->ns = sim_str(meta, "namespace");
	v->name = sim_str(meta, "name");
	v->uid = sim_str(meta, "uid");
	return v;
}

static int compare(const struct sim_version *v, const char *ns, const char *name)
{
	int by_ns = strcmp(v->ns, ns);
	return by_ns ? by_ns : strcmp(v->name, name);
}

/* The place of a name in a list, or where it would be. */
static size_t place_of(const struct sim_list *l, const char *ns, const char *name, bool *found)
{
	size_t low = 0, high = l->n;
	*found = false;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = compare(l->at[mid], ns, name);
		if (order == 0) {
			*found = true;
			return mid;
		}
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void list_insert(struct sim_list *l, size_t place, struct sim_version *v)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->at = own_realloc(l->at, l->cap * sizeof(struct sim_version *));
	}
	memmove(l->at + place + 1, l->at + place, (l->n - place) * sizeof(struct sim_version *));
	l->at[place] = v;
	l->n++;
}

static void list_remove(struct sim_list *l, size_t place)
{
	l->n--;
	memmove(l->at + place, l->at + place + 1, (l->n - place) * sizeof(struct sim_version *));
}

struct sim_version *sim_store_find(const struct sim_store *s, enum resource r, const char *ns,
	const char *name)
{
	bool found;
	size_t place = place_of(&s->of[r], ns ? ns : "", name, &found);
	return found ? s->of[r].at[place] : NULL;
}

struct sim_version *sim_store_by_uid(const struct sim_store *s, const char *uid)
{
	for (int r = 0; r < RES_COUNT; r++)
		for (size_t i = 0; i < s->of[r].n; i++)
			if (strcmp(s->of[r].at[i]->uid, uid) == 0)
				return s->of[r].at[i];
	return NULL;
}

static void forget(struct sim_store *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sim_version_drop(s->history[i].before);
		sim_version_drop(s->history[i].after);
	}
	if (n > 0)
		s->forgotten = s->history[n - 1].rv;
	if (s->compacted < s->forgotten)
		s->compacted = s->forgotten;
	s->n_history -= n;
	s->dropped += n;
	memmove(s->history, s->history + n, s->n_history * sizeof(*s->history));
}

/* The history takes both references. */
static void record(struct sim_store *s, struct sim_change change)
{
	if (s->n_history >= SIM_HISTORY)
		forget(s, SIM_HISTORY / 2);
	if (s->n_history == s->cap_history) {
		s->cap_history = s->cap_history ? s->cap_history * 2 : 256;
		s->history = own_realloc(s->history, s->cap_history * sizeof(*s->history));
	}
	s->history[s->n_history++] = change;
	for (int i = 0; i < s->n_listeners; i++)
		s->listeners[i].fn(s->listeners[i].ctx, &change);
}

struct sim_version *sim_store_put(struct sim_store *s, enum resource r, yyjson_doc *doc)
{
	struct sim_version *v = version_new(r, doc, ++s->rv), *before = NULL;
	struct sim_list *l = &s->of[r];
	bool found;
	size_t place = place_of(l, v->ns, v->name, &found);
	if (found) {
		before = l->at[place];
		l->at[place] = v;
	} else {
		list_insert(l, place, v);
	}
	record(s,
		(struct sim_change){
			.rv = v->rv,
			.type = found ? CHANGE_MODIFIED : CHANGE_ADDED,
			.before = before,
			.after = sim_version_keep(v),
		});
	return v;
}

struct sim_version *sim_store_remove(struct sim_store *s, struct sim_version *v)
{
	struct sim_list *l = &s->of[v->resource];
	bool found;
	size_t place = place_of(l, v->ns, v->name, &found);
	list_remove(l, place);
	yyjson_mut_doc *draft = yyjson_doc_mut_copy(v->doc, NULL);
	struct sim_version *last = version_new(v->resource, yyjson_mut_doc_imut_copy(draft, NULL),
		++s->rv);
	yyjson_mut_doc_free(draft);
	record(s,
		(struct sim_change){
			.rv = last->rv,
			.type = CHANGE_DELETED,
			.before = v,
			.after = last,
		});
	return last;
}

void sim_store_listen(struct sim_store *s, sim_listener *fn, void *ctx)
{
	if (s->n_listeners == SIM_LISTENERS)
		abort();
	s->listeners[s->n_listeners].fn = fn;
	s->listeners[s->n_listeners++].ctx = ctx;
}

void sim_store_compact(struct sim_store *s) { s->compacted = s->rv; }

bool sim_store_at(const struct sim_store *s, enum resource r, int64_t rv, struct sim_list *out)
{
	if (rv < s->compacted)
		return false;
	*out = (struct sim_list){ 0 };
	for (size_t i = 0; i < s->of[r].n; i++)
		list_insert(out, out->n, s->of[r].at[i]);
	for (size_t i = s->n_history; i > 0 && s->history[i - 1].rv > rv; i--) {
		const struct sim_change *c = &s->history[i - 1];
		if (c->after->resource != r)
			continue;
		bool found;
		size_t place = place_of(out, c->after->ns, c->after->name, &found);
		if (c->type == CHANGE_ADDED)
			list_remove(out, place);
		else if (c->type == CHANGE_MODIFIED)
			out->at[place] = c->before;
		else
			list_insert(out, place, c->before);
	}
	return true;
}

void sim_store_free(struct sim_store *s)
{
	forget(s, s->n_history);
	free(s->history);
	for (int r = 0; r < RES_COUNT; r++) {
		for (size_t i = 0; i < s->of[r].n; i++)
			sim_version_drop(s->of[r].at[i]);
		free(s->of[r].at);
	}
}

/* ---- words on documents ---- */

char *sim_quotes(const char *text)
{
	char *out = own_strdup(text);
	if (!strchr(out, '"'))
		for (char *at = out; (at = strchr(at, '\''));)
			*at = '"';
	return out;
}

yyjson_doc *sim_json(const char *text)
{
	AUTO(own_free) char *json = sim_quotes(text);
	yyjson_doc *doc = yyjson_read(json, strlen(json), 0);
	if (!doc) {
		fprintf(stderr, "sim: not JSON: %s\n", text);
		abort();
	}
	return doc;
}

yyjson_val *sim_get(yyjson_val *object, const char *key)
{
	return object ? yyjson_obj_get(object, key) : NULL;
}
yyjson_val *sim_at(yyjson_val *object, const char *a, const char *b)
{
	return sim_get(sim_get(object, a), b);
}

const char *sim_str(yyjson_val *object, const char *key)
{
	const char *s = yyjson_get_str(sim_get(object, key));
	return s ? s : "";
}

int64_t sim_int(yyjson_val *object, const char *key, int64_t fallback)
{
	yyjson_val *v = sim_get(object, key);
	return yyjson_is_int(v) ? yyjson_get_sint(v) : fallback;
}

yyjson_val *sim_meta(const struct sim_version *v) { return sim_get(v->root, "metadata"); }
const char *sim_label(const struct sim_version *v, const char *key)
{
	return sim_str(sim_get(sim_meta(v), "labels"), key);
}
const char *sim_annotation(const struct sim_version *v, const char *key)
{
	return sim_str(sim_get(sim_meta(v), "annotations"), key);
}
bool sim_terminating(const struct sim_version *v)
{
	return sim_get(sim_meta(v), "deletionTimestamp") != NULL;
}

const char *sim_owner_uid(const struct sim_version *v)
{
	yyjson_val *ref;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_get(sim_meta(v), "ownerReferences"));
	while ((ref = yyjson_arr_iter_next(&it)))
		if (yyjson_get_bool(sim_get(ref, "controller")))
			return sim_str(ref, "uid");
	return "";
}

yyjson_val *sim_condition(const struct sim_version *v, const char *type)
{
	yyjson_val *c;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_at(v->root, "status", "conditions"));
	while ((c = yyjson_arr_iter_next(&it)))
		if (strcmp(sim_str(c, "type"), type) == 0)
			return c;
	return NULL;
}

bool sim_condition_true(const struct sim_version *v, const char *type)
{
	return strcmp(sim_str(sim_condition(v, type), "status"), "True") == 0;
}
