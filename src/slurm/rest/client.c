/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, configures and frees a client of slurmrestd. */
#include "slurm/rest/parts.h"

#include <string.h>
#include <utlist.h>

#include "base/own.h"

struct slurm *slurm_new(struct loop *loop, struct http *http, const char *token)
{
	struct slurm *s = own_alloc(sizeof(*s));
	s->loop = loop;
	s->http = http;
	s->token = own_strdup(token ? token : "");
	return s;
}

void slurm_pays_from(struct slurm *s, struct quota *quota)
{
	s->quota = quota;
	s->jobs.quota = quota;
}

void slurm_counts(struct slurm *s, struct slurm_requests *requests) { s->requests = requests; }

void slurm_user_has(struct slurm *s, bool (*has)(void *ctx, const char *node), void *ctx)
{
	s->has = has;
	s->has_ctx = ctx;
}

void slurm_set_token(struct slurm *s, const char *token)
{
	char *old = TAKE(s->token);
	s->token = own_strdup(token ? token : "");
	if (!str_eq(s->token, old)) {
		s->tokens++;
		s->may_change = false;
	}
	own_wipe(old);
}

void slurm_renew_token(struct slurm *s, const char *token)
{
	own_wipe(s->token);
	s->token = own_strdup(token);
}

const char *slurm_cluster_name(const struct slurm *s) { return s->cluster ? s->cluster : ""; }

void slurm_expect_cluster(struct slurm *s, const char *name)
{
	free(s->expected_cluster);
	s->expected_cluster = str_empty(name) ? NULL : own_strdup(name);
}

void slurm_free(struct slurm *s)
{
	if (!s)
		return;
	struct slurm_op *op, *next;
	DL_FOREACH_SAFE(s->ops, op, next)
	{
		op_cancel(op);
		op_leave(op);
		op->kind->release(op);
	}
	http_cancel(s->http, s->asking);
	jobs_free(&s->jobs);
	free(s->queue.told);
	http_free(s->http);
	own_wipe(s->token);
	free(s->cluster);
	free(s->expected_cluster);
	free(s);
}

void slurm_may_change(struct slurm *s, const int64_t *until_ms) { s->until_ms = until_ms; }
