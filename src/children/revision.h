/* SPDX-License-Identifier: Apache-2.0 */
/* ControllerRevisions: the history of a NodeSet's templates. Pure. */
#ifndef CHILDREN_REVISION_H
#define CHILDREN_REVISION_H

#include "api/nodeset.h"
#include "json/build.h"

/*
 * The data of a revision: spec.template only, with sorted members, so that equal
 * templates give equal bytes.
 */
const char *revision_data(struct jdoc *d, const struct nodeset *n);
/* The data of an existing revision in the same form. */
const char *revision_data_of(struct jdoc *d, const struct json *revision);
/* FNV-1 hash of data and the collision counter, in Kubernetes' safe alphabet. */
const char *revision_hash(struct arena *a, const char *data, int64_t collisions);
const char *revision_name(struct arena *a, const struct nodeset *n, const char *hash);
/*
 * The hash in the labels of a revision's pods: the revision's label, or its name if it
 * has no label.
 */
const char *revision_hash_of(const struct json *revision);

/* The object to create, as JSON text. */
const char *revision_build(struct jdoc *d, struct arena *a, const struct nodeset *n,
	const char *hash, int64_t number);

/*
 * Whether the API server accepts a patch of the revision. The API server rejects changes
 * of data, but re-encodes data with sorted members in each patch. Earlier versions of
 * this operator stored data in another order. No client can patch such a revision, and
 * the garbage collector cannot orphan it. So the planner creates a twin with the same
 * data and hash under another name, and deletes the old revision.
 */
bool revision_comes_through(const struct json *revision);
const char *revision_twin_name(struct arena *a, const struct json *revision);
const char *revision_twin(struct jdoc *d, struct arena *a, const struct nodeset *n,
	const struct json *revision, int64_t number);

#endif
