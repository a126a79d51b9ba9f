/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the kubelet API: authorizes each request, and answers it by its path. */
#include "kubelet/kubelet.h"

#include <string.h>
#include <sys/utsname.h>
#include <utlist.h>

#include "base/own.h"
#include "json/build.h"
#include "kubelet/cache.h"
#include "kubelet/parts.h"
#include "kubelet/tasks.h"
#include "kubelet/transfer/request.h"
#include "plan/results/inputs.h"

enum {
	CONNECTIONS = 256,
	BODY_BYTES = INPUTS_PIECE_BYTES, /* a piece of inputs; read after authorization */
	BODIES_BYTES = 32 * BODY_BYTES,
	/* An API server closes idle connections after 90 s, and must close them first */
	KEEP_MS = 150000,
	/* A reader in a pager may not read for a while */
	STREAM_MS = 3600000,
	PARTS = 3, /* segments of a path; further segments are ignored */
	DAY_S = 86400,
	PAIR_DAYS = 3650,
	PATIENCE_MS = 15000,
};

/* A request that waits for authorization. */
struct api_request {
	struct api_request *prev, *next; /* utlist */
	struct kubelet *k;
	struct exchange *x;
	struct gate_ask *ask;
	const struct route *route;
	char *parts[PARTS];           /* segments of the path after the route; "" when absent */
	const struct gate_answer *by; /* set while the request is answered */
};

/* ---- answers ---- */

static void answer_health(struct api_request *v) { kubelet_say(v->x, 200, "ok"); }

static void answer_pods(struct api_request *v)
{
	struct str body = { 0 };
	kubelet_add_pods(v->k, str_has_prefix(exchange_path(v->x), "/running"), &body);
	exchange_reply(v->x, 200, "application/json", &body);
}

static void answer_summary(struct api_request *v)
{
	struct str body = { 0 };
	kubelet_add_summary(v->k, &body);
	exchange_reply(v->x, 200, "application/json", &body);
}

static void answer_metrics(struct api_request *v)
{
	struct str body = { 0 };
	kubelet_add_metrics(v->k, &body);
	exchange_reply(v->x, 200, "text/plain; version=0.0.4", &body);
}

static bool find(const struct api_request *v, struct kubelet_pod *out)
{
	const struct kubelet_config *c = &v->k->config;
	return *v->parts[1] && c->find(c->ctx, v->parts[0], v->parts[1], out);
}

/*
 * For exec and attach the API server expects a Status object, and accepts YAML, too. It
 * would read a plain sentence with a colon as a Status without a message ("unknown
 * error").
 */
static void say_status(struct exchange *x, int status, const char *sentence)
{
	AUTO(arena_free) struct arena arena = { 0 };
	struct jdoc *d = jdoc_new(&arena);
	struct jval *o = j_obj(d);
	struct str body = { 0 };
	j_set_str(d, o, "kind", "Status");
	j_set_str(d, o, "apiVersion", "v1");
	j_set_str(d, o, "status", "Failure");
	j_set_str(d, o, "message", sentence);
	j_set_int(d, o, "code", status);
	str_addf(&body, "%s\n", j_text(d, o));
	exchange_reply(x, status, "application/json", &body);
}

/* No process runs in the pod: its job runs on machines of the Slurm cluster. */
static void refuse_entry(struct api_request *v)
{
	struct kubelet_pod p;
	AUTO(str_free) struct str text = { 0 };
	str_add(&text,
		"a pod of a virtual node runs no process here, its job runs in Slurm: on the cluster, \"srun --overlap --jobid=");
	if (find(v, &p) && p.job_id)
		str_addf(&text, "%lld", (long long)p.job_id);
	else
		str_add(&text, "ID");
	str_add(&text, " --pty sh\" runs a command beside it");
	say_status(v->x, 501, str_text(&text));
}

static const char *query_of(const void *exchange, const char *name)
{
	return exchange_query(exchange, name);
}

/*
 * The container "stderr" means standard error, unless the pod has a container of that
 * name.
 */
static bool wants_stderr(const struct api_request *v, const struct kubelet_pod *p)
{
	return str_eq(v->parts[2], "stderr") && !str_eq(p->container, "stderr");
}

static bool has_container(const struct api_request *v, const struct kubelet_pod *p)
{
	return str_eq(v->parts[2], p->container) || wants_stderr(v, p) ||
		tasks_number_of(v->parts[2]) >= 0;
}

static void answer_log(struct api_request *v)
{
	struct kubelet_pod p;
	struct log_options options;
	int64_t now_s = loop_wall_ms(v->k->config.loop) / 1000;
	struct err e = log_options_read(query_of, v->x, now_s, &options);
	if (!str_eq(exchange_method(v->x), "GET")) {
		kubelet_say(v->x, 405, "a log is read with GET");
	} else if (!find(v, &p)) {
		kubelet_say(v->x, 404, "no virtual node has this pod");
	} else if (!has_container(v, &p)) {
		kubelet_say(v->x, 404, "the pod has no such container");
	} else if (failed(e)) {
		kubelet_say(v->x, 400, e.text);
	} else {
		options.standard_error |= wants_stderr(v, &p);
		if (!str_eq(v->parts[2], p.container))
			options.task = tasks_number_of(v->parts[2]);
		log_start(v->k, v->x, &p, &options, v->by);
	}
}

static void answer_nothing(struct api_request *v)
{
	kubelet_say(v->x, 404, "a virtual node has no such path");
}

/* ---- paths ---- */

struct route {
	const char *path; /* with a slash at its end: also all paths below it */
	void (*answer)(struct api_request *v);
	const char *subresource; /* of nodes, to which the user needs access */
};

/* The first match counts. For an unknown path a user without access gets 403, not 404. */
static const struct route routes[] = {
	{ "/containerLogs/", answer_log, "proxy" },
	{ "/pods", answer_pods, "proxy" },
	{ "/runningpods", answer_pods, "proxy" },
	{ "/stats/summary", answer_summary, "stats" },
	{ "/stats/", answer_nothing, "stats" },
	{ "/metrics/resource", answer_metrics, "metrics" },
	{ "/metrics/", answer_nothing, "metrics" },
	{ "/logs/", answer_nothing, "log" },
	{ "/healthz", answer_health, "proxy" },
	{ "/exec/", refuse_entry, "proxy" },
	{ "/attach/", refuse_entry, "proxy" },
	{ "/portForward/", refuse_entry, "proxy" },
	{ "/run/", refuse_entry, "proxy" },
	{ "/", answer_nothing, "proxy" },
};

static bool fits(const struct route *r, const char *path)
{
	size_t n = strlen(r->path);
	if (r->path[n - 1] == '/')
		return strncmp(path, r->path, n) == 0 ||
			(strncmp(path, r->path, n - 1) == 0 && !path[n - 1]);
	return strncmp(path, r->path, n) == 0 && (!path[n] || str_eq(path + n, "/"));
}

static const struct route *route_of(const char *path)
{
	const struct route *r = routes;
	while (r < routes + LENGTH(routes) - 1 && !fits(r, path))
		r++;
	return r;
}

/* "NAMESPACE/POD/CONTAINER" */
static void cut_path(struct api_request *v)
{
	const char *path = exchange_path(v->x);
	size_t n = strlen(v->route->path);
	path = strlen(path) > n ? path + n : "";
	for (int i = 0; i < PARTS; i++) {
		size_t length = strcspn(path, "/");
		v->parts[i] = own_strndup(path, length);
		path += length + (path[length] == '/');
	}
}

/* ---- authorization ---- */

static void api_request_free(struct api_request *v)
{
	gate_ask_cancel(v->ask);
	DL_DELETE(v->k->api_requests, v);
	for (int i = 0; i < PARTS; i++)
		free(v->parts[i]);
	free(v);
}

static void api_request_gone(void *api_request) { api_request_free(api_request); }

static void told(void *api_request, const struct gate_answer *answer)
{
	struct api_request *v = api_request;
	v->ask = NULL;
	v->by = answer;
	if (answer->status == 200)
		v->route->answer(v);
	else
		kubelet_say(v->x, answer->status, answer->why);
	api_request_free(v);
}

static void handle(void *kubelet, struct exchange *x)
{
	struct kubelet *k = kubelet;
	struct arena a AUTO(arena_free) = { 0 };
	if (results_is_path(exchange_path(x))) {
		results_serve(k, x);
		return;
	}
	struct api_request *v = own_alloc(sizeof(*v));
	char from[EXCHANGE_FROM_BYTES];
	struct x509_subject client;
	struct kubelet_pod p;
	*v = (struct api_request){ .k = k, .x = x, .route = route_of(exchange_path(x)) };
	DL_APPEND(k->api_requests, v);
	cut_path(v);
	exchange_later(x, api_request_gone, v);
	const struct gate_wish wish = {
		.certificate = exchange_client(x, &a, &client) ? &client : NULL,
		.authorization = exchange_header(x, "Authorization"),
		.method = exchange_method(x),
		.subresource = v->route->subresource,
		.node = find(v, &p) ? p.node : "",
		.from = exchange_from(x, from),
	};
	v->ask = gate_ask(k->gate, &wish, told, v);
}

/* ---- create and free ---- */

/*
 * Makes a certificate for a kubelet without certificate files. Clients cannot verify it.
 */
static struct err make_pair(struct kubelet *k)
{
	struct x509_pair authority AUTO(x509_pair_free) = { 0 };
	struct x509_pair pair AUTO(x509_pair_free) = { 0 };
	struct utsname machine = { 0 };
	int64_t now_s = loop_wall_ms(k->config.loop) / 1000;
	uname(&machine);
	const char *name = machine.nodename;
	struct x509_wish wish = {
		.name = "slurm-operator virtual-node",
		.from_s = now_s - DAY_S,
		.until_s = now_s + (int64_t)PAIR_DAYS * DAY_S,
	};
	struct err e = x509_make_authority(&wish, &authority);
	wish.dns = &name;
	wish.n_dns = 1;
	if (!failed(e))
		e = x509_make_server(&wish, &authority, &pair);
	if (!failed(e))
		e = http_server_use_pair(k->server, pair.cert_pem, pair.key_pem);
	return failed(e) ? err_wrap(e, "making a certificate") : OK;
}

static void tell_key(void *kubelet)
{
	const struct kubelet *k = kubelet;
	AUTO(own_free) char *key = x509_public_key(http_server_cert(k->server));
	if (k->config.listens)
		k->config.listens(k->config.ctx, http_server_port(k->server), key ? key : "");
}

struct err kubelet_new(const struct kubelet_config *config, struct kubelet **out)
{
	struct kubelet *k = own_alloc(sizeof(*k));
	const struct http_server_config server = {
		.address = config->address,
		.cert_file = config->cert_file,
		.key_file = config->key_file,
		.client_ca_file = config->client_ca_file,
		.client_optional = true,
		.tls = true,
		.max_body_bytes = BODY_BYTES,
		.max_bodies_bytes = BODIES_BYTES,
		.asks_first = true,
		.max_connections = CONNECTIONS,
		.keep_ms = KEEP_MS,
		.stream_ms = STREAM_MS,
		.pair_changed = tell_key,
		.handler = handle,
		.ctx = k,
	};
	k->config = *config;
	k->config.patience_ms = config->patience_ms > 0 ? config->patience_ms : PATIENCE_MS;
	k->gate = gate_new(config->kube);
	k->results = cache_new();
	k->log_places = (struct budget){ .limit = MOST_LOGS, .least = 1 };
	k->transfer_places = (struct budget){ .limit = MOST_TRANSFERS, .least = 1 };
	k->list_places = (struct budget){ .limit = MOST_LISTS, .least = 1 };
	k->inputs_places = (struct budget){ .limit = MOST_INPUTS_FILES, .least = 1 };
	struct err e = http_server_new(config->loop, &server, &k->server);
	if (!failed(e) && !config->cert_file)
		e = make_pair(k);
	if (failed(e))
		kubelet_free(k);
	else
		tell_key(*out = k);
	return failed(e) ? err_wrap(e, "serving the kubelet API on %s", config->address) : OK;
}

int kubelet_port(const struct kubelet *k) { return http_server_port(k->server); }

void kubelet_free(struct kubelet *k)
{
	if (!k)
		return;
	http_server_free(k->server);
	results_end_uploads(k);
	gate_free(k->gate);
	cache_free(k->results);
	free(k);
}
