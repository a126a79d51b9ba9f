/* SPDX-License-Identifier: Apache-2.0 */
/* The process "virtual-node". */
#include "cmd/virtual_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "cmd/endpoints.h"
#include "cmd/identity.h"
#include "cmd/options.h"
#include "cmd/self.h"
#include "cmd/values.h"
#include "kubelet/kubelet.h"
#include "virtual_node/virtual_node.h"
#include "kube/config.h"
#include "kube/lease.h"
#include "net/listen.h"

struct process {
	struct loop *loop;
	const struct options *options;
	struct kube_config where;
	struct kube kube, lease_kube; /* each with its own connections */
	struct vnode_box *boxes;
	size_t n_boxes;
	struct budget messages; /* of incomplete messages of red-boxes, by account */
	struct vnode_space *spaces;
	size_t n_spaces;
	struct tls_keys *keys; /* for red-boxes by TCP; NULL: none */
	struct str names;      /* of the Slurms, joined by - */
	struct lease *lease;
	struct vnode *vnode;     /* NULL: this process does not act */
	struct kubelet *kubelet; /* NULL: it does not act, or has no kubelet API */
	struct str cert_file, key_file;
	struct endpoints endpoints;
	int status;
};

/* ---- leadership ---- */

static struct err open_kubelet(struct process *p)
{
	const struct virtual_node_config *c = &p->options->virtual_node;
	struct kubelet_config config = {
		.loop = p->loop,
		.kube = &p->kube,
		.address = c->kubelet_address,
		.client_ca_file = c->kubelet_client_ca,
		.find = vnode_find,
		.each = vnode_each,
		.listens = vnode_listens,
		.ctx = p->vnode,
	};
	if (c->kubelet_cert_dir) {
		config.cert_file = str_text(&p->cert_file);
		config.key_file = str_text(&p->key_file);
	}
	return str_eq(c->kubelet_address, "0") ? OK : kubelet_new(&config, &p->kubelet);
}

static void stop_acting(struct process *p)
{
	kubelet_free(TAKE(p->kubelet));
	vnode_free(TAKE(p->vnode));
}

static void leading(void *ctx)
{
	struct process *p = ctx;
	const struct virtual_node_config *c = &p->options->virtual_node;
	const struct vnode_config config = {
		.kube = &p->kube,
		.loop = p->loop,
		.boxes = p->boxes,
		.n_boxes = p->n_boxes,
		.spaces = p->spaces,
		.n_spaces = p->n_spaces,
		.require_account = c->require_account,
		.partitions = (const char *const *)c->partitions,
		.address = c->node_address ? c->node_address : getenv("POD_IP"),
		.calls = &red_box_calls,
	};
	log_info("leading: acting from now on");
	p->vnode = vnode_new(&config);
	struct err e = open_kubelet(p);
	if (failed(e))
		log_error("the kubelet API is not served: kubectl logs does not work", "why",
			e.text);
}

static void lost(void *ctx, struct err why)
{
	struct process *p = ctx;
	log_error("leadership lost: ending at once", "why", why.text);
	stop_acting(p);
	p->status = 1;
	loop_uv_stop(p->loop);
}

static const struct lease_handler lease_handler = { leading, lost, NULL };

static void released(void *ctx) { loop_uv_stop(((struct process *)ctx)->loop); }

/* Jobs, pods and nodes stay. A submission in flight is found again by its key. */
static void on_signal(void *ctx, int signal)
{
	struct process *p = ctx;
	(void)signal;
	log_info("ending: jobs and nodes stay as they are");
	stop_acting(p);
	lease_release(p->lease, released, p);
}

static void elect(struct process *p)
{
	char identity[IDENTITY_BYTES];
	struct str name AUTO(str_free) = { 0 };
	const char *ns = p->options->manager.lease_namespace ? p->options->manager.lease_namespace
		: p->where.ns                                ? p->where.ns
							     : "default";
	make_identity(identity);
	str_addf(&name, VIRTUAL_NODE_NAME "-%.180s", str_text(&p->names));
	log_info("seeking leadership", "lease", str_text(&name), "namespace", ns, "identity",
		identity);
	p->lease = lease_new(&p->lease_kube, ns, str_text(&name), identity, &lease_handler, p);
}

/* ---- endpoints ---- */

static const char *why_not_ready(void *ctx)
{
	const struct process *p = ctx;
	if (!str_empty(lease_trouble(p->lease)))
		return "not ready: the Lease cannot be read or written, see the log";
	if (p->vnode && !str_empty(vnode_trouble(p->vnode)))
		return "not ready: not all is known of Kubernetes or of Slurm, see the log";
	return "";
}

static void measure(void *ctx)
{
	const struct process *p = ctx;
	vnode_measure(p->vnode);
	kubelet_measure(p->kubelet);
}

/* ---- start ---- */

/* All red-boxes by TCP share one client certificate. */
static struct err open_keys(struct process *p)
{
	const char *dir = p->options->virtual_node.red_box_cert_dir;
	AUTO(str_free) struct str cert = { 0 }, key = { 0 }, ca = { 0 };
	if (!dir)
		return OK;
	str_addf(&cert, "%s/tls.crt", dir);
	str_addf(&key, "%s/tls.key", dir);
	str_addf(&ca, "%s/ca.crt", dir);
	const struct tls_files files = { str_text(&cert), str_text(&key), str_text(&ca), 0 };
	struct err e = tls_keys_new(p->loop, &files, &p->keys);
	return failed(e) ? err_wrap(e, "--red-box-cert-dir") : OK;
}

/*
 * Opens "NAME=PATH" or "NAME=HOST:PORT", or for an account "NAME/ACCOUNT=...". The first
 * call connects, and a call is sent only to a red-box that runs as the given user.
 */
static struct err open_box(struct process *p, char *text, struct vnode_box *box)
{
	char *where = strchr(text, '='), host[MAX_HOST_BYTES];
	struct grpc_client_tcp tcp = { .host = host, .keys = p->keys };
	struct grpc_client_config config = { .authority = "red-box" };
	AUTO(str_free) struct str share = { 0 };
	*where++ = '\0';
	size_t user = value_red_box_user(where);
	if (user) {
		config.audience = where;
		where[user] = '\0';
		where += user + 1;
	}
	box->cluster = text;
	tcp.server_name = p->options->virtual_node.red_box_server_name;
	if (*where == '/')
		config.path = where;
	else if (address_split(where, host, &tcp.port))
		config.tcp = &tcp;
	char *slash = strchr(text, '/');
	if (slash) {
		*slash = '\0';
		config.audience = box->account = slash + 1;
	} else {
		str_addf(&p->names, "%s%s", p->names.len ? "-" : "", text);
	}
	str_addf(&share, "%s/%s", box->cluster, box->account ? box->account : "");
	config.messages = &p->messages;
	config.share = str_text(&share);
	struct err e = grpc_client_new(p->loop, &config, &box->client);
	if (!failed(e))
		e = grpc_client_new(p->loop, &config, &box->logs);
	return failed(e) ? err_wrap(e, "the red-box at %s", where) : OK;
}

static size_t count(char **texts)
{
	size_t n = 0;
	while (texts && texts[n])
		n++;
	return n;
}

static struct err open_boxes(struct process *p)
{
	const struct virtual_node_config *c = &p->options->virtual_node;
	size_t own = count(c->red_boxes), n = own + count(c->account_boxes);
	p->boxes = own_alloc(n * sizeof(*p->boxes));
	p->n_boxes = n;
	for (size_t i = 0; i < n; i++) {
		char *text = i < own ? c->red_boxes[i] : c->account_boxes[i - own];
		struct err e = open_box(p, text, &p->boxes[i]);
		if (failed(e))
			return e;
	}
	return OK;
}

/* Reads each "NAME/NAMESPACE=ACCOUNT". */
static void read_spaces(struct process *p)
{
	char **texts = p->options->virtual_node.accounts;
	p->n_spaces = count(texts);
	p->spaces = own_alloc((p->n_spaces + 1) * sizeof(*p->spaces));
	for (size_t i = 0; i < p->n_spaces; i++) {
		char *ns = strchr(texts[i], '/'), *account = strchr(texts[i], '=');
		*ns++ = *account++ = '\0';
		p->spaces[i] = (struct vnode_space){ texts[i], ns, account };
	}
}

static struct err open_kube(struct process *p)
{
	const struct manager_config *c = &p->options->manager;
	struct err e = kube_config_load(c->kubeconfig, c->context, &p->where);
	if (!failed(e))
		e = kube_config_connect(&p->where, p->loop, &p->kube.http);
	if (!failed(e))
		e = kube_config_connect_beside(p->kube.http, &p->lease_kube.http);
	p->kube.loop = p->lease_kube.loop = p->loop;
	p->kube.host = p->lease_kube.host = kube_config_host(&p->where);
	return e;
}

static struct err start(struct process *p)
{
	const struct manager_config *c = &p->options->manager;
	const struct endpoints_config ec = {
		.loop = p->loop,
		.probe_address = c->probe_address,
		.metrics_address = c->metrics_address,
		.metrics_cert_path = c->metrics_cert_path,
		.why_not_ready = why_not_ready,
		.measure = measure,
		.ctx = p,
	};
	const char *dir = p->options->virtual_node.kubelet_cert_dir;
	str_addf(&p->cert_file, "%s/tls.crt", dir ? dir : "");
	str_addf(&p->key_file, "%s/tls.key", dir ? dir : "");
	struct err e = open_kube(p);
	if (!failed(e))
		e = open_keys(p);
	if (!failed(e))
		e = open_boxes(p);
	if (failed(e))
		return e;
	read_spaces(p);
	elect(p);
	return endpoints_open(&p->endpoints, &ec);
}

static void end(struct process *p)
{
	stop_acting(p);
	lease_free(p->lease);
	endpoints_close(&p->endpoints);
	for (size_t i = 0; i < p->n_boxes; i++)
		grpc_client_free(p->boxes[i].client), grpc_client_free(p->boxes[i].logs);
	tls_keys_free(p->keys);
	http_free(p->lease_kube.http);
	http_free(p->kube.http);
	kube_config_free(&p->where);
	loop_uv_free(p->loop);
	free(p->boxes);
	free(p->spaces);
	str_free(&p->names);
	str_free(&p->cert_file);
	str_free(&p->key_file);
	metric_free_all();
}

int virtual_node_command(const struct options *o, struct str *print)
{
	struct process p = { .options = o,
		.messages = {
			.limit = GRPC_CLIENT_MESSAGES_BYTES, .least = GRPC_CLIENT_MESSAGE_BYTES } };
	(void)print;
	self_begin(o);
	endpoints_tune_memory();
	p.loop = loop_uv_new();
	struct err e = start(&p);
	if (failed(e)) {
		fprintf(stderr, "slurm-operator: %s\n", e.text);
		p.status = 1;
	} else {
		log_info("started", "server", p.where.server, "slurms", str_text(&p.names));
		loop_uv_on_signal(p.loop, on_signal, &p);
		loop_uv_run(p.loop);
		log_info("ended");
	}
	end(&p);
	return p.status;
}
