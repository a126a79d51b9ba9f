/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requirements of a job's pod on the labels of a node, while the scheduler says that
 * there is none for it: a status is to explain that. Nothing is kept for pods that wait
 * for nothing, or are no jobs.
 */
#ifndef ENGINE_POD_POD_WISHES_H
#define ENGINE_POD_POD_WISHES_H

#include "base/str.h"
#include "json/json.h"

/* A manager has many of them: if a pod has more, the first ones count. */
enum { WISHES_BYTES = 2000 };

/*
 * A line each: "LABEL=VALUE", or "LABEL>NUMBER". An affinity of another form than
 * job_pod.h gives it is left out: a sentence about it would be wrong.
 */
void pod_wishes(const struct json *pod, struct str *out);

#endif
