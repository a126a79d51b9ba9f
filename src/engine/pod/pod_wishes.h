/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requirements of a job's pod on node labels, while the scheduler finds no node for
 * it. A status uses them to explain why. Other pods keep none.
 */
#ifndef ENGINE_POD_POD_WISHES_H
#define ENGINE_POD_POD_WISHES_H

#include "base/str.h"
#include "json/json.h"

/* Limit of the text of one pod; the first requirements are kept. */
enum { WISHES_BYTES = 2000 };

/*
 * One requirement a line: "LABEL=VALUE", or "LABEL>NUMBER". An affinity whose form
 * differs from that of job_pod.h is left out, because a sentence about it would be wrong.
 */
void pod_wishes(const struct json *pod, struct str *out);

#endif
