/*
 * Creations of ours that are under way while an object of somebody else has their name. Most will be
 * told "exists"; but when that object goes before the creation arrives, it succeeds after all. So
 * they count as coming until their outcome is known.
 */
#ifndef ENGINE_OVERTAKEN_H
#define ENGINE_OVERTAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct overtaken; /* a list of rows; start with NULL */

/* name: of the pod, with its namespace; owner_uid: of the controller that it will have. */
void overtaken_add(struct overtaken **all, uint64_t ticket, const char *name, const char *owner_uid);
/* A pod of that name and owner is there: that is the one. */
void overtaken_seen(struct overtaken **all, const char *name, const char *owner_uid);
/* Its outcome is known; controller: of the object that it gave. True when that is the pod. */
bool overtaken_ended(struct overtaken **all, uint64_t ticket, const char *controller);
size_t overtaken_count(const struct overtaken *all, const char *owner_uid);
void overtaken_free(struct overtaken **all);

#endif
