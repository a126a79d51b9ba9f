/* SPDX-License-Identifier: Apache-2.0 */
/* Reports jobs that end because another client deletes their pod. */
#include "engine/loss.h"
#include "plan/nodeset/worksheet.h"
#include "slurm/state.h"

/*
 * A job may have begun since the newest answer, which is up to 10 s old at rest. On a
 * drained node no job can begin, so pods that the operator deletes need no request.
 */
static void ask(struct worksheet *w, const struct pod *p)
{
	const struct slurm_node_fact *node = p->node;
	bool tells = node->known != YES || node->seen_ms >= p->fact->ending_seen_ms;
	if (tells || node_state_drained(node->state) || p->phase != POD_RUNNING)
		return;
	plan_look(w->out, p->slurm_name);
	plan_need(w->out, SLURM_SOON);
}

void step_losses(struct worksheet *w)
{
	for (size_t i = 0; i < w->n_pods && w->usable && !w->set.release_now; i++) {
		const struct pod *p = &w->pods[i];
		const char *text = p->terminating ? loss_text(w->arena, p->fact, p->node) : NULL;
		if (p->terminating && !text)
			ask(w, p);
		if (text)
			order_warning(w, LOSS_REASON, text)->promised = true;
	}
}
