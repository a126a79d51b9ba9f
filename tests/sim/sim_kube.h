/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated API server: REST, watches, garbage collection over a store of JSON
 * documents.
 */
#ifndef SIM_KUBE_H
#define SIM_KUBE_H

#include "sim/sim_http.h"
#include "sim/sim_store.h"

enum sim_actor { ACTOR_OPERATOR, ACTOR_USER, ACTOR_SCHEDULER, ACTOR_KUBELET, ACTOR_GC };
extern const char *const sim_actor_names[];

/* A write that was accepted. No-ops too: then before and after are the same. */
struct sim_write {
	enum sim_actor actor;
	const char *verb; /* "create", "update", "patch", "delete" */
	enum resource resource;
	const char *subresource;           /* "" or "status" */
	const struct sim_version *before;  /* NULL: created */
	const struct sim_version *after;   /* removed: the last state */
	bool removed;                      /* the object is gone */
	bool marked;                       /* it has its deletionTimestamp by this write */
	const struct sim_request *request; /* NULL: not by HTTP */
};

struct sim_kube {
	struct sim_loop *loop;
	struct sim_net *net;
	struct sim_server server;
	struct sim_store store;
	struct sim_rand rand;
	struct sim_watcher *watchers;
	struct timer *collect; /* the garbage collector's next turn */
	uint64_t uids;
	/* Chance that a list with resourceVersion=0 comes from a cache that is behind */
	int stale_per_mille;
	/*
	 * Objects on a page of a list, whatever its limit: only "continue" says that
	 * there is more; 0: as asked
	 */
	size_t page_most;
	/*
	 * A policy of an administrator: the program's writes of this kind are refused
	 * (their status not).
	 */
	struct sim_policy {
		bool on;
		enum resource resource;
		char name[64];       /* "": of every object */
		const char *ns;      /* NULL: in every namespace */
		const char *methods; /* "POST PATCH" */
	} policy;
	bool strips;      /* another webhook takes the cordon away from every write of a pod */
	size_t most_pods; /* a quota of the namespace; 0: none */
	int64_t watch_delay_ms; /* longest time from a change to its delivery without a fault */
	/* Every request as it comes, and every accepted write. */
	void (*on_request)(void *ctx, const struct sim_request *rq);
	void (*on_write)(void *ctx, const struct sim_write *w);
	/* A write of the program that the policy refuses. */
	void (*on_denied)(void *ctx, enum resource r, const char *ns, const char *name);
	/* An object that the program was shown on a watch. */
	void (*on_shown)(void *ctx, int who, enum resource r, int64_t rv);
	void *ctx;
};

/*
 * sim_seen.what of a complete list: SIM_SEEN_LIST + resource; value is its
 * resourceVersion.
 */
enum { SIM_SEEN_LIST = 100 };

void sim_kube_init(struct sim_kube *k, struct sim_net *net, const char *base_url, uint64_t seed);
void sim_kube_free(struct sim_kube *k);
/* Connections break; the history of before is forgotten */
void sim_kube_restart(struct sim_kube *k, int64_t down_ms);
void sim_kube_fault_body(int status, struct str *out);

struct sim_result {
	int status;
	const char *reason; /* "Conflict", ...; "" on success */
	const char *cause;  /* of a 403 in a terminating namespace */
	char message[320];
	struct sim_version *version; /* borrowed; NULL on failure */
};

/*
 * The writes, for REST and for the parts of the world. rq is NULL when not by HTTP.
 * Bodies are parsed documents.
 */
struct sim_origin {
	enum sim_actor actor;
	const struct sim_request *request;
};
enum sim_patch { SIM_MERGE_PATCH, SIM_JSON_PATCH };
struct sim_result sim_create(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, yyjson_val *body);
struct sim_result sim_update(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, const char *name, const char *sub, yyjson_val *body);
struct sim_result sim_patch(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, const char *name, const char *sub, enum sim_patch type, yyjson_val *patch);
struct sim_result sim_delete(struct sim_kube *k, struct sim_origin o, enum resource r,
	const char *ns, const char *name, yyjson_val *options);
/* Writes from text, see sim_json. */
struct sim_result sim_delete_by(struct sim_kube *k, enum sim_actor who, enum resource r,
	const char *ns, const char *name, const char *propagation /* "Foreground", "Orphan" */);
struct sim_result sim_patch_text(struct sim_kube *k, enum sim_actor who, enum resource r,
	const char *ns, const char *name, const char *sub, const char *merge_patch);
/* The pod's end by the kubelet, whatever its grace period. */
void sim_pod_ended(struct sim_kube *k, const char *ns, const char *name, const char *uid);

/* ---- between the files of the server ---- */
struct sim_result sim_refuse(int status, const char *reason, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL, or why the JSON patch does not apply. */
const char *sim_json_patch(yyjson_mut_doc *doc, yyjson_mut_val *root, yyjson_val *patch);
struct sim_result sim_finish_update(struct sim_kube *k, struct sim_origin o,
	struct sim_version *old, const char *verb, yyjson_mut_doc *draft, const char *sub);
/* The member of the stored object replaces the draft's. */
void sim_put_back(yyjson_mut_doc *d, yyjson_mut_val *object, yyjson_val *stored, const char *key);
bool sim_same(yyjson_mut_doc *d, yyjson_mut_val *draft, yyjson_val *stored);
void sim_drop_empty(yyjson_mut_val *root); /* nulls anywhere, empty maps and lists of metadata */
void sim_status_body(const struct sim_result *r, struct str *out);
void sim_collect_init(struct sim_kube *k);
bool sim_has_finalizer(const struct sim_version *v, const char *name);

struct sim_target {
	enum resource resource;
	char ns[64], name[256], sub[32];
	const char *query; /* after "?"; "" */
};
/* The value of a query parameter, decoded; false: absent. */
bool sim_query(const char *query, const char *key, char *out, size_t cap);
void sim_watch_open(struct sim_kube *k, const struct sim_target *t, const struct sim_request *rq,
	struct sim_reply *out);
void sim_watch_init(struct sim_kube *k);
void sim_watch_free(struct sim_kube *k);
/*
 * Whether a field selector of the query leaves the object out ("metadata.name=x" and
 * "spec.nodeName=x" only).
 */
bool sim_left_out(const struct sim_target *t, const struct sim_version *v);

#endif
