/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a pod is not ready, in the words of those who know: the kubelet about a container
 * that cannot start, the scheduler about a pod without a machine, the node controller
 * about a machine that is silent.
 *
 * The text leaves out all that changes by itself while nothing happens: back-off times,
 * and the two names by which the kubelet calls a failed pull in turn. So a condition that
 * quotes it is not written again and again.
 */
#ifndef ENGINE_POD_POD_WHY_H
#define ENGINE_POD_POD_WHY_H

#include "base/str.h"
#include "json/json.h"

/* "REASON: message"; nothing is added when no reason is given, or when it is ready. */
void pod_why(const struct json *pod, struct str *out);

#endif
