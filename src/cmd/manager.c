/* SPDX-License-Identifier: Apache-2.0 */
/* The process "manager": endpoints, memory, signals, and who it is. */
#include "cmd/manager.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "cmd/options.h"
#include "cmd/self.h"
#include "engine/controller.h"
#include "engine/lead.h"
#include "kind/all.h"
#include "kube/config.h"
#include "net/server.h"

enum { IDENTITY_BYTES = 320, TRIM_MS = 30000, ENDPOINT_MS = 5000 };

static struct metric resident_gauge = { "process_resident_memory_bytes", METRIC_GAUGE,
	"Resident memory size in bytes.", "", NULL, NULL, 0 };

struct manager {
	struct loop *loop;
	struct kube_config where;
	struct kube kube, lease_kube; /* each with connections of its own */
	struct controller *controller;
	struct lead *lead;
	struct http_server *probes, *metrics;
	struct timer *trim_timer;
	int status;
};

/* ---- the end ---- */

static void on_signal(void *ctx, int signal)
{
	struct manager *m = ctx;
	(void)signal;
	log_info("ending: what is under way is finished first");
	lead_end(m->lead);
}

static void ended(void *ctx, struct err why)
{
	struct manager *m = ctx;
	m->status = failed(why);
	loop_uv_stop(m->loop);
}

/* ---- endpoints ---- */

/*
 * "" when it is. A standby is ready: it would lead if it could. Anybody may ask: what is
 * wrong and where is for the log alone, which has it.
 */
static const char *why_not_ready(const struct manager *m)
{
	if (!str_empty(controller_trouble(m->controller)))
		return "not ready: not everything is read from Kubernetes, see the log";
	if (!str_empty(lead_trouble(m->lead)))
		return "not ready: the Lease cannot be had, see the log";
	return "";
}

static void probe(void *ctx, struct exchange *x)
{
	const char *path = exchange_path(x), *trouble = "";
	struct str body = { 0 };
	int status = 200;
	if (str_eq(path, "/readyz"))
		trouble = why_not_ready(ctx);
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

static double resident_bytes(void)
{
	long total, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (!f)
		return 0;
	if (fscanf(f, "%ld %ld", &total, &resident) != 2)
		resident = 0;
	fclose(f);
	return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void metrics(void *ctx, struct exchange *x)
{
	bool known = str_eq(exchange_path(x), "/metrics");
	struct str body = { 0 };
	struct manager *m = ctx;
	if (!known) {
		str_add(&body, "not found: try /metrics\n");
	} else {
		metric_set(&resident_gauge, resident_bytes());
		controller_measure(m->controller);
		metric_render(&body);
	}
	exchange_reply(x, known ? 200 : 404, "text/plain; version=0.0.4", &body);
}

/* cert_path NULL: plain. */
static struct err listen_at(struct manager *m, const char *address, const char *cert_path,
	http_handler *handler, struct http_server **out)
{
	AUTO(str_free) struct str cert = { 0 }, key = { 0 };
	struct http_server_config config = {
		.address = address,
		.request_ms = ENDPOINT_MS,
		.handler = handler,
		.ctx = m,
	};
	if (cert_path) {
		str_addf(&cert, "%s/tls.crt", cert_path);
		str_addf(&key, "%s/tls.key", cert_path);
		config.cert_file = str_text(&cert);
		config.key_file = str_text(&key);
	}
	if (str_eq(address, "0"))
		return OK;
	struct err e = http_server_new(m->loop, &config, out);
	return failed(e) ? err_wrap(e, "listening on %s", address) : e;
}

/* ---- memory ---- */

/*
 * A burst leaves free pages between what stays: the kernel gets them back. Takes about a
 * millisecond.
 */
static void trim(void *ctx)
{
	struct manager *m = ctx;
	malloc_trim(64 * 1024);
	m->trim_timer = timer_start(m->loop, TRIM_MS, trim, m);
}

/* ---- the beginning ---- */

static struct err slurm_http(void *ctx, const struct http_config *config, struct http **out)
{
	return http_curl_new(((struct manager *)ctx)->loop, config, out);
}

/*
 * No two managers may have the same: neither by their host name nor by their pid, which
 * in containers is always 1.
 */
static void make_identity(char out[static IDENTITY_BYTES])
{
	char host[256] = "unknown";
	uint64_t random = 0;
	gethostname(host, sizeof(host) - 1);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)getpid();
	snprintf(out, IDENTITY_BYTES, "%s_%016llx", host, (unsigned long long)random);
}

static void elect(struct manager *m, const struct manager_config *config)
{
	char identity[IDENTITY_BYTES];
	struct lead_config lc = {
		.kube = &m->lease_kube,
		.loop = m->loop,
		.controller = m->controller,
		.ended = ended,
		.ctx = m,
	};
	if (config->leader_elect) {
		make_identity(identity);
		lc.ns = config->lease_namespace ? config->lease_namespace
			: m->where.ns           ? m->where.ns
						: "default";
		lc.name = LEASE_NAME;
		lc.identity = identity;
		log_info("seeking leadership", "lease", LEASE_NAME, "namespace", lc.ns, "identity",
			identity);
	} else {
		log_warn("acting without leader election: run one manager only, or --leader-elect "
			 "with each of them");
	}
	m->lead = lead_new(&lc);
}

static struct err start(struct manager *m, const struct manager_config *config)
{
	struct err e = kube_config_load(config->kubeconfig, config->context, &m->where);
	if (!failed(e))
		e = kube_config_connect(&m->where, m->loop, &m->kube.http);
	/* Whatever tenants have under way, who leads is not in one queue with it */
	if (!failed(e))
		e = kube_config_connect_beside(m->kube.http, &m->lease_kube.http);
	if (failed(e))
		return e;
	m->kube.loop = m->lease_kube.loop = m->loop;
	struct controller_config oc = {
		.kube = &m->kube,
		.loop = m->loop,
		.http_new = slurm_http,
		.http_ctx = m,
		.namespaces = (const char *const *)config->namespaces,
		.kinds = kinds_all,
		.slurm_memory_bytes = (size_t)config->slurm_memory_mib << 20,
		.servers = { .allowed = (const char *const *)config->allowed_servers,
			.require_consent = config->require_consent,
			.allow_local = config->allow_local_servers, },
	};
	m->controller = controller_new(&oc);
	e = listen_at(m, config->probe_address, NULL, probe, &m->probes);
	if (!failed(e))
		e = listen_at(m, config->metrics_address, config->metrics_cert_path, metrics,
			&m->metrics);
	return e;
}

static int run(const struct manager_config *config)
{
	struct manager m = { 0 };
	/* Bursts of large answers would otherwise stay with the process. */
	mallopt(M_ARENA_MAX, 2);
	mallopt(M_TRIM_THRESHOLD, 256 * 1024);
	m.loop = loop_uv_new();
	struct err e = start(&m, config);
	if (failed(e)) {
		fprintf(stderr, "slurm-operator: %s\n", e.text);
		m.status = 1;
	} else {
		log_info("started", "server", m.where.server, "scope",
			config->namespaces ? "namespaces" : "cluster");
		loop_uv_on_signal(m.loop, on_signal, &m);
		elect(&m, config);
		trim(&m);
		loop_uv_run(m.loop);
		log_info("ended");
	}
	timer_stop(m.loop, m.trim_timer);
	lead_free(m.lead);
	http_server_free(m.probes);
	http_server_free(m.metrics);
	controller_free(m.controller);
	http_free(m.lease_kube.http);
	http_free(m.kube.http);
	kube_config_free(&m.where);
	loop_uv_free(m.loop);
	metric_free_all();
	return m.status;
}

int manager_command(const struct options *o, struct str *print)
{
	(void)print;
	log_set_level(o->log_level);
	log_set_text(o->log_text);
	self_keep_memory();
	self_raise_descriptors();
	return run(&o->manager);
}
