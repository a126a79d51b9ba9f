/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether any container of a pod runs, or has ever run, as its kubelet reports. Either
 * answer may permit the deletion of a pod while Slurm does not answer (engine/removal.h),
 * so both are strict: a container that the kubelet does not report counts as running.
 */
#ifndef ENGINE_POD_POD_HALT_H
#define ENGINE_POD_POD_HALT_H

#include "base/str.h"
#include "json/json.h"

/*
 * True if no container of the pod has ever started, nor any init container: the kubelet
 * reports that each of them waits, and reports no earlier run.
 */
bool pod_unstarted(const struct json *pod);
/*
 * True if exactly one container waits for a retry: the pull of its image has just failed,
 * or it has ended and waits to be started again. All other containers have not begun, or
 * are init containers that have ended. A kubelet with its default configuration waits at
 * least 10 s before the retry (Kubernetes 1.31 to 1.34). A container for which the
 * kubelet reports a shorter back-off counts as running.
 */
bool pod_halted(const struct json *pod);
/* The time when that container ended, as the kubelet wrote it; "": it never ran. */
const char *pod_halted_end(const struct json *pod);
/*
 * The Secrets that the pod mounts and cannot start without, separated by commas. "" for a
 * pod that has started, needs no Secret, or has several containers besides init
 * containers.
 */
void pod_secrets(const struct json *pod, struct str *out);
/*
 * The ConfigMaps and Secrets that the kubelet needs to prepare the volumes of the pod, as
 * arguments of kubectl get: "configmap/a configmap/b secret/c". Whether these objects
 * exist is not checked. "" for a pod that has started, or whose kubelet does not report
 * that it still prepares the volumes and the network (condition
 * PodReadyToStartContainers, Kubernetes 1.29 and newer). Names in environment variables
 * are left out, because the kubelet itself reports which of these is missing (pod_why.h).
 */
void pod_mounts(const struct json *pod, struct str *out);

#endif
