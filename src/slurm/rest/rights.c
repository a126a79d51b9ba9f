/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether the token's user may change nodes. A user who may change nodes sees all
 * jobs. With PrivateData=jobs Slurm silently hides the jobs of others from any other
 * user: the list of states is valid, and empty (seen with 24.11.5). A hidden suspended
 * job would look like no job.
 *
 * The check runs once for each token, as an update of a node that no Slurm has. A user
 * without the right is refused first (2010); any other user gets the error that there is
 * no such node (2018; 24.11.5 and 26.05.5). The check runs again if a job that had nodes
 * is missing from the list, even as an ended job: the user may have lost the right.
 */
#include "slurm/rest/parts.h"

#include "base/own.h"

enum { NO_ACCESS = 2002, NOT_THIS_USER = 2010, UNKNOWN_NODE = 2018 };

struct http_call *rights_ask(struct slurm_op *op, http_done *done, void *ctx)
{
	struct slurm_request r = {
		.method = "POST",
		.path = "/node/slurm-operator-rights",
		.body = "{\"comment\":\"\"}",
		.timeout_ms = SLURM_READ_MS,
	};
	return op_send(op, &r, done, ctx);
}

void rights_refused(struct slurm *s, const struct err *e)
{
	if (e->kind == ERR_DENIED && (e->code == NO_ACCESS || e->code == NOT_THIS_USER))
		s->may_change = false;
}

struct err rights_told(struct slurm *s, const struct verdict *v)
{
	s->may_change = !failed(v->err) ||
		(v->err.kind == ERR_NOT_FOUND && v->err.code == UNKNOWN_NODE);
	if (s->may_change)
		return OK;
	return err_wrap(v->err, "checking whether the token's user sees the jobs of all users");
}
