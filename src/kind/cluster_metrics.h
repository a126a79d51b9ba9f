/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of Clusters. */
#ifndef KIND_CLUSTER_METRICS_H
#define KIND_CLUSTER_METRICS_H

#include "engine/kind.h"

/* Sets them for all Clusters; those that are gone have none. */
void cluster_measure(const struct measuring *m);

#endif
