/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that tests send to the simulated API server by hand. */
#include "sim/sim_ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

struct waiting {
	struct answer *out;
	bool done;
};

static void on_done(void *ctx, struct err err, const struct http_answer *answer)
{
	struct waiting *w = ctx;
	w->done = true;
	w->out->err = err;
	if (!answer)
		return;
	w->out->status = answer->status;
	w->out->asked_ms = answer->asked_ms;
	w->out->retry_after_ms = answer->retry_after_ms;
	w->out->body = own_strndup(answer->body, answer->body_bytes);
}

struct answer sim_ask(struct world *w, struct http *h, const char *method, const char *path,
	const char *content_type, const char *token, const char *body)
{
	struct answer out = { 0 };
	struct waiting waiting = { .out = &out };
	AUTO(own_free) char *json = body ? sim_quotes(body) : NULL;
	bool patch = strcmp(method, "PATCH") == 0;
	struct http_header headers[2] = { { "Content-Type",
						  content_type    ? content_type
							  : patch ? "application/merge-patch+json"
								  : "application/json" },
		{ "X-SLURM-USER-TOKEN", token } };
	struct http_request r = {
		.method = method,
		.path = path,
		.headers = headers,
		.n_headers = token ? 2 : 1,
		.body = json,
		.body_bytes = json ? strlen(json) : 0,
	};
	http_send(h, &r, on_done, &waiting);
	while (!waiting.done && world_step(w))
		;
	if (!out.body)
		out.body = own_strdup("");
	out.doc = yyjson_read(out.body, strlen(out.body), 0);
	out.root = yyjson_doc_get_root(out.doc);
	return out;
}

void answer_free(struct answer *a)
{
	yyjson_doc_free(a->doc);
	free(a->body);
	*a = (struct answer){ 0 };
}

static bool on_data(void *ctx, const char *bytes, size_t n)
{
	struct listener *l = ctx;
	str_add_bytes(&l->text, bytes, n);
	return ++l->pieces != l->stop_after;
}

static void on_end(void *ctx, struct err err, const struct http_answer *answer)
{
	struct listener *l = ctx;
	l->done = true;
	l->err = err;
	l->status = answer ? answer->status : 0;
}

struct http_call *sim_stream_open(struct listener *l, struct http *h, const char *path)
{
	struct http_request r = { .method = "GET", .path = path, .on_data = on_data };
	return http_send(h, &r, on_end, l);
}

size_t sim_lines_with(const struct listener *l, const char *part)
{
	size_t n = 0;
	for (const char *at = str_text(&l->text); *at;) {
		size_t len = strcspn(at, "\n");
		n += memmem(at, len, part, strlen(part)) != NULL;
		at += len + (at[len] == '\n');
	}
	return n;
}
