/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of Clusters. */
#ifndef KIND_CLUSTER_METRICS_H
#define KIND_CLUSTER_METRICS_H

#include "engine/kind.h"

/* Sets the metrics of all Clusters. Deleted Clusters have no series. */
void cluster_measure(const struct measuring *m);

#endif
