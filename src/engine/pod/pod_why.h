/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a pod is not ready, in the words of the component that reports it: the kubelet for
 * a container that cannot start, the scheduler for a pod without a machine, the node
 * controller for a machine that does not answer.
 *
 * The text leaves out details that change all the time: back-off times, and the two
 * reasons between which the kubelet alternates after a failed pull. So a condition that
 * quotes the text is not written again and again.
 */
#ifndef ENGINE_POD_POD_WHY_H
#define ENGINE_POD_POD_WHY_H

#include "base/str.h"
#include "json/json.h"

/* Adds "REASON: message"; adds nothing if the pod is ready or has no reason. */
void pod_why(const struct json *pod, struct str *out);

#endif
