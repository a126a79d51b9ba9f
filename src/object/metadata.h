/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every object of Kubernetes says of itself, and merge patches of this very version
 * of one. A patch names uid and resourceVersion: the API server refuses it (409) when
 * somebody has changed the object meanwhile, or another one has its name. So lists, which
 * a merge patch replaces as a whole, lose nobody's entry.
 */
#ifndef OBJECT_METADATA_H
#define OBJECT_METADATA_H

#include "json/json.h"
#include "object/resource.h"

/* Texts point into the object; what is absent is "" or 0. */
struct metadata {
	const char *ns, *name, *uid, *resource_version;
	int64_t generation;
	bool deleting; /* it has a deletionTimestamp */
};
struct metadata metadata_of(const struct json *object);
/* Its resourceVersion as a number: the larger is the newer. 0: it has none. */
uint64_t object_version(const struct json *object);

/* The reference to the owner that controls it; NULL: there is none. */
const struct json *controller_of(const struct json *object);
/* Its uid; "": there is none. */
const char *controller_uid(const struct json *object);
/* The resource of ours that a reference to an owner names; RES_NONE: none. */
enum resource resource_of_owner(const struct json *reference);
/* A kind of ours controls it, or nothing does, so that one may adopt it. */
bool may_be_ours(const struct json *object);

/* A reference to an owner, for the list of owners; controls: it is the controller. */
struct jval *owner_reference(struct jdoc *d, enum resource r, const char *name, const char *uid,
	bool controls);

/* Whether it is kept by this one. */
bool has_finalizer(const struct json *object, const char *finalizer);

/* A patch that changes nothing yet. */
struct jval *patch_of(struct jdoc *d, const char *uid, const char *resource_version);
/* Its metadata, where members can be set. */
struct jval *patch_metadata(struct jdoc *d, struct jval *patch);
/* The finalizers of the object, with this one or without. */
void patch_finalizer(struct jdoc *d, struct jval *patch, const struct json *object,
	const char *finalizer, bool with);
/*
 * A patch of its status; NULL: it says each member of status already, or only a part of
 * it is known (json_is_cut). What else is in it is somebody else's.
 */
const char *status_patch(struct jdoc *d, struct arena *a, const struct json *object,
	struct jval *status);

/*
 * The condition that refuses it as it is now, for a reason that only another object would
 * mend (judged_by of its row); NULL: there is none.
 */
const struct json *refusal_of(const struct resource_row *row, const struct json *object);

/*
 * A member that stands in an object of which the store keeps only a part, because it
 * would need too much memory.
 */
#define OBJECT_LARGE "<large>"
static inline bool object_is_large(const struct json *object)
{
	return json_bool(json_get(object, OBJECT_LARGE), false);
}

#endif
