/* SPDX-License-Identifier: Apache-2.0 */
/* Requests each URL in turn until it answers with 200 or its time is over. */
#include "cmd/probe.h"

#include <string.h>

#include "base/own.h"
#include "cmd/options.h"
#include "net/http.h"

enum { AGAIN_MS = 500, ANSWER_MS = 5000, DEFAULT_SECONDS = 60 };

struct probe {
	struct loop *loop;
	struct http *http;
	const char *path;
	int64_t until_ms;
	bool well;
	struct err why;
};

static void ask(void *ctx);

static void answered(void *ctx, struct err e, const struct http_answer *a)
{
	struct probe *p = ctx;
	p->well = !failed(e) && a->status == 200;
	p->why = failed(e) ? e : err_new(ERR_RETRY, "HTTP status %d", a->status);
	if (p->well || loop_now_ms(p->loop) >= p->until_ms)
		loop_uv_stop(p->loop);
	else
		timer_start(p->loop, AGAIN_MS, ask, p);
}

static void ask(void *ctx)
{
	struct probe *p = ctx;
	http_send(p->http,
		&(struct http_request){ .method = "GET", .path = p->path, .timeout_ms = ANSWER_MS },
		answered, p);
}

/* The path of "http://host:port/path"; "": none. */
static const char *path_of(const char *url)
{
	const char *host = strstr(url, "://");
	const char *path = host ? strchr(host + 3, '/') : NULL;
	return path ? path : "";
}

static bool is_well(const char *url, int64_t seconds, struct str *print)
{
	AUTO(str_free) struct str base = { 0 };
	struct probe p = { .loop = loop_uv_new(), .path = path_of(url) };
	str_addf(&base, "%.*s", (int)(strlen(url) - strlen(p.path)), url);
	if (str_empty(p.path))
		p.path = "/";
	p.until_ms = loop_now_ms(p.loop) + seconds * 1000;
	p.why = http_curl_new(p.loop,
		&(struct http_config){ .base_url = str_text(&base), .no_proxy = true }, &p.http);
	if (!failed(p.why)) {
		ask(&p);
		loop_uv_run(p.loop);
	}
	str_addf(print, "%s: %s\n", url, p.well ? "ok" : p.why.text);
	http_free(p.http);
	loop_uv_free(p.loop);
	return p.well;
}

int probe_command(const struct options *o, struct str *print)
{
	const struct probe_config *c = &o->probe;
	int64_t seconds = c->seconds ? c->seconds : DEFAULT_SECONDS;
	for (char **url = c->urls; url && *url; url++)
		if (!is_well(*url, seconds, print))
			return 1;
	return 0;
}
