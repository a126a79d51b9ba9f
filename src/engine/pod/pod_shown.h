/* SPDX-License-Identifier: Apache-2.0 */
/* The state of its Slurm node that a pod shows: conditions, a label, an annotation. */
#ifndef ENGINE_POD_POD_SHOWN_H
#define ENGINE_POD_POD_SHOWN_H

#include "engine/facts.h"
#include "json/json.h"

/* Reads conditions, labels and annotations of a Pod. */
struct shown_fact pod_shown(const struct json *pod);

#endif
