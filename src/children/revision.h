/* SPDX-License-Identifier: Apache-2.0 */
/* ControllerRevisions: the memory of a NodeSet's templates. Pure. */
#ifndef CHILDREN_REVISION_H
#define CHILDREN_REVISION_H

#include "api/nodeset.h"

/*
 * The data of a revision: only spec.template counts. Sorted, so equal templates give
 * equal bytes.
 */
const char *revision_data(struct jdoc *d, const struct nodeset *n);
/* The data of an existing one in the same form. */
const char *revision_data_of(struct jdoc *d, const struct json *revision);
/* FNV-1 over data and collision counter in Kubernetes' safe alphabet. */
const char *revision_hash(struct arena *a, const char *data, int64_t collisions);
const char *revision_name(struct arena *a, const struct nodeset *n, const char *hash);
/*
 * The hash that pods of an existing revision carry: its label; its name when it has none.
 */
const char *revision_hash_of(const struct json *revision);

/* The object to create, as JSON text. */
const char *revision_build(struct jdoc *d, struct arena *a, const struct nodeset *n,
	const char *hash, int64_t number);

/*
 * The API server lets nobody change the bytes of data, but writes them anew in every
 * patch: only those in its own order come through. Earlier versions of this operator
 * stored others; nothing of such a revision can be patched, not even by the garbage
 * collector that is to orphan it. So it gets a twin with the same data and hash, under
 * another name, and is deleted.
 */
bool revision_comes_through(const struct json *revision);
const char *revision_twin_name(struct arena *a, const struct json *revision);
const char *revision_twin(struct jdoc *d, struct arena *a, const struct nodeset *n,
	const struct json *revision, int64_t number);

#endif
