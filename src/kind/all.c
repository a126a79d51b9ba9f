/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of the manager, in the order in which they are watched and stopped. */
#include "kind/all.h"

#include <stddef.h>

const struct kind *const kinds_all[] = { &kind_cluster, &kind_nodeset, &kind_slurmjob, &kind_wlmjob,
	&kind_older_slurmjob, NULL };

const struct kind *const kinds_hosted[] = { &kind_cluster, &kind_nodeset, NULL };
