/* SPDX-License-Identifier: Apache-2.0 */
/* The process "manager": endpoints, memory, signals and identity. */
#include "cmd/manager.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "base/str.h"
#include "cmd/endpoints.h"
#include "cmd/identity.h"
#include "cmd/options.h"
#include "cmd/self.h"
#include "engine/controller.h"
#include "engine/lead.h"
#include "kind/all.h"
#include "kube/config.h"

struct manager {
	struct loop *loop;
	struct kube_config where;
	struct kube kube, lease_kube; /* each with its own connections */
	struct controller *controller;
	struct lead *lead;
	struct endpoints endpoints;
	struct job_options results;
	int status;
};

/* ---- the end ---- */

static void on_signal(void *ctx, int signal)
{
	struct manager *m = ctx;
	(void)signal;
	log_info("ending: actions in flight are finished first");
	lead_end(m->lead);
}

static void ended(void *ctx, struct err why)
{
	struct manager *m = ctx;
	m->status = failed(why);
	loop_uv_stop(m->loop);
}

/* ---- endpoints ---- */

/* A standby is ready too, because it can take over the Lease. */
static const char *why_not_ready(void *ctx)
{
	const struct manager *m = ctx;
	if (!str_empty(controller_trouble(m->controller)))
		return "not ready: not everything is read from Kubernetes, see the log";
	if (!str_empty(lead_trouble(m->lead)))
		return "not ready: the Lease cannot be read or written, see the log";
	return "";
}

static void measure(void *ctx) { controller_measure(((struct manager *)ctx)->controller); }

/* ---- start ---- */

static struct err slurm_http(void *ctx, const struct http_config *config, struct http **out)
{
	return http_curl_new(((struct manager *)ctx)->loop, config, out);
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
		log_warn(
			"acting without leader election: run only one manager, or set --leader-elect on each of them");
	}
	m->lead = lead_new(&lc);
}

/* The variable has the name that the virtual nodes of wlm-operator use. */
static struct job_options results_options(const struct manager_config *config)
{
	struct job_options o = config->results;
	const char *image = o.image ? o.image : getenv("RESULTS_IMAGE");
	o.image = str_empty(image) ? NULL : image;
	if (config->results_volumes)
		o.volumes = (const char *const *)config->results_volumes;
	return o;
}

static struct err start(struct manager *m, const struct manager_config *config)
{
	struct err e = kube_config_load(config->kubeconfig, config->context, &m->where);
	if (!failed(e))
		e = kube_config_connect(&m->where, m->loop, &m->kube.http);
	/*
	 * The Lease has its own connection, because requests for tenants must not delay
	 * it
	 */
	if (!failed(e))
		e = kube_config_connect_beside(m->kube.http, &m->lease_kube.http);
	if (failed(e))
		return e;
	m->kube.loop = m->lease_kube.loop = m->loop;
	m->kube.host = m->lease_kube.host = kube_config_host(&m->where);
	m->results = results_options(config);
	struct controller_config oc = {
		.kube = &m->kube,
		.loop = m->loop,
		.http_new = slurm_http,
		.http_ctx = m,
		.namespaces = (const char *const *)config->namespaces,
		.kinds = config->jobs ? kinds_all : kinds_hosted,
		.slurm_memory_bytes = (size_t)config->slurm_memory_mib << 20,
		.objects_memory_bytes = (size_t)config->objects_memory_mib << 20,
		.measured_objects = (size_t)config->measured_objects,
		.jobs = &m->results,
		.servers = { .allowed = (const char *const *)config->allowed_servers,
			.require_consent = config->require_consent,
			.allow_local = config->allow_local_servers, },
	};
	m->controller = controller_new(&oc);
	struct endpoints_config ec = {
		.loop = m->loop,
		.probe_address = config->probe_address,
		.metrics_address = config->metrics_address,
		.metrics_cert_path = config->metrics_cert_path,
		.why_not_ready = why_not_ready,
		.measure = measure,
		.ctx = m,
	};
	return endpoints_open(&m->endpoints, &ec);
}

static int run(const struct manager_config *config)
{
	struct manager m = { 0 };
	endpoints_tune_memory();
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
		loop_uv_run(m.loop);
		log_info("ended");
	}
	lead_free(m.lead);
	endpoints_close(&m.endpoints);
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
	self_begin(o);
	return run(&o->manager);
}
