/* SPDX-License-Identifier: Apache-2.0 */
/* Tells of jobs that end because somebody else deletes their pod. */
#include "engine/loss.h"
#include "plan/nodeset/world.h"

void step_losses(struct world *w)
{
	for (size_t i = 0; i < w->n_pods && w->usable && !w->set.release_now; i++) {
		const struct pod *p = &w->pods[i];
		const char *text = p->fact->terminating ? loss_text(w->arena, p->fact, p->node)
							: NULL;
		if (text)
			order_promised_event(w, LOSS_REASON, text);
	}
}
