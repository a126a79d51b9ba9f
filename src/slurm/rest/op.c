/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: begin, wait for the version, send, begin again, end. */
#include <assert.h>
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "slurm/rest/parts.h"

void op_cancel(struct slurm_op *op)
{
	http_cancel(op->slurm->http, TAKE(op->call));
	timer_stop(op->slurm->loop, TAKE(op->timer));
	if (op->kind->stop)
		op->kind->stop(op);
}

static void end_later(void *ctx)
{
	struct slurm_op *op = ctx;
	assert(!op->call);
	op->timer = NULL;
	op->kind->end(op, op->verdict);
}

static void fail_later(struct slurm_op *op, struct verdict v)
{
	op->verdict = v;
	op->timer = timer_start(op->slurm->loop, 0, end_later, op);
}

/* A header cannot hold every character: a line end would begin another header. */
static struct err check_token(const struct slurm *s)
{
	size_t n = 0;
	while (s->token[n] > ' ' && s->token[n] < 127)
		n++;
	if (s->token[n])
		return err_new(ERR_DENIED,
			"the Slurm token has an invalid character at position %zu (often a line end after the token); store the token without it",
			n + 1);
	return n ? OK
		 : err_new(ERR_DENIED,
			   "the Slurm token is empty; store a token from \"scontrol token\"");
}

/* Fails unless the newest reported cluster name is the expected name. */
static struct err check_expected(const struct slurm *s)
{
	if (!s->expected_cluster)
		return OK;
	if (!s->told)
		return err_new(ERR_RETRY, "no answer has named the Slurm cluster yet");
	return answer_cluster_check(s);
}

/* The negotiation has ended: starts the waiting operations, or fails them. */
static void version_known(struct slurm *s, struct verdict v);

static bool too_late(const struct slurm_op *op)
{
	const struct slurm *s = op->slurm;
	return op->kind->writes && s->until_ms && loop_now_ms(s->loop) >= *s->until_ms;
}

void op_start(struct slurm_op *op)
{
	struct slurm *s = op->slurm;
	struct err e = check_token(s), who = op->kind->writes ? check_expected(s) : OK;
	op->version = NULL;
	if (too_late(op)) {
		fail_later(op,
			verdict_new(SLURM_UP,
				err_new(ERR_RETRY,
					"the time limit for sending the request has passed")));
	} else if (failed(e)) {
		fail_later(op, verdict_new(SLURM_DENIED, e));
	} else if (s->version && failed(who)) {
		fail_later(op, verdict_new(SLURM_OTHER_CLUSTER, who));
	} else if (s->version) {
		op->version = s->version;
		op->kind->start(op);
		assert(s->ops); /* no operation ends within the call that began it */
	} else if (!s->asking) {
		negotiate(s, version_known);
	}
}

static void version_known(struct slurm *s, struct verdict v)
{
	struct slurm_op *op;
	DL_FOREACH(s->ops, op)
	{
		if (op->version || op->timer)
			continue;
		if (failed(v.err))
			fail_later(op, v);
		else
			op_start(op);
	}
}

static void enter(struct slurm *s, struct slurm_op *op, const struct op_kind *kind)
{
	op->slurm = s;
	op->kind = kind;
	DL_APPEND(s->ops, op);
}

void op_begin(struct slurm *s, struct slurm_op *op, const struct op_kind *kind)
{
	enter(s, op, kind);
	op_start(op);
}

void op_begin_failed(struct slurm *s, struct slurm_op *op, const struct op_kind *kind,
	struct err err)
{
	enter(s, op, kind);
	fail_later(op, verdict_new(SLURM_UP, err));
}

void op_leave(struct slurm_op *op) { DL_DELETE(op->slurm->ops, op); }

void op_restart(struct slurm_op *op, struct verdict why)
{
	struct slurm *s = op->slurm;
	op_cancel(op);
	if (op->renegotiated) {
		fail_later(op, why);
		return;
	}
	op->renegotiated = true;
	/* Another operation may have dropped the version already. */
	if (s->version && s->version == op->version) {
		s->version = NULL;
		s->told = s->known = false;
		slurm_nodes_forget(s);
	}
	if (op->kind->writes)
		fail_later(op,
			verdict_new(SLURM_UP,
				err_new(ERR_RETRY,
					"slurmrestd now serves another version of its API")));
	else
		op_start(op);
}

struct http_call *op_send(struct slurm_op *op, const struct slurm_request *r, http_done *done,
	void *ctx)
{
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "/%s/%s%s", r->database ? "slurmdb" : "slurm", op->version->name, r->path);
	return slurm_send(op->slurm, r, str_text(&path), done, ctx);
}
