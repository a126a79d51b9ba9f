/* SPDX-License-Identifier: Apache-2.0 */
/* P6: is the world what was asked for? */
#include <stdio.h>

#include "sim/sim_kind.h"

/* Every object of the kind is what was asked for; otherwise why not, in out. */
static bool kind_fits(const struct sim_oracle *o, const struct sim_kind *k, char *out, size_t cap)
{
	const struct sim_list *all = &o->kube->store.of[k->resource];
	for (size_t i = 0; k->fits && i < all->n; i++)
		if (!k->fits(o, all->at[i], out, cap))
			return false;
	return true;
}

const char *sim_oracle_converged(const struct sim_oracle *o, int64_t quiet_ms, char *out,
	size_t cap)
{
	int64_t quiet = o->kube->loop->now_ms - o->last_write_ms;
	for (const struct sim_kind *const *k = sim_kinds; *k; k++)
		if (!kind_fits(o, *k, out, cap))
			return out;
	if (o->writes == 0 || quiet >= quiet_ms)
		return NULL;
	snprintf(out, cap, "%lld ms ago the operator wrote: %s", (long long)quiet, o->last_write);
	return out;
}
