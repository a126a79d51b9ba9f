/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store of the simulated API server: every object as an immutable version, and the
 * history of changes that watches read. One counter of resourceVersions for everything,
 * as in etcd.
 */
#ifndef SIM_STORE_H
#define SIM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

#include "object/resource.h"

/* One state of one object; never changes. */
struct sim_version {
	int refs;
	enum resource resource;
	int64_t rv;
	yyjson_doc *doc;
	yyjson_val *root;
	char *text;
	size_t bytes;
	char rv_text[24];
	const char *ns, *name, *uid; /* in doc; ns "" for cluster-wide objects */
};

struct sim_version *sim_version_keep(struct sim_version *v);
void sim_version_drop(struct sim_version *v); /* accepts NULL */

enum sim_change_type { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED };
struct sim_change {
	int64_t rv;
	enum sim_change_type type;
	struct sim_version *before; /* NULL: added */
	/* Deleted: the last state with the resourceVersion of the deletion */
	struct sim_version *after;
};

/* Must not write: start a timer */
typedef void sim_listener(void *ctx, const struct sim_change *change);

struct sim_list {
	struct sim_version **at; /* in order of namespace and name */
	size_t n, cap;
};

enum { SIM_LISTENERS = 8, SIM_HISTORY = 4096 };

struct sim_store {
	int64_t rv;
	int64_t compacted; /* clients are told that changes up to here are forgotten */
	int64_t forgotten; /* they really are */
	struct sim_list of[RES_COUNT];
	struct sim_change *history;
	size_t n_history, cap_history;
	/* Changes forgotten so far: absolute numbers of changes are dropped + index */
	uint64_t dropped;
	struct {
		sim_listener *fn;
		void *ctx;
	} listeners[SIM_LISTENERS];
	int n_listeners;
};

/* Borrowed; NULL */
struct sim_version *sim_store_find(const struct sim_store *s, enum resource r, const char *ns,
	const char *name);
struct sim_version *sim_store_by_uid(const struct sim_store *s, const char *uid);
/* Makes doc the newest state: the store takes doc. The result is borrowed. */
struct sim_version *sim_store_put(struct sim_store *s, enum resource r, yyjson_doc *doc);
/*
 * The result is the last state with the resourceVersion of the deletion, borrowed from
 * the history.
 */
struct sim_version *sim_store_remove(struct sim_store *s, struct sim_version *v);
void sim_store_listen(struct sim_store *s, sim_listener *fn, void *ctx);
void sim_store_compact(struct sim_store *s);
/*
 * The objects as they were at rv; false: compacted. Release with free(out->at): versions
 * are borrowed.
 */
bool sim_store_at(const struct sim_store *s, enum resource r, int64_t rv, struct sim_list *out);
void sim_store_free(struct sim_store *s);

/*
 * text as JSON; when it holds no " at all, ' stands for it. Ends the test with a message
 * when it is not JSON. Release with yyjson_doc_free.
 */
yyjson_doc *sim_json(const char *text);
char *sim_quotes(const char *text); /* the same as text; the caller frees */

/* Small words on documents. NULL in, NULL or "" out. */
yyjson_val *sim_get(yyjson_val *object, const char *key);
yyjson_val *sim_at(yyjson_val *object, const char *a, const char *b);
const char *sim_str(yyjson_val *object, const char *key); /* "" when not a string */
int64_t sim_int(yyjson_val *object, const char *key, int64_t fallback);
yyjson_val *sim_meta(const struct sim_version *v);
const char *sim_label(const struct sim_version *v, const char *key);      /* "" when absent */
const char *sim_annotation(const struct sim_version *v, const char *key); /* "" when absent */
bool sim_terminating(const struct sim_version *v);
const char *sim_owner_uid(const struct sim_version *v); /* of the controller; "" */
/* status "True" of the condition. */
bool sim_condition_true(const struct sim_version *v, const char *type);
yyjson_val *sim_condition(const struct sim_version *v, const char *type);

#endif
