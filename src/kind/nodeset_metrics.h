/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of NodeSets and Clusters, as their objects say. */
#ifndef KIND_NODESET_METRICS_H
#define KIND_NODESET_METRICS_H

#include "engine/store.h"

/* Sets them for all NodeSets, for all Clusters; those that are gone have none. */
void nodeset_measure(const struct store *store);
void cluster_measure(const struct store *store);

#endif
