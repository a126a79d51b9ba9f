/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a pod whose volumes are not ready. The manager may not list ConfigMaps or
 * Secrets, so it names those that the pod mounts, and the command that shows which of
 * them does not exist. Pure.
 */
#ifndef PLAN_MOUNTS_H
#define PLAN_MOUNTS_H

#include "base/arena.h"
#include "engine/facts.h"

/* A sentence with these names; NULL: the pod does not wait for its volumes. */
const char *mounts_sentence(const struct pod_fact *p, struct arena *a);
/* For the column TROUBLE: "VolumesNotReady:configmap/a,secret/b"; NULL: no such wait. */
const char *mounts_word(const struct pod_fact *p, struct arena *a);

#endif
