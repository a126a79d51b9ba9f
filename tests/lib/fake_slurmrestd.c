/* SPDX-License-Identifier: Apache-2.0 */
/* A slurmrestd that a test plays, request by request. */
#include "lib/fake_slurmrestd.h"

enum { ANSWER_TAKES_MS = 5 };

struct fake_slurmrestd *fake_slurmrestd_new(void)
{
	struct fake_slurmrestd *f = own_alloc(sizeof(*f));
	sim_loop_init(&f->loop, SIM_LOOP_WALL_MS);
	fake_http_init(&f->http, &f->loop);
	return f;
}

void fake_slurmrestd_free(struct fake_slurmrestd *f)
{
	assert_int_equal(rest_waiting(f), 0);
	assert_int_equal(sim_loop_end(&f->loop), 0);
	assert_false(f->http.bearer); /* it would be a token of Kubernetes */
	fake_http_clear(&f->http);
	free(f);
}

struct slurm *rest_client(struct fake_slurmrestd *f)
{
	return slurm_new(&f->loop.loop, &f->http.http, FAKE_TOKEN);
}

/* ---- which request ---- */

size_t rest_waiting(struct fake_slurmrestd *f) { return (size_t)fake_count(&f->http, ""); }
struct http_call *rest_oldest(struct fake_slurmrestd *f) { return fake_open(&f->http, ""); }

static struct http_call *oldest_is(struct fake_slurmrestd *f, const char *line)
{
	AUTO(str_free) struct str asked = { 0 };
	struct http_call *c = rest_oldest(f);
	if (!c)
		fail_msg("no request waits; \"%s\" should", line);
	str_addf(&asked, "%s %s", c->method, c->path);
	if (!str_eq(str_text(&asked), line))
		fail_msg("\"%s\" waits, not \"%s\"", str_text(&asked), line);
	f->last_body = c->has_body ? c->body : NULL;
	f->last_token = c->token;
	return c;
}

/* ---- how it ends ---- */

void rest_answers(struct fake_slurmrestd *f, const char *line, int status, const char *body)
{
	AUTO(own_free) char *text = own_strdup(body); /* valid during the call only */
	struct http_answer a = {
		.status = status,
		.body = text,
		.body_bytes = strlen(text),
		.asked_ms = f->loop.now_ms - ANSWER_TAKES_MS,
		.retry_after_ms = -1,
	};
	fake_end(oldest_is(f, line), OK, &a);
}

void rest_fails(struct fake_slurmrestd *f, const char *line, struct err e)
{
	fake_end(oldest_is(f, line), e, NULL);
}

char *recorded_answer(const char *name, int *status)
{
	AUTO(str_free) struct str path = { 0 }, text = { 0 };
	char piece[4096];
	size_t n;
	str_addf(&path, "tests/unit/recorded/%s", name);
	FILE *file = fopen(str_text(&path), "re");
	if (!file)
		fail_msg("%s cannot be read; tests run in the top folder", str_text(&path));
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0)
		str_add_bytes(&text, piece, n);
	fclose(file);
	*status = atoi(str_text(&text));
	return own_strdup(strchr(str_text(&text), '\n') + 1);
}

void rest_replays(struct fake_slurmrestd *f, const char *line, const char *recorded)
{
	int status;
	AUTO(own_free) char *body = recorded_answer(recorded, &status);
	rest_answers(f, line, status, body);
}

void rest_negotiates(struct fake_slurmrestd *f)
{
	rest_replays(f, "GET /openapi/v3", "24.11/openapi");
}

void rest_grants_rights(struct fake_slurmrestd *f, const char *version)
{
	char line[80];
	snprintf(line, sizeof(line), "POST /slurm/%s/node/slurm-operator-rights", version);
	rest_replays(f, line, "24.11/v0.0.42/update-unknown-node");
}
