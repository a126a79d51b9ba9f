/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether Slurm is usable. ping/ reports whether slurmctld answers, but accepts
 * any token (and reports "DOWN" for a bad one). So a second request checks the token: it
 * reads the nodes that have changed since the year 2096. slurmctld checks the user and
 * answers 304 with an empty body, in 2 ms.
 */
#include "slurm/rest/parts.h"

#include "base/own.h"

#define FAR_FUTURE_S INT64_C(4000000000)

/*
 * slurmrestd itself waits up to 10 s for a slurmctld that hangs, and 9 s for one that is
 * down.
 */
enum { PING_MS = 15000, SAID_DOWN_MS = 3000 };

struct ping {
	struct slurm_op op; /* first */
	slurm_ping_done *done;
	void *ctx;
	bool up;
};

static void ping_release(struct slurm_op *op) { free(op); }

static void ping_end(struct slurm_op *op, struct verdict v)
{
	struct ping p = *(struct ping *)op;
	const struct slurm_version *version = op->slurm->version;
	op_leave(op);
	ping_release(op);
	if (failed(v.err) && v.health == SLURM_UP)
		v.health = SLURM_CTLD_DOWN;
	p.done(p.ctx, v.health, v.err, version ? version->name : NULL);
}

static struct verdict ctld_down(void)
{
	return verdict_new(SLURM_CTLD_DOWN,
		err_new(ERR_RETRY, "slurmrestd answers but slurmctld does not"));
}

static void token_checked(void *ctx, struct err err, const struct http_answer *answer)
{
	struct ping *p = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(p->op.slurm, err, answer, false, &doc);
	p->op.call = NULL;
	p->op.slurm->silent = !p->up && failed(err);
	if (v.other_version)
		op_restart(&p->op, v);
	else if (p->op.slurm->silent)
		ping_end(&p->op, ctld_down());
	else
		ping_end(&p->op, v);
}

/*
 * ping reports "DOWN" for a refused token, too. So after "DOWN" the check of the token
 * has a short timeout the first time. Later checks have the full timeout, because a busy
 * slurmctld refuses a token late.
 */
static void check_token_of(struct ping *p)
{
	bool soon = !p->up && !p->op.slurm->silent;
	AUTO(str_free) struct str path = { 0 };
	str_addf(&path, "/nodes/?update_time=%s%" PRId64, p->op.version->time_prefix, FAR_FUTURE_S);
	struct slurm_request r = {
		.path = str_text(&path),
		.timeout_ms = soon ? SAID_DOWN_MS : PING_MS,
	};
	p->op.call = op_send(&p->op, &r, token_checked, p);
}

/*
 * v0.0.45 has no "pinged"; v0.0.40 and v0.0.41 have no "responding". A single controller
 * that answers is enough.
 */
static bool says_up(const struct json *pings)
{
	for (struct json_iter it = json_iter(pings); json_next(&it);)
		if (json_bool(json_get(it.value, "responding"), false) ||
			str_eq(json_str(json_get(it.value, "pinged"), NULL), "UP"))
			return true;
	return false;
}

static void pinged(void *ctx, struct err err, const struct http_answer *answer)
{
	struct ping *p = ctx;
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct verdict v = answer_judge(p->op.slurm, err, answer, false, &doc);
	const struct json *pings = json_get(json_root(doc), "pings");
	p->op.call = NULL;
	if (v.other_version) {
		op_restart(&p->op, v);
	} else if (failed(v.err)) {
		ping_end(&p->op, v);
	} else if (!json_is_arr(pings)) {
		ping_end(&p->op,
			verdict_new(SLURM_NOT_SLURM,
				err_new(ERR_INVALID,
					"the server is not a slurmrestd: its answer to ping has no list \"pings\"")));
	} else {
		p->up = says_up(pings);
		check_token_of(p);
	}
}

static void ping_start(struct slurm_op *op)
{
	struct slurm_request r = { .path = "/ping/", .timeout_ms = PING_MS };
	op->call = op_send(op, &r, pinged, op);
}

void slurm_ping(struct slurm *s, slurm_ping_done *done, void *ctx)
{
	static const struct op_kind kind = {
		.start = ping_start,
		.end = ping_end,
		.release = ping_release,
	};
	struct ping *p = own_alloc(sizeof(*p));
	p->done = done;
	p->ctx = ctx;
	op_begin(s, &p->op, &kind);
}
