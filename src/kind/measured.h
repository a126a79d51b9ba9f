/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that have series of their own, when there are more of them than series may
 * be. The first of each namespace, by name, comes before the second of any: so a
 * namespace with thousands of objects takes no series of another one.
 */
#ifndef KIND_MEASURED_H
#define KIND_MEASURED_H

#include "engine/store/store.h"

struct measured {
	const struct record **all; /* until the next change of the store */
	size_t n;
};

struct metric;

/* Also sets how many have none. */
struct measured measured_of(const struct store *store, enum resource r, size_t most);
void measured_free(struct measured *m);
/* Sets 1 for the status and the reason of each condition of an object. */
void measured_conditions(struct metric *m, const struct record *rec);

#endif
