/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of kinds. Their order is that in which the acts of users are drawn. */
#include "sim/sim_kind.h"

const struct sim_kind *const sim_kinds[] = {
	&sim_kind_nodeset,
	&sim_kind_pod,
	&sim_kind_any,
	&sim_kind_slurm,
	&sim_kind_machine,
	&sim_kind_secret,
	&sim_kind_cluster,
	&sim_kind_claim,
	&sim_kind_event,
	&sim_kind_lease,
	NULL,
};

const struct sim_kind *sim_kind_of(enum resource r)
{
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if ((*k)->resource == r)
			return *k;
	return NULL;
}
