/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the store: its entries, and what its files say to each other.
 *
 *     store_entries.c  one entry: how it is found, filled, and dropped
 *     store.c          what lists and watches bring, and what is asked
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
 * Pods in groups: those of one controller, those whose host name is not their own name,
 * and those of Slurm's daemons by their release.
 */
enum group_kind { BY_OWNER, BY_HOSTNAME, BY_RELEASE, GROUP_KINDS };

struct entry {
	struct record rec; /* first: a record is an entry */
	char *key;         /* "ns/name" */
	struct json_doc *doc;
	struct pod_fact *pod;
	char *owner_uid;  /* "" for none */
	uint64_t round;   /* of the list in which it was last seen or touched */
	uint64_t listed;  /* of the list in which it was last seen */
	uint64_t brought; /* version that a list or a watch brought last */
	uint64_t ticket;  /* of the action sent last; 0: none on this object */
	bool creating;    /* that is its creation, and not a pod's (overtaken.h) */
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
/* Takes over the object. */
void entry_fill(struct store *s, struct entry *e, const struct json *object);
/* The entry belongs to this controller from now on. */
void entry_owned_by(struct store *s, struct entry *e, const char *uid);
/* Tells the observer. */
void entry_changed(struct store *s, const struct entry *e);
/*
 * Reports the deletion of this pod to those that asked for it; a pod that has no uid yet
 * is not reported.
 */
void entry_tell_gone(struct store *s, const struct entry *e);
/* Take the entry out of the store; entry_drop also tells the observer. */
void entry_free(struct store *s, struct entry *e);
void entry_drop(struct store *s, struct entry *e);
/*
 * Puts an object of a list, a watch or an answer, unless it is older than the present
 * one.
 */
void entry_put(struct store *s, enum resource r, const struct json *object);

/* ---- store.c ---- */

/* A list that came later does not have the object. */
bool store_made_before_list(const struct store *s, enum resource r, const struct json *object);

#endif
