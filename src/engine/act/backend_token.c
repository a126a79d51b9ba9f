/* SPDX-License-Identifier: Apache-2.0 */
/* The backend to Secrets of other owners: the planned object's link makes the token. */
#include "engine/act/executor_parts.h"

static void told(void *ctx, struct err err) { sent_action_end(ctx, err); }

int64_t backend_token(struct executor *x, const struct delivery *d)
{
	const struct guard *g = &d->action->guard;
	struct slurm_link *link = link_for(x, d->about->ns, d->about->name);
	if (link)
		slurm_link_write_token(link, d->action->name, g->uid, g->resource_version, told,
			sent_action_new(x, d));
	return 0;
}
