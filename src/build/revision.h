/* ControllerRevisions: the memory of a NodeSet's templates. Pure. */
#ifndef BUILD_REVISION_H
#define BUILD_REVISION_H

#include "api/nodeset.h"

/* The data of a revision: only spec.template counts. Sorted, so equal templates give equal bytes. */
const char *revision_data(struct jdoc *d, const struct nodeset *n);
/* The data of an existing one in the same form. */
const char *revision_data_of(struct jdoc *d, const struct json *revision);
/* FNV-1 over data and collision counter in Kubernetes' safe alphabet. */
const char *revision_hash(struct arena *a, const char *data, int64_t collisions);
const char *revision_name(struct arena *a, const struct nodeset *n, const char *hash);
/* The hash that pods of an existing revision carry: its label; its name when it has none. */
const char *revision_hash_of(const struct json *revision);

/* The object to create, as JSON text. */
const char *revision_build(struct jdoc *d, struct arena *a, const struct nodeset *n, const char *hash, int64_t number);

#endif
