/* SPDX-License-Identifier: Apache-2.0 */
/* The product's own judgement of what sbatch prints (slurm/tools/tools_why.c). */
#include "slurm/tools/tools_parts.h"
#include "sim/sim_hpc_parts.h"

struct err hpc_why(const char *errors)
{
	static const struct question sbatch = { .tool = TOOL_SBATCH, .writes = true };
	const struct slurm_tools_call call = { .question = &sbatch };
	const struct process_end end = { .code = 1, .output = "", .errors = errors };
	return tools_why(&call, OK, &end);
}
