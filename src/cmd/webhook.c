/* SPDX-License-Identifier: Apache-2.0 */
/* The process "webhook". */
#include "cmd/webhook.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "cmd/endpoints.h"
#include "cmd/options.h"
#include "cmd/self.h"
#include "webhook/authority.h"
#include "webhook/certificate_file.h"
#include "webhook/webhook.h"
#include "kube/config.h"
#include "kube/review.h"

enum {
	/* An API server needs one for each call in flight (HTTP/1.1) */
	CONNECTIONS = 512,
	BODIES_BYTES = 24 * 1024 * 1024,
	/* Reviews are rarely longer */
	SMALL_BODY_BYTES = 256 * 1024,
	CALL_MS = 15000,
	/* An API server closes an idle connection after 90 s; we must not close first */
	KEEP_MS = 150000,
	/* After SIGTERM: the time until API servers connect to other replicas */
	LEAVING_MS = 5000,
	/* After SIGTERM: the longest wait for API servers to close their connections */
	END_MS = 25000,
	LOOK_MS = 50,
	/* Interval of checks of a certificate of others; days to warn before its end */
	CERTIFICATE_MS = 60000,
	WARN_DAYS = 7,
	DAY_S = 86400,
};

struct webhook {
	struct loop *loop;
	struct kube_config where;
	struct kube kube; /* http NULL: no API server */
	struct neighbours *neighbours;
	struct webhook_known known;
	struct authority *authority; /* NULL: with --cert-dir */
	struct http_server *server;
	struct endpoints endpoints;
	struct timer *end_timer, *certificate_timer;
	struct str cert_file, key_file; /* of --cert-dir; "": none */
	struct err certificate;         /* the last result of its check */
	bool warned;
	int64_t ending_since_ms; /* 0: not yet */
};

/* ---- the end ---- */

/*
 * Ends when all connections are closed. A call fails if the webhook closes an idle
 * connection while an API server writes to it, because over HTTP/1.1 a POST is not
 * repeated (Go, net/http, shouldRetryRequest). After SIGTERM each answer closes its
 * connection. A connection that was idle for END_MS is hardly used at the moment of the
 * end, because an API server uses the connection with the shortest idle time.
 */
static void look_at_end(void *ctx)
{
	struct webhook *w = ctx;
	int64_t since = loop_now_ms(w->loop) - w->ending_since_ms;
	w->end_timer = NULL;
	if (since >= END_MS || (since >= LEAVING_MS && !http_server_connections(w->server)))
		loop_uv_stop(w->loop);
	else
		w->end_timer = timer_start(w->loop, LOOK_MS, look_at_end, w);
}

static void on_signal(void *ctx, int signal)
{
	struct webhook *w = ctx;
	(void)signal;
	log_info("ending: calls are answered until API servers have closed their connections");
	w->ending_since_ms = loop_now_ms(w->loop);
	http_server_finish(w->server);
	look_at_end(w);
}

static const char *why_not_ready(void *ctx)
{
	const struct webhook *w = ctx;
	if (w->ending_since_ms)
		return "not ready: ending";
	if (failed(w->certificate))
		return "not ready: no certificate that API servers accept, see the log";
	if (w->authority && !str_empty(authority_trouble(w->authority)))
		return "not ready: no certificate that API servers trust yet, see the log";
	return "";
}

/* ---- start ---- */

static void use_pair(void *ctx, const struct x509_pair *pair)
{
	struct webhook *w = ctx;
	struct err e = http_server_use_pair(w->server, pair->cert_pem, pair->key_pem);
	if (failed(e))
		log_error("the new certificate is not usable, so the former one stays in use",
			"why", e.text);
	else
		log_info("the server has a new certificate");
}

/* Logs each change. Warns in the certificate's last week, as its renewal has failed. */
static void look_at_certificate(void *ctx)
{
	struct webhook *w = ctx;
	int64_t now_s = loop_wall_ms(w->loop) / 1000, until_s;
	struct err e = certificate_file_check(str_text(&w->cert_file), now_s, &until_s);
	if (failed(e) && !str_eq(e.text, w->certificate.text))
		log_error("the webhook does not listen", "why", e.text);
	else if (!failed(e) && failed(w->certificate))
		log_info("the certificate is valid again", "file", str_text(&w->cert_file));
	else if (!failed(e) && until_s - now_s < WARN_DAYS * DAY_S && !w->warned)
		log_warn("the certificate expires within a week and was not renewed", "file",
			str_text(&w->cert_file));
	w->warned = !failed(e) && until_s - now_s < WARN_DAYS * DAY_S;
	w->certificate = e;
	w->certificate_timer = timer_start(w->loop, CERTIFICATE_MS, look_at_certificate, w);
}

static struct err open_server(struct webhook *w, const struct webhook_config *c)
{
	struct http_server_config config = {
		.address = c->address,
		.tls = true,
		.client_ca_file = c->client_ca,
		.max_body_bytes = REVIEW_BYTES,
		.max_bodies_bytes = BODIES_BYTES,
		.small_body_bytes = SMALL_BODY_BYTES,
		.max_connections = CONNECTIONS,
		.request_ms = CALL_MS,
		.keep_ms = KEEP_MS,
		.handler = webhook_handle,
		.ctx = &w->known,
	};
	if (c->cert_dir) {
		str_addf(&w->cert_file, "%s/tls.crt", c->cert_dir);
		str_addf(&w->key_file, "%s/tls.key", c->cert_dir);
		config.cert_file = str_text(&w->cert_file);
		config.key_file = str_text(&w->key_file);
	}
	struct err e = http_server_new(w->loop, &config, &w->server);
	if (failed(e))
		return err_wrap(e, "listening on %s", c->address);
	if (c->cert_dir)
		look_at_certificate(w);
	return OK;
}

static struct err open_authority(struct webhook *w, const struct webhook_config *c)
{
	const char *env = getenv("POD_NAMESPACE");
	struct authority_config ac = {
		.kube = &w->kube,
		.ns = c->ns               ? c->ns
			: !str_empty(env) ? env
					  : w->where.ns,
		.secret = c->secret,
		.service = c->service,
		.configuration = c->configuration,
		.overlap_s = c->overlap_s,
		.use = use_pair,
		.ctx = w,
	};
	if (c->cert_dir)
		return OK;
	if (str_empty(ac.ns))
		return err_new(ERR_INVALID,
			"the namespace of the webhook's Secret is unknown: set --namespace=NAME");
	w->authority = authority_new(&ac);
	return OK;
}

/* Connects to the API server, which is optional with --cert-dir. */
static struct err find_kube(struct webhook *w, const struct options *o)
{
	struct err e = kube_config_load(o->manager.kubeconfig, o->manager.context, &w->where);
	if (!failed(e))
		e = kube_config_connect(&w->where, w->loop, &w->kube.http);
	w->kube.loop = w->loop;
	w->kube.host = kube_config_host(&w->where);
	if (failed(e) && o->webhook.cert_dir) {
		log_warn("there is no API server: host names that two NodeSets give are not found",
			"why", e.text);
		return OK;
	}
	return e;
}

static struct err start(struct webhook *w, const struct options *o)
{
	struct endpoints_config ec = {
		.loop = w->loop,
		.probe_address = o->manager.probe_address,
		.metrics_address = o->manager.metrics_address,
		.metrics_cert_path = o->manager.metrics_cert_path,
		.why_not_ready = why_not_ready,
		.ctx = w,
	};
	struct err e = find_kube(w, o);
	if (failed(e))
		return e;
	if (w->kube.http)
		w->neighbours = neighbours_new(&w->kube);
	w->known.neighbours = w->neighbours;
	w->known.volumes = (const char *const *)o->manager.results_volumes;
	e = open_server(w, &o->webhook);
	if (!failed(e))
		e = open_authority(w, &o->webhook);
	return failed(e) ? e : endpoints_open(&w->endpoints, &ec);
}

static int run(const struct options *o)
{
	struct webhook w = { 0 };
	int status = 0;
	endpoints_tune_memory();
	w.loop = loop_uv_new();
	struct err e = start(&w, o);
	if (failed(e)) {
		fprintf(stderr, "slurm-operator: %s\n", e.text);
		status = 1;
	} else {
		log_info("started", "address", o->webhook.address);
		loop_uv_on_signal(w.loop, on_signal, &w);
		loop_uv_run(w.loop);
		log_info("ended");
	}
	timer_stop(w.loop, w.end_timer);
	timer_stop(w.loop, w.certificate_timer);
	str_free(&w.cert_file);
	str_free(&w.key_file);
	endpoints_close(&w.endpoints);
	authority_free(w.authority);
	http_server_free(w.server);
	neighbours_free(w.neighbours);
	http_free(w.kube.http);
	kube_config_free(&w.where);
	loop_uv_free(w.loop);
	metric_free_all();
	return status;
}

int webhook_command(const struct options *o, struct str *print)
{
	(void)print;
	self_begin(o);
	return run(o);
}
