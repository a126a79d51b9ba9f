/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of the REST interface: any method and path has one answer, and an id only
 * where its path has one; a script and a key are taken as they are or refused; any script
 * comes back from its JSON letter by letter, and any text of Slurm makes an answer that
 * is JSON.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "json/build.h"
#include "redbox/rest/answer.h"
#include "redbox/rest/request.h"
#include "redbox/rest/rest.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void demand(bool holds)
{
	if (!holds)
		abort();
}

/* The first line is the method, the rest the path. */
static void as_request(const char *text)
{
	AUTO(str_free) struct str why = { 0 };
	const char *space = strchr(text, ' ');
	AUTO(own_free) char *method = own_strndup(text, space ? (size_t)(space - text) : 0);
	struct rest_route r;
	int status = rest_route(method, space ? space + 1 : text, &r, &why);
	bool has_id = r.what == REST_SJOB || r.what == REST_STEPS || r.what == REST_SCANCEL;
	demand(status == 200 || status == 400 || status == 404 || status == 405);
	demand((status == 200) == (why.len == 0));
	demand((status == 404) == (r.what == REST_WHATS));
	demand((status == 405) == (r.allow != NULL));
	demand((r.job_id > 0) == (status == 200 && has_id));
	demand(status != 200 || str_eq(method, r.what == REST_SBATCH ? "POST" : "GET"));
	demand(!strpbrk(str_text(&why), "\r\n"));
}

static void as_body(const char *bytes, size_t n)
{
	AUTO(own_free) char *script = NULL;
	struct err e = rest_read_script(bytes, n, &script);
	demand(failed(e) == (script == NULL));
	demand(!failed(e) || e.kind == ERR_INVALID);
	demand(!script || (*script && strlen(script) <= SUBMIT_SCRIPT_BYTES));
}

static void as_key(const char *text)
{
	AUTO(own_free) char *key = NULL;
	struct err e = rest_read_key(text, &key);
	demand(failed(e) == (key == NULL));
	demand(!key || (slurm_takes_key(key) && strstr(text, key)));
	demand(!slurm_takes_key(text) || str_eq(key, text));
}

/* j_str makes U+FFFD of bytes that are no UTF-8; all else must come back. */
static void as_script(const char *text)
{
	AUTO(arena_free) struct arena a = { 0 };
	AUTO(own_free) char *script = NULL;
	struct jdoc *d = jdoc_new(&a);
	struct jval *o = j_obj(d);
	bool utf8 = true;
	for (const char *at = text; utf8 && *at; at += str_utf8(at) ? str_utf8(at) : 1)
		utf8 = str_utf8(at);
	j_set_str(d, o, "command", text);
	const char *body = j_text(d, o);
	struct err e = rest_read_script(body, strlen(body), &script);
	demand(failed(e) == !*text);
	demand(!*text || !utf8 || str_eq(script, text));
}

static void is_json(struct str *s)
{
	struct json_doc *doc = NULL;
	demand(!failed(json_parse(str_text(s), s->len, SIZE_MAX, &doc)));
	json_free(doc);
	str_free(s);
}

static void as_slurms_text(const char *text, size_t n)
{
	struct str out = { 0 };
	int64_t number = (int64_t)n;
	memcpy(&number, text, n < sizeof(number) ? n : sizeof(number));
	const struct slurm_job_shown job = { .id = 1,
		.name = text,
		.user = text,
		.state = text,
		.exit_code = text,
		.nodes = text,
		.std_out = text,
		.run_s = number,
		.limit_s = number,
		.submit_s = number % (1 << 30),
		.start_s = SLURM_ABSENT };
	const struct slurm_step_shown step = { text, text, text, (int)n, SLURM_ABSENT, 1 };
	rest_add_job(&out, rest_job_of(&job, 1), number);
	is_json(&out);
	rest_add_steps(&out, &step, n % 2);
	is_json(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(own_free) char *text = own_strndup((const char *)bytes, n);
	as_request(text);
	as_body((const char *)bytes, n);
	as_key(text);
	as_script(text);
	as_slurms_text(text, strlen(text));
	return 0;
}
