/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the pod of a job asks of the labels of a node, as long as the scheduler says that
 * there is none for it: what a status is to explain. Of pods that wait for nothing, or
 * are no jobs, nothing is kept.
 */
#ifndef ENGINE_POD_WISHES_H
#define ENGINE_POD_WISHES_H

#include "base/str.h"
#include "json/json.h"

/* A manager has many of them: of a pod with more, what comes first counts. */
enum { WISHES_BYTES = 2000 };

/*
 * A line each: "LABEL=VALUE", or "LABEL>NUMBER". Nothing of an affinity of another form
 * than job_pod.h gives it: what is said of it would be wrong.
 */
void pod_wishes(const struct json *pod, struct str *out);

#endif
