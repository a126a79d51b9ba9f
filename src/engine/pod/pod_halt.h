/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether anything of a pod runs, or has ever run, as its kubelet says. A pod may be
 * deleted because of either answer while Slurm gives none (engine/removal.h), so both are
 * strict: a container that the kubelet does not report counts as running.
 */
#ifndef ENGINE_POD_POD_HALT_H
#define ENGINE_POD_POD_HALT_H

#include "base/str.h"
#include "json/json.h"

/*
 * No container of the pod has ever started, neither an init container nor another one:
 * the kubelet reports that each of them waits, and reports no earlier container.
 */
bool pod_unstarted(const struct json *pod);
/*
 * A single container keeps the pod from running: its image has just failed to come, or it
 * has ended and waits to be started again. Every other container has not begun, or is an
 * init container that is over. A kubelet with its default configuration waits 10 s or
 * more then (Kubernetes 1.31 to 1.34); a container for which the kubelet names a shorter
 * back-off counts as running.
 */
bool pod_halted(const struct json *pod);
/* When that container ended, as the kubelet writes it; "": it never ran. */
const char *pod_halted_end(const struct json *pod);
/*
 * Secrets that it mounts and cannot start without, with commas between them; "" for one
 * that has started, needs none, or has several containers that are no init containers.
 */
void pod_secrets(const struct json *pod, struct str *out);
/*
 * ConfigMaps and Secrets without which its volumes cannot be made ready, in the words of
 * kubectl get: "configmap/a configmap/b secret/c". The list has the names that the pod
 * gives: whether they exist is not known here. "" for a pod that has started, or whose
 * kubelet does not say that the volumes and the network of the pod are still to come
 * (Kubernetes 1.29 and newer say it: PodReadyToStartContainers). Names in environment
 * variables are left out, as the kubelet itself says which of these is missing
 * (pod_why.h).
 */
void pod_mounts(const struct json *pod, struct str *out);

#endif
