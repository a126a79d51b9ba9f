/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata of Kubernetes objects, and merge patches of one version of an object. A
 * patch names uid and resourceVersion: the API server refuses it (409) when the object
 * changed meanwhile, or when another object has its name. So a merge patch, which
 * replaces a list as a whole, never drops an entry of another writer.
 */
#ifndef OBJECT_METADATA_H
#define OBJECT_METADATA_H

#include "json/build.h"
#include "object/resource.h"

/* Texts point into the object; an absent member is "" or 0. */
struct metadata {
	const char *ns, *name, *uid, *resource_version;
	int64_t generation;
	bool deleting; /* the object has a deletionTimestamp */
};
struct metadata metadata_of(const struct json *object);
/* The object's resourceVersion as a number: the larger one is newer. 0: it has none. */
uint64_t object_version(const struct json *object);

/* The reference to the owner that controls the object; NULL: there is none. */
const struct json *controller_of(const struct json *object);
/* The uid of the controller; "": there is none. */
const char *controller_uid(const struct json *object);
/* The resource of ours that a reference to an owner names; RES_NONE: none. */
enum resource resource_of_owner(const struct json *reference);
/*
 * Whether the controller is of one of our kinds, or absent, so that an object may be
 * adopted.
 */
bool may_be_ours(const struct json *object);

/* A reference to an owner, for the list of owners; controls: it is the controller. */
struct jval *owner_reference(struct jdoc *d, enum resource r, const char *name, const char *uid,
	bool controls);

/* Whether the object has this finalizer. */
bool has_finalizer(const struct json *object, const char *finalizer);

/* A patch that changes nothing yet. */
struct jval *patch_of(struct jdoc *d, const char *uid, const char *resource_version);
/* The patch's metadata, to set members of it. */
struct jval *patch_metadata(struct jdoc *d, struct jval *patch);
/* Patches the object's finalizers, with or without this one. */
void patch_finalizer(struct jdoc *d, struct jval *patch, const struct json *object,
	const char *finalizer, bool with);
/*
 * Returns a patch of the object's status; NULL: the object has each member of status
 * already, or only a part of the object is known (json_is_cut). Other members of the
 * status belong to other writers and stay.
 */
const char *status_patch(struct jdoc *d, struct arena *a, const struct json *object,
	struct jval *status);

/*
 * The condition that refuses this generation of the object, for a reason that only a
 * changed object would fix (judged_by of its row); NULL: there is none.
 */
const struct json *refusal_of(const struct resource_row *row, const struct json *object);

/*
 * A member that marks an object of which the store keeps only a part, because the whole
 * object would need too much memory.
 */
#define OBJECT_LARGE "<large>"
static inline bool object_is_large(const struct json *object)
{
	return json_bool(json_get(object, OBJECT_LARGE), false);
}

#endif
