/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of NodeSets. */
#ifndef KIND_NODESET_METRICS_H
#define KIND_NODESET_METRICS_H

#include "engine/kind.h"

/* Sets the metrics of all NodeSets. Deleted NodeSets have no series. */
void nodeset_measure(const struct measuring *m);

#endif
