/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pods that bring inputs, as if a machine ran them: one may wait, fail, or fail for
 * good. They draw from a stream of their own, so that worlds without inputs stay as they
 * are.
 */
#include <stdio.h>
#include <string.h>

#include "sim/sim_bridge.h"

#define SUFFIX "-prepare"

bool bridge_is_preparer(const struct sim_version *pod)
{
	size_t n = strlen(pod->name), tail = strlen(SUFFIX);
	return n > tail && strcmp(pod->name + n - tail, SUFFIX) == 0;
}

/* A part of a SlurmJob's spec: every fourth one has inputs. */
const char *bridge_some_inputs(struct bridge *b)
{
	return sim_rand_chance(&b->inputs, 250) ? ",'prepare':{'to':'.','mount':{'name':'in','"
						  "persistentVolumeClaim':{'claimName':'c'}}}"
						: "";
}

void bridge_run_preparer(struct bridge *b, const struct sim_version *pod)
{
	char text[200], name[64];
	int64_t dice = sim_rand_range(&b->inputs, 0, 99);
	const char *phase = sim_str(sim_get(pod->root, "status"), "phase");
	if (dice < 50 || strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0)
		return;
	bool fails = dice < 70;
	snprintf(name, sizeof(name), "%s", pod->name);
	snprintf(text, sizeof(text),
		"{'status':{'phase':'%s','containerStatuses':[{'name':'pr1','state':{'terminated':{"
		"'exitCode':%d,'reason':'%s'}}}]}}",
		fails ? "Failed" : "Succeeded",
		!fails              ? 0
			: dice < 53 ? 2
				    : 1,
		fails ? "Error" : "Completed");
	sim_patch_text(&b->kube, ACTOR_KUBELET, RES_POD, BRIDGE_NS, name, "status", text);
}

/* Has it come to its end well? Only then its job may begin. */
void bridge_on_preparer(struct bridge *b, const struct sim_write *w)
{
	struct bridge_object *o = bridge_object_of(b, sim_owner_uid(w->after));
	const char *phase = sim_str(sim_get(w->after->root, "status"), "phase");
	if (o && w->actor == ACTOR_KUBELET && strcmp(phase, "Succeeded") == 0)
		o->inputs_there = true;
}
