/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the objects that have their own series, if there are more objects than series
 * are allowed. The first object of each namespace, by name, comes before the second
 * object of any namespace, so a namespace with thousands of objects takes no series of
 * another one.
 */
#ifndef KIND_MEASURED_H
#define KIND_MEASURED_H

#include "engine/store/store.h"

struct measured {
	const struct record **all; /* until the next change of the store */
	size_t n;
};

struct metric;

/* Also sets the metric of the number of objects without series. */
struct measured measured_of(const struct store *store, enum resource r, size_t most);
void measured_free(struct measured *m);
/* Sets 1 for the status and the reason of each condition of an object. */
void measured_conditions(struct metric *m, const struct record *rec);

#endif
