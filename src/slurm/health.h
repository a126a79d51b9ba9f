/* SPDX-License-Identifier: Apache-2.0 */
/* The health of a Slurm cluster. */
#ifndef SLURM_HEALTH_H
#define SLURM_HEALTH_H

/* The result of a ping. */
enum slurm_health {
	SLURM_UP,
	SLURM_UNREACHABLE,
	SLURM_DENIED,
	SLURM_TLS,
	SLURM_VERSION,
	SLURM_CTLD_DOWN,
	SLURM_NOT_SLURM,
	SLURM_OTHER_CLUSTER,
};

#endif
