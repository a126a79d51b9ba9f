/* SPDX-License-Identifier: Apache-2.0 */
/* The process "exporter". */
#include "cmd/exporter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/gzip.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "cmd/endpoints.h"
#include "cmd/options.h"
#include "cmd/self.h"
#include "cmd/process_metrics.h"
#include "exporter/exporter.h"
#include "exporter/scrapers.h"
#include "exporter/token.h"
#include "net/http.h"

enum { REQUESTS = 4, LEAST_CACHE_MS = 1000 };

const struct exporter_command_config exporter_usual = {
	.server = EXPORTER_SERVER,
	.cache_ms = 5000,
	.limits = { .nodes = 20000, .users = 1000, .accounts = 1000, .gres = 100 },
};

struct process {
	struct loop *loop;
	const struct options *options;
	struct http_listeners listeners;
	struct slurm *slurm;
	struct exporter_token *token; /* NULL: the environment's */
	struct scrapers *scrapers;    /* NULL: every client may scrape */
	struct exporter *exporter;
	struct endpoints endpoints;
	int status;
};

/* ---- a scrape ---- */

/* Compresses rest, and returns the compressed long part. Until that exists: no change. */
static struct http_shared *pack(struct process *p, struct exchange *x, struct http_shared *shared,
	struct str *rest)
{
	struct http_shared *packed = exporter_packed(p->exporter);
	struct str member = { 0 };
	if (!packed)
		return shared;
	gzip_add(&member, rest->text, rest->len);
	str_free(rest);
	*rest = member;
	exchange_add_header(x, "Content-Encoding", "gzip");
	exchange_add_header(x, "Vary", "Accept-Encoding");
	return packed;
}

static void refuse(struct exchange *x)
{
	struct str why = { 0 };
	str_add(&why, "metrics are for clients with the token: Authorization: Bearer TOKEN\n");
	exchange_add_header(x, "WWW-Authenticate", "Bearer");
	exchange_reply(x, 401, "text/plain", &why);
}

static void answer_scrape(void *ctx, struct exchange *x)
{
	struct process *p = ctx;
	struct str rest = { 0 };
	if (p->scrapers && !scrapers_permit(p->scrapers, exchange_header(x, "Authorization"))) {
		refuse(x);
		return;
	}
	enum exporter_format format = exporter_format_for(exchange_header(x, "Accept"));
	const struct process_facts f = process_facts();
	const struct exporter_process process = { f.resident_bytes, f.open_fds, f.max_fds };
	struct http_shared *shared = exporter_page(p->exporter, format, &process, &rest);
	if (exporter_takes_gzip(exchange_header(x, "Accept-Encoding")))
		shared = pack(p, x, shared, &rest);
	exchange_reply_shared(x, 200,
		format == EXPORTER_OPENMETRICS
			? "application/openmetrics-text; version=1.0.0; charset=utf-8"
			: "text/plain; version=0.0.4; charset=utf-8",
		shared, &rest);
}

static const char *why_not_ready(void *ctx)
{
	return exporter_trouble(((struct process *)ctx)->exporter);
}

static void on_signal(void *ctx, int signal)
{
	(void)signal;
	log_info("ending");
	loop_uv_stop(((struct process *)ctx)->loop);
}

/* ---- start ---- */

/* SLURM_JWT is the variable of exporter 0.2 and 0.3, METRICS_TOKEN that of 0.1. */
static const char *token_of_environment(void)
{
	const char *token = getenv("SLURM_JWT");
	return str_empty(token) ? getenv("METRICS_TOKEN") : token;
}

static struct err open_slurm(struct process *p)
{
	const struct exporter_command_config *c = &p->options->exporter;
	const char *token = token_of_environment();
	size_t n = strlen(c->server);
	AUTO(own_free) char *url = own_strndup(c->server, n && c->server[n - 1] == '/' ? n - 1 : n);
	p->listeners = (struct http_listeners){
		.users = { c->server_users, c->n_server_users },
		.remedy =
			"the token would be theirs: let slurmrestd listen at a unix socket (--server=unix:/PATH), or name its user with --server-user",
	};
	const struct http_config config = {
		.base_url = url,
		.listeners = &p->listeners,
		.no_proxy = true, /* a proxy would see the token */
		.max_in_flight = REQUESTS,
	};
	enum http_way way;
	struct http *http;
	if (!c->token_file && str_empty(token))
		return err_new(ERR_INVALID,
			"there is no token for slurmrestd: set SLURM_JWT to what \"scontrol token\" gives, or name a file with --slurm-token-file");
	struct err e = http_curl_look(url, &way);
	if (!failed(e))
		e = http_curl_new(p->loop, &config, &http);
	if (failed(e))
		return err_wrap(e, "--server");
	if (way == HTTP_IN_PLAIN_TEXT)
		log_warn("the token for slurmrestd can be read on the way: --server is plain http",
			"server", url);
	p->slurm = slurm_new(p->loop, http, token);
	return c->token_file ? exporter_token_new(p->loop, p->slurm, c->token_file, &p->token) : OK;
}

static struct err start(struct process *p)
{
	const struct exporter_command_config *c = &p->options->exporter;
	const struct endpoints_config ec = {
		.loop = p->loop,
		.probe_address = p->options->manager.probe_address,
		.metrics_address = p->options->manager.metrics_address,
		.metrics_cert_path = p->options->manager.metrics_cert_path,
		.why_not_ready = why_not_ready,
		.page = answer_scrape,
		.ctx = p,
	};
	if (c->cache_ms <= LEAST_CACHE_MS)
		return err_new(ERR_INVALID, "--cache-freq must be longer than 1s");
	struct err e = open_slurm(p);
	if (!failed(e) && c->scrape_token_file)
		e = scrapers_new(p->loop, c->scrape_token_file, &p->scrapers);
	if (failed(e))
		return e;
	p->exporter = exporter_new(&(struct exporter_config){
		.loop = p->loop,
		.slurm = p->slurm,
		.cache_ms = c->cache_ms,
		.per_user_names = c->per_user_names,
		.job_efficiency = c->job_efficiency,
		.limits = c->limits,
	});
	return endpoints_open(&p->endpoints, &ec);
}

static int run(const struct options *o)
{
	struct process p = { .options = o, .loop = loop_uv_new() };
	struct err e = start(&p);
	if (failed(e)) {
		fprintf(stderr, "slurm-operator: %s\n", e.text);
		p.status = 1;
	} else {
		log_info("started", "server", o->exporter.server);
		loop_uv_on_signal(p.loop, on_signal, &p);
		loop_uv_run(p.loop);
		log_info("ended");
	}
	endpoints_close(&p.endpoints);
	exporter_free(p.exporter);
	exporter_token_free(p.token);
	scrapers_free(p.scrapers);
	slurm_free(p.slurm);
	loop_uv_free(p.loop);
	metric_free_all();
	return p.status;
}

int exporter_command(const struct options *o, struct str *print)
{
	if (o->exporter.describe) {
		exporter_describe(print);
		return 0;
	}
	self_begin(o);
	endpoints_tune_memory();
	return run(o);
}
