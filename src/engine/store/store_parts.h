/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the store: its entries, and the functions that its files share.
 *
 *     store_entries.c  finds, fills and drops one entry
 *     store.c          updates by lists and watches, and queries
 *     store_sent.c     actions in flight
 */
#ifndef ENGINE_STORE_STORE_PARTS_H
#define ENGINE_STORE_STORE_PARTS_H

#include "base/hash.h"
#include "engine/store/groups.h"
#include "engine/store/overtaken.h"
#include "engine/store/room.h"
#include "engine/store/store.h"

/*
 * Groups of pods: by their controller; by their host name, if it differs from their name;
 * and by the release, for pods of Slurm's daemons.
 */
enum group_kind { BY_OWNER, BY_HOSTNAME, BY_RELEASE, GROUP_KINDS };

struct entry {
	struct record rec; /* first: a record is an entry */
	char *key;         /* "ns/name" */
	struct json_doc *doc;
	struct pod_fact *pod;
	char *owner_uid;  /* "" for none */
	uint64_t round;   /* current list when it was last seen or touched */
	uint64_t listed;  /* current list when a list or watch last had it */
	uint64_t brought; /* newest version from a list or a watch */
	uint64_t ticket;  /* of the last action sent; 0: none on this object */
	bool creating;    /* that action is its creation; for pods: overtaken.h */
	struct stay stay;
	struct member in[GROUP_KINDS]; /* pods only */
	UT_hash_handle hh;
};

struct store {
	struct loop *loop;
	const char *mark;  /* borrowed */
	struct gone *gone; /* pods */
	store_changed *changed;
	void (*on_gone)(void *ctx, const struct record *last); /* NULL: not needed */
	void *ctx;
	struct entry *tables[RES_COUNT];
	struct group *groups[GROUP_KINDS];
	struct list *lists;
	struct rooms rooms;
	struct overtaken *overtaken; /* pods */
	uint64_t round;              /* counts list beginnings */
	uint64_t tickets;            /* counts actions sent */
};

/* ---- store_entries.c ---- */

/* NULL: there is none. */
struct entry *store_find(const struct store *s, enum resource r, const char *ns, const char *name);
/* A new, empty entry of this name. */
struct entry *entry_new(struct store *s, enum resource r, const char *ns, const char *name);
/* Fills the entry with a copy of the object. */
void entry_fill(struct store *s, struct entry *e, const struct json *object);
/* The entry belongs to this controller from now on. */
void entry_owned_by(struct store *s, struct entry *e, const char *uid);
/* Calls store.changed for the entry. */
void entry_changed(struct store *s, const struct entry *e);
/* Calls store.on_gone for the pod, unless the pod has no uid yet. */
void entry_tell_gone(struct store *s, const struct entry *e);
/* Remove the entry from the store; entry_drop also calls store.changed. */
void entry_free(struct store *s, struct entry *e);
void entry_drop(struct store *s, struct entry *e);
/*
 * Puts an object from a list, a watch or an answer, unless the stored version is newer.
 */
void entry_put(struct store *s, enum resource r, const struct json *object);

/* ---- store.c ---- */

/* True if the newest list is at least as new as this version of the object. */
bool store_made_before_list(const struct store *s, enum resource r, const struct json *object);

#endif
