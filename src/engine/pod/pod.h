/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON of a Pod into a struct pod_fact, in one allocation. */
#ifndef ENGINE_POD_POD_H
#define ENGINE_POD_POD_H

#include "engine/facts.h"
#include "json/json.h"

/*
 * The caller frees with free(). Never NULL: absent members are "" and 0. Pods of
 * controllers that are not ours keep no label and no claim, as no plan reads them.
 */
struct pod_fact *pod_fact_new(const struct json *pod);
/* A shorter fact with few labels and claims, for a namespace that is over quota. */
struct pod_fact *pod_fact_in_short(const struct json *pod);

/*
 * Sets the times since which the facts of the new version hold. old: the earlier fact,
 * NULL or of another pod perhaps. mark: the annotation for marked_ms; NULL: none.
 */
void pod_fact_times(struct pod_fact *now, const struct pod_fact *old, const char *mark,
	int64_t now_ms);

#endif
