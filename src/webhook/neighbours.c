/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the members of each NodeSet that may conflict with others. */
#include "webhook/neighbours.h"

#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "webhook/remedy.h"
#include "engine/facts.h"
#include "kube/watch.h"
#include "object/metadata.h"

enum {
	/* Limits of a template's arguments; longer and further ones are ignored */
	ARG_BYTES = 1024,
	ARGS_MOST = 16,
};

struct neighbour {
	UT_hash_handle hh;
	char *key; /* NS/NAME */
	struct json_doc *doc;
	struct nodeset set; /* points into doc */
	uint64_t version;
	bool listed; /* in the list that is being read */
};

struct neighbours {
	struct kube *kube;
	struct watch *watch;
	struct neighbour *table;
	bool known;
	struct err trouble; /* the error logged last */
};

/* ---- the kept members ---- */

static void copy(struct jdoc *d, struct jval *to, const struct json *from, const char *key)
{
	const struct json *v = json_get(from, key);
	if (json_is_int(v) || (json_is_str(v) && strlen(json_str(v, "")) <= ARG_BYTES))
		j_set(d, to, key, j_copy(d, v));
}

/* Copies the arguments that may name features. */
static void copy_args(struct jdoc *d, struct jval *to, const struct json *spec)
{
	struct jval *container = j_obj(d), *args = j_set(d, container, "args", j_arr(d));
	int n = 0;
	j_push(d, j_set(d, to, "containers", j_arr(d)), container);
	for (struct json_iter c = json_iter(json_get(spec, "containers")); json_next(&c);)
		for (struct json_iter it = json_iter(json_get(c.value, "args")); json_next(&it);) {
			const char *text = json_str(it.value, "");
			if (strstr(text, "eature") && strlen(text) <= ARG_BYTES && n++ < ARGS_MOST)
				j_push(d, args, j_copy(d, it.value));
		}
}

static struct json_doc *kept_of(const struct json *object)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *root = j_obj(d), *m = j_child(d, root, "metadata");
	struct jval *spec = j_child(d, root, "spec");
	struct jval *pod = j_child(d, j_child(d, spec, "template"), "spec");
	const struct json *from = json_get(object, "metadata");
	static const char *const names[] = { "namespace", "name", "deletionTimestamp" };
	for (size_t i = 0; i < LENGTH(names); i++)
		copy(d, m, from, names[i]);
	from = json_get(object, "spec");
	copy(d, spec, from, "clusterName");
	copy(d, spec, from, "replicas");
	copy(d, pod, json_at(from, "template", "spec"), "hostname");
	copy_args(d, pod, json_at(from, "template", "spec"));
	return j_doc(d, root);
}

/* ---- events of the watch ---- */

static const char *key_of(const struct json *object, char buffer[static OBJECT_KEY_BYTES])
{
	struct metadata m = metadata_of(object);
	return object_key(buffer, m.ns, m.name);
}

static struct neighbour *find(struct neighbours *n, const char *key)
{
	struct neighbour *e;
	HASH_FIND_STR(n->table, key, e);
	return e;
}

static void forget(struct neighbours *n, struct neighbour *e)
{
	HASH_DEL(n->table, e);
	json_free(e->doc);
	free(e->key);
	free(e);
}

static void upsert(void *ctx, const struct json *object)
{
	struct neighbours *n = ctx;
	char buffer[OBJECT_KEY_BYTES];
	const char *key = key_of(object, buffer);
	struct neighbour *e = find(n, key);
	uint64_t version = object_version(object);
	if (!e) {
		e = own_alloc(sizeof(*e));
		e->key = own_strdup(key);
		HASH_ADD_KEYPTR(hh, n->table, e->key, strlen(e->key), e);
	}
	e->listed = true;
	if (e->doc && version < e->version)
		return;
	json_free(e->doc);
	e->doc = kept_of(object);
	e->version = version;
	nodeset_read(json_root(e->doc), &e->set);
}

static void removed(void *ctx, const struct json *last)
{
	struct neighbours *n = ctx;
	char buffer[OBJECT_KEY_BYTES];
	struct neighbour *e = find(n, key_of(last, buffer));
	if (e)
		forget(n, e);
}

static void list_begin(void *ctx, const char *version)
{
	struct neighbours *n = ctx;
	(void)version;
	for (struct neighbour *e = n->table; e; e = e->hh.next)
		e->listed = false;
}

static void list_end(void *ctx, const char *version)
{
	struct neighbours *n = ctx;
	struct neighbour *e, *next;
	(void)version;
	HASH_ITER (hh, n->table, e, next)
		if (!e->listed)
			forget(n, e);
	n->known = true;
}

static void connected(void *ctx)
{
	struct neighbours *n = ctx;
	n->trouble = OK;
	log_info("the NodeSets are watched again");
}

static void trouble(void *ctx, struct err err)
{
	struct neighbours *n = ctx;
	if (!str_eq(err.text, n->trouble.text))
		log_warn(
			"the NodeSets are not watched: host names that two of them give are not found, and reviews warn of that",
			"why", err.text, "remedy", webhook_remedy(err));
	n->trouble = err;
}

static const struct watch_handler handler = { list_begin, upsert, removed, list_end, connected,
	trouble };

/* ---- creation and end ---- */

struct neighbours *neighbours_new(struct kube *k)
{
	struct neighbours *n = own_alloc(sizeof(*n));
	n->kube = k;
	n->watch = watch_new(k, RES_NODESET, NULL, NULL, &handler, n);
	return n;
}

void neighbours_free(struct neighbours *n)
{
	if (!n)
		return;
	watch_free(n->watch);
	while (n->table)
		forget(n, n->table);
	free(n);
}

static bool are_known(const struct neighbours *n)
{
	return n && n->known &&
		loop_now_ms(n->kube->loop) - watch_seen_ms(n->watch) < KUBE_FRESH_MS;
}

const struct nodeset *neighbours_of(const struct neighbours *n, struct arena *a, const char *ns,
	size_t *count, bool *known)
{
	size_t found = 0;
	*known = are_known(n);
	for (const struct neighbour *e = n ? n->table : NULL; e; e = e->hh.next)
		found += str_eq(e->set.ns, ns);
	struct nodeset *sets = arena_array(a, struct nodeset, found + 1);
	*count = 0;
	for (const struct neighbour *e = n ? n->table : NULL; e; e = e->hh.next)
		if (str_eq(e->set.ns, ns))
			sets[(*count)++] = e->set;
	return sets;
}
