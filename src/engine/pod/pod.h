/* SPDX-License-Identifier: Apache-2.0 */
/* From the JSON of a Pod to a struct pod_fact in one allocation. */
#ifndef ENGINE_POD_POD_H
#define ENGINE_POD_POD_H

#include "engine/facts.h"
#include "json/json.h"

/*
 * The caller frees with free(). Never NULL: absent members are "" and 0. Pods of
 * controllers that are not ours keep no label and no claim, as no plan reads them.
 */
struct pod_fact *pod_fact_new(const struct json *pod);
/* A shorter fact, where there is no room for all of it: with few labels and claims. */
struct pod_fact *pod_fact_in_short(const struct json *pod);

/*
 * Since when what the new version says is so, by what was known before (old, which may be
 * NULL or of another pod). mark: an annotation whose time is kept; NULL: none.
 */
void pod_fact_times(struct pod_fact *now, const struct pod_fact *old, const char *mark,
	int64_t now_ms);

#endif
