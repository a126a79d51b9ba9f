/*
 * Answers of a server that is not what it should be. The input: one byte for the operation, one for the status, the body; the same answer is given to
 * every request, but the negotiation's, which is asked for by the operation 0 only.
 */
#include <string.h>

#include "base/own.h"
#include "slurm/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MAX_CALLS = 64 };

struct timer {
	timer_fn *fn;
	void *ctx;
};

struct http_call {
	http_done *done;
	void *ctx;
	bool openapi;
};

static struct timer *timers[MAX_CALLS];
static struct http_call *calls[MAX_CALLS];
static int ends;

static int64_t now(struct loop *l)
{
	(void)l;
	return 1000;
}

static struct timer *start(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	(void)l;
	(void)delay_ms;
	for (size_t i = 0; i < MAX_CALLS; i++)
		if (!timers[i]) {
			timers[i] = own_alloc(sizeof(struct timer));
			*timers[i] = (struct timer){ fn, ctx };
			return timers[i];
		}
	abort();
}

static void stop(struct loop *l, struct timer *t)
{
	(void)l;
	for (size_t i = 0; i < MAX_CALLS; i++)
		if (timers[i] == t)
			timers[i] = NULL;
	free(t);
}

static struct http_call *send_call(struct http *h, const struct http_request *r, http_done *done, void *ctx)
{
	(void)h;
	for (size_t i = 0; i < MAX_CALLS; i++)
		if (!calls[i]) {
			calls[i] = own_alloc(sizeof(struct http_call));
			*calls[i] = (struct http_call){ done, ctx, strcmp(r->path, "/openapi/v3") == 0 };
			return calls[i];
		}
	abort();
}

static void cancel(struct http *h, struct http_call *c)
{
	(void)h;
	for (size_t i = 0; i < MAX_CALLS; i++)
		if (calls[i] == c)
			calls[i] = NULL;
	free(c);
}

static void set_bearer(struct http *h, const char *token)
{
	(void)h;
	(void)token;
}

static void free_http(struct http *h)
{
	for (size_t i = 0; i < MAX_CALLS; i++)
		if (calls[i])
			cancel(h, calls[i]);
}

static void each_node(void *ctx, const struct slurm_node *n)
{
	(void)ctx;
	if (!n->name || !*n->name || !n->comment || !n->reason || !n->state)
		abort();
}

static void each_job(void *ctx, const struct slurm_job *j)
{
	(void)ctx;
	if (!j->nodes || !*j->nodes || j->end_s <= 0)
		abort();
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
		slurm_running_jobs(s, each_job, jobs_done, NULL);
	else if (what == 3)
		slurm_update_nodes(s, SLURM_DRAIN, names, 1, "r", update_done, NULL);
	else
		slurm_ping(s, ping_done, NULL);
}

static void answer(size_t i, const struct http_answer *a, bool own_negotiation)
{
	static const char openapi[] = "{\"paths\":{\"/slurm/v0.0.42/nodes/\":{}}}";
	struct http_answer good = { .status = 200, .body = openapi, .body_bytes = sizeof(openapi) - 1 };
	struct http_call c = *calls[i];
	free(TAKE(calls[i]));
	c.done(c.ctx, OK, c.openapi && own_negotiation ? &good : a);
}

static void run(const struct http_answer *a, bool own_negotiation)
{
	for (int turn = 0; turn < 64; turn++)
		for (size_t i = 0; i < MAX_CALLS; i++) {
			if (calls[i])
				answer(i, a, own_negotiation);
			if (timers[i]) {
				struct timer t = *timers[i];
				free(TAKE(timers[i]));
				t.fn(t.ctx);
			}
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct loop_ops loop_ops = { now, now, start, stop };
	static const struct http_ops http_ops = { send_call, cancel, set_bearer, free_http };
	static const int statuses[] = { 200, 304, 400, 401, 404, 422, 500, 502, 504, 511 };
	if (n < 2)
		return 0;
	struct loop loop = { &loop_ops };
	struct http http = { &http_ops };
	AUTO(own_free) char *body = own_strndup((const char *)bytes + 2, n - 2);
	struct http_answer a = { .status = statuses[bytes[1] % LENGTH(statuses)], .body = body, .body_bytes = strlen(body), .retry_after_ms = -1 };
	int what = bytes[0] % 4;
	struct slurm *s = slurm_new(&loop, &http, "token");
	ends = 0;
	begin(s, what);
	run(&a, what != 0);
	begin(s, what); /* once more with what is remembered */
	run(&a, what != 0);
	slurm_free(s);
	free_http(&http);
	if (ends > 2)
		abort();
	return 0;
}
