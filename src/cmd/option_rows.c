/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and options, one row each, and the functions that set their values. */
#include "cmd/option_rows.h"

#include "api/names.h"
#include "base/own.h"
#include "cmd/endpoint_options.h"
#include "cmd/exporter_options.h"
#include "cmd/libraries.h"
#include "cmd/metrics.h"
#include "cmd/probe.h"
#include "cmd/rbac.h"
#include "cmd/values.h"

/* ---- values ---- */

static struct err set_namespaces(struct options *o, char *value)
{
	return value_namespaces(&o->manager.namespaces, value);
}
static struct err set_allowed_servers(struct options *o, char *value)
{
	return value_hosts(&o->manager.allowed_servers, value);
}
static struct err set_secrets(struct options *o, char *value)
{
	return value_secrets(&o->rbac.secrets, value);
}
static struct err set_namespace_label(struct options *o, char *value)
{
	return value_label(&o->rbac.label_key, &o->rbac.label_value, value);
}
static struct err set_urls(struct options *o, char *value)
{
	return value_urls(&o->probe.urls, value);
}
static struct err set_seconds(struct options *o, char *value)
{
	return str_to_i64(value, 1, 3600, &o->probe.seconds)
		? OK
		: value_wrong(value, "must be a whole number of seconds from 1 to 3600");
}
static struct err set_lease_namespace(struct options *o, char *value)
{
	return value_namespace(&o->manager.lease_namespace, value);
}
static struct err set_kubeconfig(struct options *o, char *value)
{
	return value_text(&o->manager.kubeconfig, value);
}
static struct err set_context(struct options *o, char *value)
{
	return value_text(&o->manager.context, value);
}
static struct err set_leader_elect(struct options *o, char *value)
{
	return value_bool(&o->manager.leader_elect, value);
}
static struct err set_require_consent(struct options *o, char *value)
{
	return value_bool(&o->manager.require_consent, value);
}
static struct err set_allow_local(struct options *o, char *value)
{
	return value_bool(&o->manager.allow_local_servers, value);
}

static struct err set_jobs(struct options *o, char *value)
{
	return value_bool(&o->manager.jobs, value);
}

static struct err set_slurm_memory(struct options *o, char *value)
{
	return value_mib(&o->manager.slurm_memory_mib, value);
}

static struct err set_objects_memory(struct options *o, char *value)
{
	return value_mib(&o->manager.objects_memory_mib, value);
}

static struct err set_results_image(struct options *o, char *value)
{
	return value_text(&o->manager.results.image, value);
}
static struct err set_results_user(struct options *o, char *value)
{
	return value_user(&o->manager.results.uid, &o->manager.results.gid, value);
}
static struct err set_results_volumes(struct options *o, char *value)
{
	return value_volumes(&o->manager.results_volumes, value);
}

static struct err set_log_level(struct options *o, char *value)
{
	static const char *const words[] = { "debug", "info", "warn", "error" };
	for (int i = 0; i < (int)LENGTH(words); i++)
		if (str_eq(value, words[i])) {
			o->log_level = (enum log_level)i;
			return OK;
		}
	return value_wrong(value, "must be debug, info, warn or error");
}

/* Accepts the levels of the logger zap, also a number: the higher, the more it logs. */
static struct err set_zap_level(struct options *o, char *value)
{
	int64_t n;
	bool more = str_to_i64(value, 1, 127, &n), panic = str_eq(value, "panic");
	o->log_level = panic ? LOG_ERROR : LOG_DEBUG;
	return more || panic ? OK : set_log_level(o, value);
}

static struct err set_log_format(struct options *o, char *value)
{
	o->log_text = str_eq(value, "text");
	return o->log_text || str_eq(value, "json") ? OK
						    : value_wrong(value, "must be json or text");
}

/* Accepts and ignores the numbers of workers of another operator; we have one loop. */
static struct err set_nothing(struct options *o, char *value)
{
	int64_t n;
	(void)o;
	return str_to_i64(value, 0, INT32_MAX, &n) ? OK : value_wrong(value, "is no number");
}

static struct err set_bind(struct options *o, char *value)
{
	return value_text(&o->webhook.address, value);
}
static struct err set_cert_dir(struct options *o, char *value)
{
	return value_text(&o->webhook.cert_dir, value);
}
static struct err set_callers_ca(struct options *o, char *value)
{
	return value_text(&o->webhook.client_ca, value);
}
static struct err set_own_namespace(struct options *o, char *value)
{
	return value_namespace(&o->webhook.ns, value);
}
static struct err set_secret_name(struct options *o, char *value)
{
	return value_object(&o->webhook.secret, value);
}
static struct err set_service_name(struct options *o, char *value)
{
	return value_service(&o->webhook.service, value);
}
static struct err set_configuration(struct options *o, char *value)
{
	return value_object(&o->webhook.configuration, value);
}
static struct err set_overlap(struct options *o, char *value)
{
	return str_to_i64(value, 1, 86400, &o->webhook.overlap_s)
		? OK
		: value_wrong(value, "must be a number of seconds from 1 to 86400");
}
static struct err set_of_webhook(struct options *o, char *value)
{
	return value_bool(&o->rbac.webhook, value);
}

static struct err set_red_boxes(struct options *o, char *value)
{
	return value_red_boxes(&o->virtual_node.red_boxes, value);
}
static struct err set_account_boxes(struct options *o, char *value)
{
	return value_account_boxes(&o->virtual_node.account_boxes, value);
}
static struct err set_accounts(struct options *o, char *value)
{
	return value_accounts(&o->virtual_node.accounts, value);
}
static struct err set_require_account(struct options *o, char *value)
{
	return value_bool(&o->virtual_node.require_account, value);
}
static struct err set_red_box_certs(struct options *o, char *value)
{
	return value_text(&o->virtual_node.red_box_cert_dir, value);
}
static struct err set_red_box_name(struct options *o, char *value)
{
	return value_text(&o->virtual_node.red_box_server_name, value);
}
static struct err set_partitions(struct options *o, char *value)
{
	return value_partitions(&o->virtual_node.partitions, value);
}
static struct err set_node_address(struct options *o, char *value)
{
	return value_text(&o->virtual_node.node_address, value);
}
static struct err set_kubelet_address(struct options *o, char *value)
{
	return value_text(&o->virtual_node.kubelet_address, value);
}
static struct err set_kubelet_certs(struct options *o, char *value)
{
	return value_text(&o->virtual_node.kubelet_cert_dir, value);
}
static struct err set_client_ca(struct options *o, char *value)
{
	return value_text(&o->virtual_node.kubelet_client_ca, value);
}
static struct err set_of_virtual_node(struct options *o, char *value)
{
	return value_bool(&o->rbac.virtual_node, value);
}

static struct err set_url(struct options *o, char *value)
{
	return value_https(&o->results.url, value);
}
static struct err set_public_key(struct options *o, char *value)
{
	return value_public_key(&o->results.public_key, value);
}
static struct err set_pod(struct options *o, char *value)
{
	return value_pod(&o->results.pod, value);
}
static struct err set_token_file(struct options *o, char *value)
{
	return value_text(&o->results.token_file, value);
}
static struct err set_to(struct options *o, char *value)
{
	return value_text(&o->results.to, value);
}
static struct err set_from(struct options *o, char *value)
{
	return value_text(&o->results.from, value);
}
static struct err set_make(struct options *o, char *value)
{
	return value_text(&o->keys.make, value);
}

/* ---- rows ---- */

const struct command_row commands[] = {
	{ "manager", "runs the controllers",
		"slurm-operator manager --leader-elect --namespaces=slurm", MANAGER,
		manager_command },
	{ "webhook", "checks changes of NodeSets, Clusters and jobs",
		"slurm-operator webhook --namespace=slurm-operator", WEBHOOK, webhook_command },
	{ "virtual-node", "shows each partition of a Slurm as a node, and runs pods there as jobs",
		"slurm-operator virtual-node --red-box=hpc=/run/syslurm/red-box.sock", VIRTUAL_NODE,
		virtual_node_command },
	{ "exporter", "metrics of a Slurm for Prometheus",
		"slurm-operator exporter --server=http://slurm-restapi:6820", EXPORTER,
		exporter_command },
	{ "results", "copies the results of one job into a folder; the manager starts it",
		"slurm-operator results --url=https://10.0.0.7:10250 --public-key=sha256//KEY --pod=default/cow-job --token-file=/run/token --to=/collect",
		RESULTS, results_command },
	{ "prepare", "brings the inputs of one job to its Slurm; the manager starts it",
		"slurm-operator prepare --url=https://10.0.0.7:10250 --public-key=sha256//KEY --pod=default/cow-job --token-file=/run/token --from=/prepare",
		PREPARE, results_command },
	{ "rbac", "prints the roles that manager, webhook or virtual-node needs",
		"slurm-operator rbac --namespaces=slurm | kubectl apply -f -", RBAC, rbac_command },
	{ "keys", "makes the Secrets of a Slurm that are missing; the chart slurm runs it",
		"slurm-operator keys --make='[{\"name\":\"slurm-jwt-key\",\"keys\":{\"jwt_hs256.key\":\"text:64\"}}]'",
		KEYS, keys_command },
	{ "probe", "checks whether servers answer",
		"slurm-operator probe --urls=http://slurm-operator:8081/readyz", PROBE,
		probe_command },
	{ "help", "explains a command: help manager", NULL, 0, NULL },
	{ "version", "prints the version", NULL, 0, NULL },
	{ "libraries", "prints the libraries that it runs with", NULL, 0, libraries_command },
	{ "metrics", "prints the tables of its metrics, in Markdown", NULL, 0, metrics_command },
};

const struct option_row option_rows[] = {
	{ "namespaces", "A,B", VALUE_WANTED, MANAGER | RBAC, set_namespaces,
		"only these namespaces; default: all" },
	{ "leader-elect", "BOOL", VALUE_OPTIONAL, MANAGER, set_leader_elect,
		"if there are several managers, only the holder of a Lease acts; default: false" },
	{ "leader-election-namespace", "NAMESPACE", VALUE_WANTED, MANAGER | RBAC | VIRTUAL_NODE,
		set_lease_namespace,
		"where the Lease is; default: the own namespace (rbac: slurm-operator)" },
	{ "allowed-servers", "PATTERN,...", VALUE_WANTED, MANAGER, set_allowed_servers,
		"hosts that spec.server of a Cluster may name, such as *.svc; default: all" },
	{ "require-consent", "BOOL", VALUE_OPTIONAL, MANAGER, set_require_consent,
		"the token of a Secret goes only to servers that its annotation names; default: false" },
	{ "allow-local-servers", "BOOL", VALUE_OPTIONAL, MANAGER, set_allow_local,
		"slurmrestd may be on the manager's own machine or link, for development; default: false" },
	{ "jobs", "BOOL", VALUE_OPTIONAL, MANAGER, set_jobs,
		"SlurmJobs and WlmJobs are served as well; default: true" },
	{ "results-image", "IMAGE", VALUE_WANTED, MANAGER, set_results_image,
		"the image of this program, for the pods that copy results and inputs of jobs; default: $RESULTS_IMAGE; without both nothing is copied" },
	{ "results-user", "UID[:GID]", VALUE_WANTED, MANAGER, set_results_user,
		"the user and the group of these pods, and the group of their volumes; default: 65532:65532" },
	{ "results-volumes", "TYPE,...", VALUE_WANTED, JUDGES, set_results_volumes,
		"types of volumes that pods which copy results and inputs may mount, or nfs:SERVER, csi:DRIVER, nodePublishSecretRef; default: persistentVolumeClaim, and the webhook refuses none" },
	{ "slurm-memory", "MIB", VALUE_WANTED, MANAGER, set_slurm_memory,
		"memory for the answers of all Slurms; default: 48. One namespace may use half of it, which is enough for a Slurm of 20000 nodes" },
	{ "objects-memory", "MIB", VALUE_WANTED, MANAGER, set_objects_memory,
		"memory for objects of Kubernetes that are larger than usual, of which one namespace may use half; default: 16" },
	{ "bind-address", "ADDRESS", VALUE_WANTED, WEBHOOK, set_bind,
		"where API servers send reviews, over TLS; default: :9443" },
	{ "cert-dir", "FOLDER", VALUE_WANTED, WEBHOOK, set_cert_dir,
		"its tls.crt and tls.key are used; default: a CA of its own, kept in a Secret" },
	{ "client-ca", "FILE", VALUE_WANTED, WEBHOOK, set_callers_ca,
		"PEM: only callers with a certificate of these authorities are answered, and may see names of other NodeSets; default: every caller is answered" },
	{ "namespace", "NAMESPACE", VALUE_WANTED, WEBHOOK | RBAC, set_own_namespace,
		"where the webhook, its Secret and its Service are; default: $POD_NAMESPACE, that of its service account (rbac: slurm-operator)" },
	{ "secret-name", "NAME", VALUE_WANTED, WEBHOOK | RBAC, set_secret_name,
		"the Secret of its own CA; default: " WEBHOOK_SECRET },
	{ "service-name", "NAME", VALUE_WANTED, WEBHOOK, set_service_name,
		"the Service by which API servers reach it; default: " WEBHOOK_NAME },
	{ "webhook-configuration", "NAME", VALUE_WANTED, WEBHOOK | RBAC, set_configuration,
		"name of the validating and the mutating webhook configuration that get the CA; default: " WEBHOOK_NAME },
	{ "ca-overlap", "SECONDS", VALUE_WANTED, WEBHOOK, set_overlap,
		"time for which an old and a new CA are trusted together; default: 600" },
	{ "red-box", "NAME=WHERE,...", VALUE_WANTED, VIRTUAL_NODE, set_red_boxes,
		"where each red-box is: the path of its socket or HOST:PORT; with USER@ before it, a red-box that another user runs is not used; NAME is that of its Slurm (a-z, 0-9), and in the names of its nodes: never change it" },
	{ "account-red-box", "NAME/ACCOUNT=WHERE,...", VALUE_WANTED, VIRTUAL_NODE,
		set_account_boxes,
		"where the red-box of an account of that Slurm is. ACCOUNT is the user that it runs as; never remove the entry while the account has pods" },
	{ "account", "NAME/NAMESPACE=ACCOUNT,...", VALUE_WANTED, VIRTUAL_NODE, set_accounts,
		"the account that the jobs of a namespace run as; default, and without ACCOUNT: that of --red-box" },
	{ "require-account", "BOOL", VALUE_OPTIONAL, VIRTUAL_NODE, set_require_account,
		"jobs of namespaces that --account does not name are refused; default: false" },
	{ "red-box-cert-dir", "FOLDER", VALUE_WANTED, VIRTUAL_NODE, set_red_box_certs,
		"for HOST:PORT: our tls.crt and tls.key, and ca.crt, which signs red-box's" },
	{ "red-box-server-name", "NAME", VALUE_WANTED, VIRTUAL_NODE, set_red_box_name,
		"for HOST:PORT: the name in the certificate of red-box; default: HOST" },
	{ "partitions", "A,B", VALUE_WANTED, VIRTUAL_NODE, set_partitions,
		"only these partitions; default: all that Slurm has" },
	{ "node-address", "ADDRESS", VALUE_WANTED, VIRTUAL_NODE, set_node_address,
		"the address in the status of the nodes; default: $POD_IP, or none" },
	{ "kubelet-bind-address", "ADDRESS", VALUE_WANTED, VIRTUAL_NODE, set_kubelet_address,
		"where API servers request logs, and pods request results and inputs, over TLS; default: :10250; 0 for none" },
	{ "kubelet-cert-dir", "FOLDER", VALUE_WANTED, VIRTUAL_NODE, set_kubelet_certs,
		"its tls.crt and tls.key are used there; default: a pair made at the start" },
	{ "kubelet-client-ca", "FILE", VALUE_WANTED, VIRTUAL_NODE, set_client_ca,
		"the CA of client certificates that count there; default: only tokens count" },
	{ "server", "URL", VALUE_WANTED, EXPORTER, exporter_set_server,
		"where slurmrestd is; default: " EXPORTER_SERVER },
	{ "server-user", "USER,...", VALUE_WANTED, EXPORTER, exporter_set_server_users,
		"users that may run slurmrestd on this machine, if --server is plain http: a slurmrestd of another user does not get the token; default: root and the user of the exporter" },
	{ "slurm-token-file", "FILE", VALUE_WANTED, EXPORTER, exporter_set_slurm_token,
		"the token for slurmrestd, which is read again when it changes; default: $SLURM_JWT, then $METRICS_TOKEN" },
	{ "scrape-token-file", "FILE", VALUE_WANTED, EXPORTER, exporter_set_scrape_token,
		"a token that clients of /metrics have to send (Authorization: Bearer), which is read again when it changes; default: no token is needed" },
	{ "cache-freq", "DURATION", VALUE_WANTED, EXPORTER, exporter_set_cache,
		"pause between reads of Slurm, longer than 1s; default: 5s" },
	{ "per-user-metrics", "BOOL", VALUE_OPTIONAL, EXPORTER, exporter_set_per_user,
		"metrics of users by the names of exporter 0.1 as well; default: false" },
	{ "job-efficiency", "BOOL", VALUE_OPTIONAL, EXPORTER, exporter_set_job_efficiency,
		"metrics of CPU time and memory of jobs that have ended, queried from slurmdbd once a minute; default: false" },
	{ "max-nodes", "N", VALUE_WANTED, EXPORTER, exporter_set_max_nodes,
		"number of nodes with metrics of their own; default: 20000" },
	{ "max-users", "N", VALUE_WANTED, EXPORTER, exporter_set_max_users,
		"number of users with metrics, most jobs first; default: 1000" },
	{ "max-accounts", "N", VALUE_WANTED, EXPORTER, exporter_set_max_accounts,
		"number of accounts with metrics, most jobs first; default: 1000" },
	{ "max-gres", "N", VALUE_WANTED, EXPORTER, exporter_set_max_gres,
		"number of names and types of GRES with metrics; default: 100" },
	{ "describe", "BOOL", VALUE_OPTIONAL, EXPORTER, exporter_set_describe,
		"prints the tables of all metrics instead, in Markdown" },
	{ "webhook", "BOOL", VALUE_OPTIONAL, RBAC, set_of_webhook,
		"the roles of the webhook instead" },
	{ "virtual-node", "BOOL", VALUE_OPTIONAL, RBAC, set_of_virtual_node,
		"the roles of virtual nodes instead" },
	{ "secrets", "A,B", VALUE_WANTED, RBAC, set_secrets,
		"the only Secrets that may be read; default: each that a Cluster names" },
	{ "namespace-label", "KEY=VALUE", VALUE_WANTED, RBAC, set_namespace_label,
		"the manager may write in namespaces with this label only; default: in all" },
	{ "url", "URL", VALUE_WANTED, RESULTS | PREPARE, set_url,
		"of the virtual node: the annotation wlm.sylabs.io/results-url of its Node" },
	{ "public-key", "PIN", VALUE_WANTED, RESULTS | PREPARE, set_public_key,
		"of its certificate: the annotation wlm.sylabs.io/results-key" },
	{ "pod", "NAMESPACE/NAME", VALUE_WANTED, RESULTS | PREPARE, set_pod, "of the job" },
	{ "token-file", "FILE", VALUE_WANTED, RESULTS | PREPARE, set_token_file,
		"the token of this pod for the audience " AUDIENCE_RESULTS
		", or of prepare " AUDIENCE_INPUTS },
	{ "to", "FOLDER", VALUE_WANTED, RESULTS, set_to,
		"the folder for the results; created if it does not exist, but its parent must exist" },
	{ "from", "FOLDER", VALUE_WANTED, PREPARE, set_from, "the folder with the inputs" },
	{ "make", "JSON", VALUE_WANTED, KEYS, set_make,
		"a list of Secrets, each with name, labels, annotations and keys; a key is text:N, ecdsa, ed25519 or rsa. What is there already stays as it is" },
	{ "urls", "URL,...", VALUE_WANTED, PROBE, set_urls,
		"the addresses to query; each must answer 200" },
	{ "seconds", "N", VALUE_WANTED, PROBE, set_seconds,
		"how long to wait for a server to answer 200; default: 60" },
	{ "kubeconfig", "FILE", VALUE_WANTED, MANAGER | WEBHOOK | VIRTUAL_NODE | KEYS,
		set_kubeconfig,
		"where the API server is; default: $KUBECONFIG, the pod's service account, ~/.kube/config" },
	{ "context", "NAME", VALUE_WANTED, MANAGER | WEBHOOK | VIRTUAL_NODE | KEYS, set_context,
		"of the kubeconfig; default: its current-context" },
	{ "health-probe-bind-address", "ADDRESS", VALUE_WANTED,
		MANAGER | WEBHOOK | VIRTUAL_NODE | EXPORTER, endpoint_set_probe,
		"/healthz and /readyz; default: :8081; 0 for none" },
	{ "metrics-bind-address", "ADDRESS", VALUE_WANTED,
		MANAGER | WEBHOOK | VIRTUAL_NODE | EXPORTER, endpoint_set_metrics,
		"/metrics; default: :8080; 0 for none" },
	{ "metrics-cert-path", "FOLDER", VALUE_WANTED, MANAGER | WEBHOOK | VIRTUAL_NODE | EXPORTER,
		endpoint_set_metrics_cert,
		"/metrics over TLS with its tls.crt and tls.key; default: plain" },
	{ "metrics-objects", "N", VALUE_WANTED, MANAGER, endpoint_set_measured,
		"number of NodeSets, and of Clusters, with metrics of their own; default: 1000" },
	{ "log-level", "LEVEL", VALUE_WANTED, MANAGER | WEBHOOK | VIRTUAL_NODE | KEYS | EXPORTER,
		set_log_level, "debug, info, warn or error; default: info" },
	{ "log-format", "FORMAT", VALUE_WANTED, MANAGER | WEBHOOK | VIRTUAL_NODE | KEYS | EXPORTER,
		set_log_format, "json or text; default: json" },
	{ "zap-log-level", "LEVEL", VALUE_WANTED, MANAGER | WEBHOOK | EXPORTER, set_zap_level,
		NULL },
	{ "zap-devel", "BOOL", VALUE_OPTIONAL, EXPORTER, exporter_set_zap, NULL },
	{ "zap-encoder", "FORMAT", VALUE_WANTED, EXPORTER, exporter_set_zap, NULL },
	{ "zap-stacktrace-level", "LEVEL", VALUE_WANTED, EXPORTER, exporter_set_zap, NULL },
	{ "zap-time-encoding", "FORMAT", VALUE_WANTED, EXPORTER, exporter_set_zap, NULL },
	{ "cluster-workers", "N", VALUE_WANTED, MANAGER, set_nothing, NULL },
	{ "nodeset-workers", "N", VALUE_WANTED, MANAGER, set_nothing, NULL },
};

const size_t n_commands = LENGTH(commands), n_option_rows = LENGTH(option_rows);
