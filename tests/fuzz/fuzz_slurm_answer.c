/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of a server that is not what it should be. The input: one byte for the
 * operation (its highest bit: a cluster is expected), then the answers (lib/fuzz_peer.h).
 * The negotiation's answer is good unless the operation is 0; v0.0.40, where arrays go by
 * one id, for some.
 */
#include <string.h>

#include "base/own.h"
#include "lib/fuzz_peer.h"
#include "slurm/rest/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { COMMENTS = 3 };

static int ends;

static void each_node(void *ctx, const struct slurm_node *n)
{
	(void)ctx;
	if (!n->name || !*n->name || !n->comment || !n->reason || !n->address || !n->hostname)
		abort();
	if (!n->state)
		abort();
}

static void one_node(void *ctx, struct err err, const struct slurm_node *n, int64_t asked_ms)
{
	(void)asked_ms;
	ends++;
	if (n)
		each_node(ctx, n);
	if (n && (failed(err) || strcmp(n->name, "n1") != 0))
		abort();
}

static size_t each_job(void *ctx, const struct slurm_job *j)
{
	(void)ctx;
	if (!job_state_holds(j->state) || !j->user || j->id <= 0 || j->end_s <= 0)
		abort();
	return strlen(j->nodes ? j->nodes : "");
}

static void nodes_done(void *ctx, struct err err, bool changed, int64_t asked_ms)
{
	(void)ctx;
	(void)asked_ms;
	ends++;
	if (failed(err) && changed)
		abort();
}

static void jobs_done(void *ctx, struct err err, int64_t asked_ms)
{
	(void)ctx;
	(void)err;
	(void)asked_ms;
	ends++;
}

static void ping_done(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	(void)ctx;
	ends++;
	if ((health == SLURM_UP) == failed(err) || (health == SLURM_UP && !version))
		abort();
}

static void update_done(void *ctx, struct err err)
{
	(void)ctx;
	(void)err;
	ends++;
}

static void begin(struct slurm *s, int what)
{
	static const char *const names[] = { "n1" };
	if (what == 1)
		slurm_nodes(s, each_node, nodes_done, NULL);
	else if (what == 2)
		slurm_held_jobs(s, each_job, jobs_done, NULL);
	else if (what == 3)
		slurm_update_nodes(s, SLURM_DRAIN, names, 1, "r", update_done, NULL);
	else if (what == 4)
		slurm_one_node(s, "n1", one_node, NULL);
	else if (what == 5)
		slurm_delete_node(s, "n1", update_done, NULL);
	else if (what == 6)
		for (int i = 0; i < COMMENTS; i++)
			slurm_update_nodes(s, SLURM_COMMENT, names, 1, "c", update_done, NULL);
	else
		slurm_ping(s, ping_done, NULL);
}

/* The input before the operation: the version, and whether the token may do it. */
static const char *good_answer(const char *path, bool old)
{
	if (strstr(path, "/node/slurm-operator-rights"))
		return "{\"errors\":[]}";
	if (strcmp(path, "/openapi/v3") != 0)
		return NULL;
	return old ? "{\"paths\":{\"/slurm/v0.0.40/nodes/\":{}}}"
		   : "{\"paths\":{\"/slurm/v0.0.42/nodes/\":{}}}";
}

static void run(struct fuzz_peer *p, bool own_negotiation, bool old)
{
	for (int turn = 0; turn < 64; turn++) {
		for (int i = 0; own_negotiation && i < p->http.n; i++) {
			struct http_call *c = &p->http.calls[i];
			const char *told = c->open ? good_answer(c->path, old) : NULL;
			if (told)
				fake_answer(c, 200, told);
		}
		peer_run(p, 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 2)
		return 0;
	static struct fuzz_peer p;
	peer_begin(&p, bytes + 1, n - 1);
	int what = bytes[0] % 8;
	bool old = bytes[0] & 0x40, expects = bytes[0] & 0x80;
	struct slurm *s = slurm_new(&p.loop.loop, &p.http.http, "token");
	slurm_expect_cluster(s, expects ? "lab" : NULL);
	ends = 0;
	begin(s, what);
	run(&p, what != 0, old);
	begin(s, what); /* once more with what is remembered */
	run(&p, what != 0, old);
	if (!slurm_cluster_name(s))
		abort();
	slurm_free(s);
	peer_end(&p);
	if (ends > 2 * (what == 6 ? COMMENTS : 1))
		abort();
	return 0;
}
