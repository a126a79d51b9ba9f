/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: trimmed copies of all objects of Kubernetes that a planner may need, from
 * the watches and from the answers to our own writes.
 *
 * The answer to a write of ours is as good a source as the watch, and often earlier. The
 * store keeps the version of an object with the higher resourceVersion.
 * An object is "in flight" from the moment when an action on it is sent until the outcome
 * is known, so no plan orders the same action twice.
 *
 * A pod is kept as a struct pod_fact in one allocation. An object of another kind is kept
 * as a document of its exact size, without managedFields.
 */
#ifndef ENGINE_STORE_STORE_H
#define ENGINE_STORE_STORE_H

#include "engine/facts.h"
#include "engine/store/gone.h"
#include "engine/store/room.h"
#include "json/json.h"
#include "object/resource.h"
#include "net/loop.h"

struct store;

struct record {
	enum resource resource;
	const char *ns, *name, *uid;
	uint64_t version; /* numeric resourceVersion; 0: a creation in flight */
	bool in_flight;   /* an action on it was sent; the outcome is unknown */
	bool cut;         /* a part could not be read, or is too large to be kept */
	bool in_short;    /* only a part is kept: it is short of room (room.h) */
	/* Not for pods; for a creation in flight only metadata.name and namespace */
	const struct json *object;
	const struct pod_fact *pod; /* pods only */
};

/*
 * Called after a change of an object. owner_uid: the uid of its controller, "" for none.
 */
typedef void store_changed(void *ctx, enum resource r, const char *ns, const char *name,
	const char *owner_uid);

/*
 * Sets the function that is called, with the ctx of store_new, before the record of a pod
 * is dropped. last: the record.
 */
void store_on_gone(struct store *s, void (*gone)(void *ctx, const struct record *last));
/* Keeps in pod_fact.marked_ms since when a pod has had this annotation. */
void store_mark(struct store *s, const char *annotation);
/* The deleted pods; the kind to which they matter sets it up. */
struct gone *store_gone(const struct store *s);
struct store *store_new(struct loop *loop, store_changed *changed, void *ctx);
void store_free(struct store *s);

/*
 * Puts an object from a list or a watch. A version older than the stored one is ignored.
 */
void store_put(struct store *s, enum resource r, const struct json *object);
void store_remove(struct store *s, enum resource r, const struct json *last);
/*
 * A list of r in ns (NULL: all namespaces) begins and ends; version: its resourceVersion.
 * At the end all objects are dropped that were not put since the begin. Creations in
 * flight stay. An object from an answer to a write of ours also stays if it is newer than
 * version, because the watch has yet to report it. If an object of an earlier watch is
 * newer than the list, etcd was restored; then the list is right although it is older.
 */
void store_list_begin(struct store *s, enum resource r, const char *ns, uint64_t version);
void store_list_end(struct store *s, enum resource r, const char *ns, uint64_t version);
/* True if a list has ended at least once. */
bool store_complete(const struct store *s, enum resource r, const char *ns);

/* NULL: there is none. Valid until the next change. */
const struct record *store_get(const struct store *s, enum resource r, const char *ns,
	const char *name);
typedef void each_record(void *ctx, const struct record *rec);
/* Each record of r in ns (NULL: all). Do not change the store meanwhile. */
void store_each(const struct store *s, enum resource r, const char *ns, each_record *each,
	void *ctx);
/* Each pod whose controller has this uid ("": pods without a controller). */
void store_each_owned(const struct store *s, const char *ns, const char *owner_uid,
	each_record *each, void *ctx);
size_t store_count_owned(const struct store *s, const char *ns, const char *owner_uid);
/* Each pod of ns whose host name, or else whose name, is this Slurm node name. */
void store_each_named(const struct store *s, const char *ns, const char *slurm_name,
	each_record *each, void *ctx);
/* Each pod that has the same Slurm node name as this pod, except the pod itself. */
void store_each_namesake(const struct store *s, const struct pod_fact *pod, each_record *each,
	void *ctx);
/* Each pod of ns that runs a Slurm daemon of this release (pod_fact.daemon). */
void store_each_daemon(const struct store *s, const char *ns, const char *release,
	each_record *each, void *ctx);
size_t store_count(const struct store *s, enum resource r);
/*
 * The number of objects of ns that are short of room in the memory of r (room.h), so that
 * only a part of each is known. If r shares its memory (not apart) and the number is not
 * 0, the operator must touch no object of the namespace.
 */
size_t store_short(const struct store *s, enum resource r, const char *ns);
const struct rooms *store_rooms(const struct store *s);
/*
 * An object of ns that is short of room and would fit now; NULL: there is none. Valid
 * until the next change.
 */
const struct record *store_could_grow(const struct store *s, const char *ns);
/*
 * Stores a newly read copy of an object. An object that has left the store meanwhile is
 * not added again. False: the store has no such object, or it is still short of room.
 */
bool store_read_again(struct store *s, enum resource r, const struct json *object);
/*
 * Sets the memory for objects that are larger than usual (0: 16 MiB). Call it before the
 * first object is put.
 */
void store_share(struct store *s, size_t bytes);
/*
 * The number of pods of this controller whose creation is in flight and that have no
 * record, because a pod of another owner took their name meanwhile. These pods may still
 * be created when that pod is deleted.
 */
size_t store_overtaken(const struct store *s, const char *owner_uid);

/*
 * An action on the object is sent; a creation makes a record from create_body. Returns
 * the ticket for store_outcome.
 */
uint64_t store_sent(struct store *s, enum resource r, const char *ns, const char *name,
	const char *create_body, const char *owner_uid);
/* A deletion of the object is sent now. Sets pod_fact.deletion_sent_ms of a pod. */
void store_deletion_sent(struct store *s, enum resource r, const char *ns, const char *name);
/*
 * The outcome of an action. answered: the object in the API server's answer (NULL: none).
 * An object that has left the store meanwhile is not added again, and a successor with
 * its name is not touched. deletion_accepted: a pod counts as terminating from now on;
 * any other object without a deletionTimestamp counts as gone. A creation with answered
 * NULL did not happen. A created object that a newer list lacks counts as gone again.
 */
void store_outcome(struct store *s, uint64_t ticket, enum resource r, const char *ns,
	const char *name, const struct json *answered, bool deletion_accepted);

#endif
