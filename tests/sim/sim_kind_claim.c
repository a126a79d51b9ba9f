/* SPDX-License-Identifier: Apache-2.0 */
/* Claims and Events: other clients do little to them. */
#include "sim/sim_kind.h"

static void on_write(struct sim_oracle *o, const struct sim_write *w)
{
	sim_oracle_on_claim(o, w);
	sim_oracle_on_end_of_claim(o, w);
}

const struct sim_kind sim_kind_claim = { .resource = RES_PVC, .on_write = on_write };

static bool trace(const struct sim_write *w, struct str *out)
{
	str_addf(out, " %s", sim_str(w->after->root, "message"));
	return true;
}

const struct sim_kind sim_kind_event = { .resource = RES_EVENT, .trace = trace };
