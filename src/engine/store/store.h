/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: every object of Kubernetes that a planner may need, trimmed, as the watches
 * and the answers to our own writes brought it.
 *
 * An answer to a write of ours is as good a source as the watch and often earlier: both
 * come in through store_put, and whichever has the numerically higher resourceVersion of
 * the same uid stays. An object stays "in flight" from the moment an action on it is sent
 * until its outcome is known, so no plan orders the same action twice.
 *
 * Pods are kept as struct pod_fact in one allocation each; other kinds as exact-size
 * documents without managedFields.
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
	bool in_flight;   /* an action on it was sent and its outcome is not known */
	bool cut;         /* something of it could not be read, or is too much to be kept */
	bool in_short;    /* there is no room for more of it */
	/* Not for pods; for a creation in flight only metadata.name and namespace */
	const struct json *object;
	const struct pod_fact *pod; /* pods only */
};

/*
 * Called after a change that a planner may care about; owner_uid: the controller's uid,
 * "" for none.
 */
typedef void store_changed(void *ctx, enum resource r, const char *ns, const char *name,
	const char *owner_uid);

/*
 * From now on gone(ctx) is called, with the ctx of store_new, before the record of a pod
 * goes: last is what was known of it.
 */
void store_on_gone(struct store *s, void (*gone)(void *ctx, const struct record *last));
/* The time since when a pod has this annotation is kept in pod_fact.marked_ms. */
void store_mark(struct store *s, const char *annotation);
/* The pods that went; the kind to which they matter sets it up. */
struct gone *store_gone(const struct store *s);
struct store *store_new(struct loop *loop, store_changed *changed, void *ctx);
void store_free(struct store *s);

/*
 * Puts an object that a list or watch brought. An older version than the present one is
 * ignored.
 */
void store_put(struct store *s, enum resource r, const struct json *object);
void store_remove(struct store *s, enum resource r, const struct json *last);
/*
 * All objects of r in ns (NULL: everywhere) that are not put between begin and end are
 * forgotten at end. Creations in flight stay. So does an object that an answer to a write
 * of ours brought meanwhile, if it is newer than version, the list's resourceVersion: the
 * watch has yet to report it. A list that is older than an object of a watch before it
 * shows that etcd was restored: then the list is right, also where it is older.
 */
void store_list_begin(struct store *s, enum resource r, const char *ns, uint64_t version);
void store_list_end(struct store *s, enum resource r, const char *ns, uint64_t version);
/* A list has ended at least once */
bool store_complete(const struct store *s, enum resource r, const char *ns);

/* NULL: there is none. Until the next change. */
const struct record *store_get(const struct store *s, enum resource r, const char *ns,
	const char *name);
typedef void each_record(void *ctx, const struct record *rec);
/* Each record of r in ns (NULL: all). Do not change the store meanwhile. */
void store_each(const struct store *s, enum resource r, const char *ns, each_record *each,
	void *ctx);
/* Each pod whose controller has this uid ("" : pods without controller). */
void store_each_owned(const struct store *s, const char *ns, const char *owner_uid,
	each_record *each, void *ctx);
size_t store_count_owned(const struct store *s, const char *ns, const char *owner_uid);
/* Each pod of ns whose Slurm node has this name: its host name, or its own. */
void store_each_named(const struct store *s, const char *ns, const char *slurm_name,
	each_record *each, void *ctx);
/* Each pod that has the same Slurm node name as this pod, except the pod itself. */
void store_each_namesake(const struct store *s, const struct pod_fact *pod, each_record *each,
	void *ctx);
/* Each pod of ns that is of one of Slurm's daemons of this release (pod_fact.daemon). */
void store_each_daemon(const struct store *s, const char *ns, const char *release,
	each_record *each, void *ctx);
size_t store_count(const struct store *s, enum resource r);
/*
 * The number of objects of ns that are short of room in the room of r (room.h): only a
 * part of them is known. Where r shares its room nothing of the namespace is to be
 * touched then.
 */
size_t store_short(const struct store *s, enum resource r, const char *ns);
const struct rooms *store_rooms(const struct store *s);
/*
 * An object of ns that is short of room and would fit now; NULL: there is none. Valid
 * until the next change.
 */
const struct record *store_could_grow(const struct store *s, const char *ns);
/*
 * Stores a newly read copy of an object. An object that has left the store meanwhile does
 * not come back. False: the object is not there, or still short of room.
 */
bool store_read_again(struct store *s, enum resource r, const struct json *object);
/*
 * Sets the memory for objects that are larger than usual, before there are any; 0: 16
 * MiB.
 */
void store_share(struct store *s, size_t bytes);
/*
 * Pods of this controller that are being created and have no record, because another
 * owner's pod took their name meanwhile. When that pod is deleted, these pods may still
 * be created.
 */
size_t store_overtaken(const struct store *s, const char *owner_uid);

/*
 * An action on the object is sent: creations make a record of their own from body. Gives
 * the ticket by which its outcome is known.
 */
uint64_t store_sent(struct store *s, enum resource r, const char *ns, const char *name,
	const char *create_body, const char *owner_uid);
/* A deletion of the object goes out now: a pod remembers it. */
void store_deletion_sent(struct store *s, enum resource r, const char *ns, const char *name);
/*
 * The outcome of an action. answered: the object the API server gave back (NULL: none).
 * An object that has left the store meanwhile does not come back, and its successor of
 * the same name is not touched. deletion_accepted: a pod counts as terminating from now
 * on; anything else that is not shown to be ending is gone. A creation did not happen
 * when answered is NULL, and what it made is gone again when a newer list lacks it.
 */
void store_outcome(struct store *s, uint64_t ticket, enum resource r, const char *ns,
	const char *name, const struct json *answered, bool deletion_accepted);

#endif
