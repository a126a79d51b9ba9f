/* From the JSON of a Pod to a struct pod_fact in one allocation. */
#ifndef ENGINE_POD_H
#define ENGINE_POD_H

#include "engine/facts.h"
#include "json/json.h"

/* The caller frees with free(). Never NULL: absent members are "" and 0. phase_seen_ms is the store's to say. */
struct pod_fact *pod_fact_new(const struct json *pod);

#endif
