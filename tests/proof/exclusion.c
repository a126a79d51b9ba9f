/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock between a deletion that arrives late and a drain that is lifted meanwhile,
 * perhaps by another life of the operator: for one version of a pod, never both are sent,
 * whatever Slurm said at either time. So the version has changed in between, and the late
 * deletion fails on its resourceVersion. Holds for every value of every fact; there is no
 * loop and no bound.
 *
 * MUTATE_n: the same with one half of the lock left out. Each must be refuted.
 */
#include "engine/removal.h"
#include "plan/nodeset/undrain.h"

int main(void)
{
	/* The facts of one version of a pod. */
	enum pod_phase phase;
	bool cordoned, pod_ready;
	__CPROVER_assume(phase >= POD_EMPTY && phase <= POD_PHASE_UNKNOWN);
	__CPROVER_assume((cordoned == 0 || cordoned == 1) && (pod_ready == 0 || pod_ready == 1) &&
		(!pod_ready || phase == POD_RUNNING));

	/* Everything else differs from one time to the other. */
	struct removal_facts going;
	struct undrain_facts coming;
	going.phase = phase;
	going.cordoned = coming.cordoned = cordoned;
	coming.pod_ready = pod_ready;
#if defined(MUTATE_1) /* deletions without a cordon */
	going.cordoned = true;
#elif defined(MUTATE_2) /* drains lifted beside a cordon */
	coming.cordoned = false;
#elif defined(MUTATE_3) /* drains lifted before the pod runs */
	coming.pod_ready = true;
#endif
	enum undrain lift = decide_undrain(&coming);
	__CPROVER_assert(!removal_relies_on_slurm(decide_removal(&going)) ||
			(lift != UNDRAIN_SEND && lift != UNDRAIN_RESUME),
		"never both for one version of a pod");
	return 0;
}
