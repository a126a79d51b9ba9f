/* SPDX-License-Identifier: Apache-2.0 */
/* A tool of Slurm that runs for red-box, for the two files that play them. */
#ifndef SIM_HPC_CALL_H
#define SIM_HPC_CALL_H

#include "sim/sim_hpc.h"
#include "slurm/tools/tools.h"

enum tool { SUBMIT, FIND, CANCEL, JOB, ACCOUNT, STEPS, PARTITIONS, VERSION, CONTROLLER, MARKS };

struct slurm_tools_call {
	struct slurm_tools_call *next, **self;
	struct sim_hpc *h;
	enum tool tool;
	char *script, *key;
	int64_t number, first_s, last_s;
	slurm_tools_done *done; /* NULL: the caller is gone */
	void *ctx;
	struct timer *timer, *limit;
	struct sim_rand rand;
	enum sim_fault_kind fault;
	int64_t begun_ms;
	int64_t boot_s; /* of the slurmctld that was there when it was started */
	bool busy;      /* it arrives: it is not to be freed */
	bool answered;
	struct err err;
	struct slurm_tools_told told;
	struct arena a;
};

/* Does what it was started for, and notes what it tells. */
struct err hpc_tell(struct slurm_tools_call *c);
/* slurmctld is not there: nothing was done. */
struct err hpc_away(void);

#endif
