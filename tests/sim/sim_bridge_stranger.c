/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another client of red-box, which gives the key of a SlurmJob to a job of its own.
 * red-box never reports the job of that SlurmJob to it, and submits none with that key.
 *
 * Slurm refuses its script, so that a call that comes while the key has no job leaves no
 * trace: red-box may know less than it has noted only where its journal was lost, and
 * then the stranger makes no call.
 */
#include "sim/sim_bridge.h"
#include "wlm/client.h"

enum { STRANGER_MS = 60000 };

static void told(void *ctx, struct err e, const struct wlm_answer *answer)
{
	struct bridge *b = ctx;
	b->stranger = NULL;
	if (!failed(e))
		bridge_break(b, "P5", "job %lld of a SlurmJob is told as that of another script",
			(long long)answer->job_id);
	bridge_note(b, "a stranger is told: %s", e.text);
}

/* Some SlurmJob with a job that Slurm has not lost. */
static const struct bridge_object *some_with_job(struct bridge *b)
{
	for (size_t i = 0, at = (size_t)sim_rand_range(&b->rand, 0, BRIDGE_OBJECTS - 1);
		i < b->n_objects; i++) {
		const struct bridge_object *o = &b->objects[(at + i) % b->n_objects];
		if (sim_hpc_of(&b->hpc, o->uid))
			return o;
	}
	return NULL;
}

void bridge_stranger_calls(struct bridge *b)
{
	const struct bridge_object *o = some_with_job(b);
	const struct wlm_caller by = {
		.client = sim_link_client(&b->link),
		.timeout_ms = STRANGER_MS,
		.done = told,
		.ctx = b,
	};
	if (!o || b->stranger || b->journal_lost)
		return;
	bridge_note(b, "a stranger submits with the key of %s", o->name);
	b->stranger = wlm_submit(&by, "#!/bin/sh\nrefuse the stranger\n", "debug", o->uid, 0);
}

void bridge_stranger_end(struct bridge *b)
{
	if (b->stranger)
		wlm_call_cancel(b->stranger);
	b->stranger = NULL;
}
