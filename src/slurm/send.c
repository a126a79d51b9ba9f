/* SPDX-License-Identifier: Apache-2.0 */
/* One request to slurmrestd, with the token. */
#include <string.h>

#include "slurm/parts.h"

struct http_call *slurm_send(struct slurm *s, const struct slurm_request *r, const char *path,
	http_done *done, void *ctx)
{
	const struct http_header headers[] = {
		{ "X-SLURM-USER-TOKEN", s->token },
		{ "Accept", "application/json" },
		{ "Content-Type", "application/json" },
	};
	struct http_request request = {
		.method = r->method ? r->method : "GET",
		.path = path,
		.headers = headers,
		.n_headers = r->body ? 3 : 2,
		.body = r->body,
		.body_bytes = r->body ? strlen(r->body) : 0,
		.timeout_ms = r->timeout_ms ? r->timeout_ms : SLURM_READ_MS,
		.max_answer_bytes = r->max_answer_bytes,
	};
	return http_send(s->http, &request, done, ctx);
}
