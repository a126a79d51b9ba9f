/* SPDX-License-Identifier: Apache-2.0 */
/* The remedy if the API server refuses a request of the webhook. */
#ifndef WEBHOOK_REMEDY_H
#define WEBHOOK_REMEDY_H

#include "base/err.h"

static inline const char *webhook_remedy(struct err e)
{
	return e.kind == ERR_DENIED && e.code == 403
		? "give the webhook the roles that \"slurm-operator rbac --webhook\" prints"
		: "";
}

#endif
