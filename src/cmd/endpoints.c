/* SPDX-License-Identifier: Apache-2.0 */
/* Serves probes and metrics, with TLS if configured, and returns free memory. */
#include "cmd/endpoints.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "cmd/process_metrics.h"

enum { TRIM_MS = 30000, ENDPOINT_MS = 5000 };

static void probe(void *ctx, struct exchange *x)
{
	const struct endpoints *e = ctx;
	const char *path = exchange_path(x), *trouble = "";
	struct str body = { 0 };
	int status = 200;
	if (str_eq(path, "/readyz"))
		trouble = e->config.why_not_ready(e->config.ctx);
	else if (!str_eq(path, "/healthz") && !str_eq(path, "/livez"))
		status = 404;
	if (!str_empty(trouble))
		status = 503;
	str_add(&body,
		status == 404           ? "not found: try /healthz or /readyz\n"
			: status == 503 ? trouble
					: "ok");
	exchange_reply(x, status, "text/plain", &body);
}

static void metrics(void *ctx, struct exchange *x)
{
	const struct endpoints *e = ctx;
	bool known = str_eq(exchange_path(x), "/metrics");
	struct str body = { 0 };
	if (known && e->config.page) {
		e->config.page(e->config.ctx, x);
		return;
	}
	if (!known) {
		str_add(&body, "not found: try /metrics\n");
	} else {
		process_measure();
		if (e->config.measure)
			e->config.measure(e->config.ctx);
		metric_render(&body);
	}
	exchange_reply(x, known ? 200 : 404, "text/plain; version=0.0.4", &body);
}

/* cert_path NULL: without TLS. */
static struct err listen_at(struct endpoints *e, const char *address, const char *cert_path,
	http_handler *handler, struct http_server **out)
{
	AUTO(str_free) struct str cert = { 0 }, key = { 0 };
	struct http_server_config config = {
		.address = address,
		.request_ms = ENDPOINT_MS,
		.handler = handler,
		.ctx = e,
	};
	if (cert_path) {
		str_addf(&cert, "%s/tls.crt", cert_path);
		str_addf(&key, "%s/tls.key", cert_path);
		config.cert_file = str_text(&cert);
		config.key_file = str_text(&key);
	}
	if (str_eq(address, "0"))
		return OK;
	struct err why = http_server_new(e->config.loop, &config, out);
	return failed(why) ? err_wrap(why, "listening on %s", address) : why;
}

/* ---- memory ---- */

void endpoints_tune_memory(void)
{
	mallopt(M_ARENA_MAX, 2);
	mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

/*
 * Returns free pages to the kernel, which a burst leaves between pages in use. This takes
 * about a millisecond.
 */
static void trim(void *ctx)
{
	struct endpoints *e = ctx;
	malloc_trim(64 * 1024);
	e->trim_timer = timer_start(e->config.loop, TRIM_MS, trim, e);
}

/* ---- opening and closing ---- */

struct err endpoints_open(struct endpoints *e, const struct endpoints_config *config)
{
	e->config = *config;
	e->trim_timer = timer_start(config->loop, TRIM_MS, trim, e);
	struct err why = listen_at(e, config->probe_address, NULL, probe, &e->probes);
	if (failed(why))
		return why;
	return listen_at(e, config->metrics_address, config->metrics_cert_path, metrics,
		&e->metrics);
}

void endpoints_close(struct endpoints *e)
{
	if (e->trim_timer)
		timer_stop(e->config.loop, e->trim_timer);
	http_server_free(e->probes);
	http_server_free(e->metrics);
}
