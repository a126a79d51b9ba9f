/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a request to slurmrestd, with the token. */
#include <string.h>

#include "base/own.h"
#include "slurm/rest/parts.h"

/* A request in flight: its counters, and the memory reserved for its response. */
struct sent {
	struct loop *loop;
	struct slurm_requests *requests;
	size_t route; /* of slurm_requests_route */
	int64_t began_ms;
	struct quota *quota;
	size_t bytes;
	bool (*on_body)(void *ctx, const char *bytes, size_t n);
	http_done *done;
	void *ctx;
};

static void count(const struct sent *s, const struct http_answer *answer)
{
	if (s->requests)
		slurm_requests_add(s->requests, s->route, answer ? answer->status : 0,
			loop_now_ms(s->loop) - s->began_ms);
}

static void answered(void *ctx, struct err err, const struct http_answer *answer)
{
	struct sent s = *(struct sent *)ctx;
	count(&s, failed(err) ? NULL : answer);
	free(ctx);
	quota_give(s.quota, s.bytes); /* done may free the quota */
	s.done(s.ctx, err, answer);
}

static bool piece_came(void *ctx, const char *bytes, size_t n)
{
	const struct sent *s = ctx;
	return s->on_body(s->ctx, bytes, n);
}

static void dropped(void *ctx)
{
	struct sent *s = ctx;
	quota_give(s->quota, s->bytes);
	free(s);
}

/*
 * Reserves memory for the response. Even if memory is short, a response of the usual size
 * fits.
 */
static struct sent *set_aside(struct slurm *s, const struct slurm_request *r)
{
	struct sent *sent = own_alloc(sizeof(*sent));
	size_t most = r->max_answer_bytes ? r->max_answer_bytes : SLURM_ONE_BYTES;
	bool room = !failed(quota_take(s->quota, most));
	sent->quota = s->quota;
	sent->bytes = room ? most : SLURM_LEAST_BYTES;
	if (!room)
		quota_force(s->quota, SLURM_LEAST_BYTES);
	return sent;
}

struct http_call *slurm_send(struct slurm *s, const struct slurm_request *r, const char *path,
	http_done *done, void *ctx)
{
	const char *method = r->method ? r->method : "GET";
	struct sent *sent = set_aside(s, r);
	sent->loop = s->loop;
	sent->requests = s->requests;
	sent->route = slurm_requests_route(method, path);
	sent->began_ms = loop_now_ms(s->loop);
	sent->on_body = r->on_body;
	sent->done = done;
	sent->ctx = ctx;
	struct http_header headers[3] = { { "Accept", "application/json" },
		{ "X-SLURM-USER-TOKEN", s->token } };
	size_t n_headers = 2;
	if (r->body)
		headers[n_headers++] = (struct http_header){ "Content-Type", "application/json" };
	struct http_request request = {
		.method = method,
		.path = path,
		.headers = headers,
		.n_headers = n_headers,
		.body = r->body,
		.body_bytes = r->body ? strlen(r->body) : 0,
		.timeout_ms = r->timeout_ms ? r->timeout_ms : SLURM_READ_MS,
		.max_answer_bytes = sent->bytes,
		.on_body = r->on_body ? piece_came : NULL,
		.drop = dropped,
	};
	return http_send(s->http, &request, answered, sent);
}
