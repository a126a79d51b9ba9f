/* slurm-operator: option rows and wiring. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "cmd/manager.h"
#include "cmd/rbac.h"

const char *argp_program_version = "slurm-operator " OPERATOR_VERSION;

enum option_key {
	KEY_KUBECONFIG = 256, KEY_CONTEXT, KEY_NAMESPACES, KEY_PROBE, KEY_METRICS, KEY_LEADER_ELECT, KEY_LEASE_NS, KEY_LOG_LEVEL, KEY_LOG_FORMAT,
	KEY_IGNORED,
};

static const struct argp_option options[] = {
	{ "kubeconfig", KEY_KUBECONFIG, "FILE", 0, "Where the API server is; default: $KUBECONFIG, the pod's service account, ~/.kube/config", 0 },
	{ "context", KEY_CONTEXT, "NAME", 0, "Context of the kubeconfig; default: its current-context", 0 },
	{ "namespaces", KEY_NAMESPACES, "A,B", 0, "Only these namespaces; default: all", 0 },
	{ "health-probe-bind-address", KEY_PROBE, "ADDRESS", 0, "/healthz and /readyz; default :8081; 0 for none", 0 },
	{ "metrics-bind-address", KEY_METRICS, "ADDRESS", 0, "/metrics; default :8080; 0 for none", 0 },
	{ "leader-elect", KEY_LEADER_ELECT, "BOOL", OPTION_ARG_OPTIONAL, "Of several managers only the holder of a Lease acts", 0 },
	{ "leader-election-namespace", KEY_LEASE_NS, "NAMESPACE", 0, "Where the Lease is; default: the own namespace", 0 },
	{ "log-level", KEY_LOG_LEVEL, "LEVEL", 0, "debug, info, warn or error; default info", 0 },
	{ "zap-log-level", KEY_LOG_LEVEL, "LEVEL", OPTION_HIDDEN, NULL, 0 },
	{ "log-format", KEY_LOG_FORMAT, "FORMAT", 0, "json or text; default json", 0 },
	{ "cluster-workers", KEY_IGNORED, "N", OPTION_HIDDEN, NULL, 0 },
	{ "nodeset-workers", KEY_IGNORED, "N", OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

struct arguments {
	struct manager_config manager;
	const char *command;
};

static void split_namespaces(struct manager_config *c, char *list)
{
	size_t n = 0;
	c->namespaces = own_alloc((strlen(list) + 2) * sizeof(char *));
	for (char *save = NULL, *ns = strtok_r(list, ",", &save); ns; ns = strtok_r(NULL, ",", &save))
		c->namespaces[n++] = ns;
}

static void set_log_level(const char *word, struct argp_state *state)
{
	static const char *const words[] = { "debug", "info", "warn", "error" };
	for (int i = 0; i < (int)LENGTH(words); i++)
		if (str_eq(word, words[i])) {
			log_set_level((enum log_level)i);
			return;
		}
	argp_error(state, "--log-level %s: must be debug, info, warn or error", word);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct manager_config *c = &a->manager;
	switch (key) {
	case KEY_KUBECONFIG: c->kubeconfig = arg; break;
	case KEY_CONTEXT: c->context = arg; break;
	case KEY_NAMESPACES: split_namespaces(c, arg); break;
	case KEY_PROBE: c->probe_address = arg; break;
	case KEY_METRICS: c->metrics_address = arg; break;
	case KEY_LEADER_ELECT: c->leader_elect = !arg || str_eq(arg, "true"); break;
	case KEY_LEASE_NS: c->lease_namespace = arg; break;
	case KEY_LOG_LEVEL: set_log_level(arg, state); break;
	case KEY_LOG_FORMAT: log_set_text(str_eq(arg, "text")); break;
	case KEY_IGNORED: break;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0 || (!str_eq(arg, "manager") && !str_eq(arg, "rbac")))
			argp_error(state, "unknown command \"%s\": the commands are: manager, rbac", arg);
		a->command = arg;
		break;
	case ARGP_KEY_END:
		if (state->arg_num == 0)
			argp_error(state, "no command: try \"slurm-operator manager\"");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int print_rbac(const struct manager_config *c)
{
	struct str out = { 0 };
	rbac_print(&out, c->lease_namespace ? c->lease_namespace : "slurm-operator", (const char *const *)c->namespaces);
	fputs(str_text(&out), stdout);
	str_free(&out);
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "manager | rbac",
		"Hosts Slurm clusters on Kubernetes: keeps NodeSets and Clusters as asked, and never ends a running job.\n"
		"manager: runs the controllers. rbac: prints the roles that the manager needs, for --namespaces or the whole cluster.\v"
		"Signals: SIGTERM and SIGINT end it cleanly; what is under way is finished first. Starting again is always safe.",
		NULL, NULL, NULL };
	struct arguments arguments = { .manager = { .probe_address = ":8081", .metrics_address = ":8080" } };
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	int status = str_eq(arguments.command, "rbac") ? print_rbac(&arguments.manager) : manager_run(&arguments.manager);
	free(arguments.manager.namespaces);
	return status;
}
