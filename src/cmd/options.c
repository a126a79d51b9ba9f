/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the command line and of the environment, one row each. */
#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "cmd/libraries.h"
#include "cmd/guess.h"
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
static struct err set_probe(struct options *o, char *value)
{
	return value_text(&o->manager.probe_address, value);
}
static struct err set_metrics(struct options *o, char *value)
{
	return value_text(&o->manager.metrics_address, value);
}
static struct err set_metrics_cert(struct options *o, char *value)
{
	return value_text(&o->manager.metrics_cert_path, value);
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

static struct err set_slurm_memory(struct options *o, char *value)
{
	return value_mib(&o->manager.slurm_memory_mib, value);
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

static struct err set_log_format(struct options *o, char *value)
{
	o->log_text = str_eq(value, "text");
	return o->log_text || str_eq(value, "json") ? OK
						    : value_wrong(value, "must be json or text");
}

/* How many workers another operator of these kinds may start: here there is one loop. */
static struct err set_nothing(struct options *o, char *value)
{
	int64_t n;
	(void)o;
	return str_to_i64(value, 0, INT32_MAX, &n) ? OK : value_wrong(value, "is no number");
}

/* ---- rows ---- */

/* A command is a row here, and a file of its own; whom an option is for, a bit. */
enum { MANAGER = 1, RBAC = 2 };

static const struct command_row {
	const char *name, *what, *example;
	unsigned bit;    /* 0: it has no options */
	command_fn *run; /* NULL: what is here is all it prints */
} commands[] = {
	{ "manager", "runs the controllers",
		"slurm-operator manager --leader-elect --namespaces=slurm", MANAGER,
		manager_command },
	{ "rbac", "prints the roles that the manager needs",
		"slurm-operator rbac --namespaces=slurm | kubectl apply -f -", RBAC, rbac_command },
	{ "help", "explains a command: help manager", NULL, 0, NULL },
	{ "version", "prints the version", NULL, 0, NULL },
	{ "libraries", "prints the libraries that it runs with", NULL, 0, libraries_command },
};

enum value { VALUE_WANTED, VALUE_OPTIONAL };

static const struct option_row {
	const char *name, *value;
	enum value needs;
	unsigned of; /* commands */
	struct err (*set)(struct options *o, char *value);
	const char *help; /* NULL: taken, but not shown */
} rows[] = {
	{ "namespaces", "A,B", VALUE_WANTED, MANAGER | RBAC, set_namespaces,
		"only these namespaces; default: all" },
	{ "leader-elect", "BOOL", VALUE_OPTIONAL, MANAGER, set_leader_elect,
		"of several managers only the holder of a Lease acts; default: false" },
	{ "leader-election-namespace", "NAMESPACE", VALUE_WANTED, MANAGER | RBAC,
		set_lease_namespace,
		"where the Lease is; default: the own namespace (rbac: slurm-operator)" },
	{ "allowed-servers", "PATTERN,...", VALUE_WANTED, MANAGER, set_allowed_servers,
		"hosts that spec.server of a Cluster may name, such as *.svc; default: all" },
	{ "require-consent", "BOOL", VALUE_OPTIONAL, MANAGER, set_require_consent,
		"the token of a Secret goes only to servers that its annotation names; default: "
		"false" },
	{ "allow-local-servers", "BOOL", VALUE_OPTIONAL, MANAGER, set_allow_local,
		"slurmrestd on the manager's own machine or link, for development; default: "
		"false" },
	{ "slurm-memory", "MIB", VALUE_WANTED, MANAGER, set_slurm_memory,
		"memory for what all Slurms say; default: 48, of which a Slurm of 20000 nodes "
		"needs half, as much as one namespace has" },
	{ "secrets", "A,B", VALUE_WANTED, RBAC, set_secrets,
		"the only Secrets that may be read; default: each whose name a Cluster has" },
	{ "namespace-label", "KEY=VALUE", VALUE_WANTED, RBAC, set_namespace_label,
		"the manager may write in namespaces with this label only; default: in all" },
	{ "kubeconfig", "FILE", VALUE_WANTED, MANAGER, set_kubeconfig,
		"where the API server is; default: $KUBECONFIG, the pod's service account, "
		"~/.kube/config" },
	{ "context", "NAME", VALUE_WANTED, MANAGER, set_context,
		"of the kubeconfig; default: its current-context" },
	{ "health-probe-bind-address", "ADDRESS", VALUE_WANTED, MANAGER, set_probe,
		"/healthz and /readyz; default: :8081; 0 for none" },
	{ "metrics-bind-address", "ADDRESS", VALUE_WANTED, MANAGER, set_metrics,
		"/metrics; default: :8080; 0 for none" },
	{ "metrics-cert-path", "FOLDER", VALUE_WANTED, MANAGER, set_metrics_cert,
		"/metrics over TLS with its tls.crt and tls.key; default: plain" },
	{ "log-level", "LEVEL", VALUE_WANTED, MANAGER, set_log_level,
		"debug, info, warn or error; default: info" },
	{ "log-format", "FORMAT", VALUE_WANTED, MANAGER, set_log_format,
		"json or text; default: json" },
	{ "zap-log-level", "LEVEL", VALUE_WANTED, MANAGER, set_log_level, NULL },
	{ "cluster-workers", "N", VALUE_WANTED, MANAGER, set_nothing, NULL },
	{ "nodeset-workers", "N", VALUE_WANTED, MANAGER, set_nothing, NULL },
};

static const struct command_row *command_of(const char *name)
{
	for (size_t i = 0; name && i < LENGTH(commands); i++)
		if (str_eq(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* ---- what was meant ---- */

static struct err unknown_command(const char *typed)
{
	struct guess g = { 0 };
	for (size_t i = 0; i < LENGTH(commands); i++)
		guess_at(&g, typed, commands[i].name);
	if (g.name)
		return err_new(ERR_INVALID, "unknown command \"%.80s\"; did you mean %s?", typed,
			g.name);
	AUTO(str_free) struct str names = { 0 };
	for (size_t i = 0; i < LENGTH(commands); i++)
		str_addf(&names, "%s%s", i ? ", " : "", commands[i].name);
	return err_new(ERR_INVALID, "unknown command \"%.80s\"; the commands are: %s", typed,
		str_text(&names));
}

static struct err unknown_option(const char *typed)
{
	struct guess g = { 0 };
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].help)
			guess_at(&g, typed, rows[i].name);
	if (g.name)
		return err_new(ERR_INVALID, "unknown option --%.80s; did you mean --%s?", typed,
			g.name);
	return err_new(ERR_INVALID, "unknown option --%.80s; \"slurm-operator help\" lists them",
		typed);
}

/* ---- help ---- */

static void print_option(struct str *out, const struct option_row *r)
{
	struct str head AUTO(str_free) = { 0 };
	str_addf(&head, r->needs == VALUE_OPTIONAL ? "--%s[=%s]" : "--%s=%s", r->name, r->value);
	str_addf(out, "  %-38s %s\n", str_text(&head), r->help);
}

static void print_options(struct str *out, const struct command_row *c)
{
	str_addf(out, "\nOptions of %s:\n", c->name);
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].help && (rows[i].of & c->bit))
			print_option(out, &rows[i]);
	str_addf(out, "\nExample:\n  %s\n", c->example);
}

static void print_help(struct str *out, const struct command_row *only)
{
	if (only && only->bit) {
		str_addf(out, "slurm-operator %s [OPTION...]: %s.\n", only->name, only->what);
		print_options(out, only);
		return;
	}
	str_add(out,
		"slurm-operator COMMAND [OPTION...]\n\n"
		"Hosts Slurm clusters on Kubernetes: keeps NodeSets and Clusters as asked, and "
		"never ends a running job.\n\n"
		"Commands:\n");
	for (size_t i = 0; i < LENGTH(commands); i++)
		str_addf(out, "  %-9s %s\n", commands[i].name, commands[i].what);
	for (size_t i = 0; i < LENGTH(commands); i++)
		if (commands[i].bit)
			print_options(out, &commands[i]);
	str_add(out,
		"\nSIGTERM and SIGINT end the manager cleanly: what is under way is finished "
		"first. Starting again is always safe.\n");
}

/* ---- reading ---- */

struct reader {
	int argc, at;
	char **argv;
	const struct command_row *command, *about; /* about: of help */
	bool help, version;
	struct {
		const struct option_row *row;
		char *value;
	} given[64];
	size_t n;
};

static const struct option_row *row_of(const char *name, size_t n)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (strlen(rows[i].name) == n && memcmp(rows[i].name, name, n) == 0)
			return &rows[i];
	return NULL;
}

static bool is_given(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(r->given[i].row->name, name))
			return true;
	return false;
}

static struct err read_option(struct reader *r, char *text)
{
	char *equals = strchr(text, '='), *value = equals ? equals + 1 : NULL;
	const struct option_row *row = row_of(text,
		equals ? (size_t)(equals - text) : strlen(text));
	if (!row) {
		if (equals)
			*equals = '\0';
		return unknown_option(text);
	}
	if (!value && row->needs == VALUE_WANTED)
		value = r->at < r->argc ? r->argv[r->at++] : NULL;
	if (!value && row->needs == VALUE_WANTED)
		return err_new(ERR_INVALID, "--%s needs a value: --%s=%s", row->name, row->name,
			row->value);
	if (is_given(r, row->name))
		return err_new(ERR_INVALID, "--%s is given twice; give it once: --%s=%s", row->name,
			row->name, row->value);
	if (r->n == LENGTH(r->given))
		return err_new(ERR_INVALID, "more than %zu options", LENGTH(r->given));
	r->given[r->n].row = row;
	r->given[r->n++].value = value;
	return OK;
}

static struct err read_word(struct reader *r, const char *word)
{
	const struct command_row *c = command_of(word);
	if (!c)
		return unknown_command(word);
	if (!r->command) {
		r->command = c;
		r->help |= str_eq(word, "help");
		r->version |= str_eq(word, "version");
	} else if (str_eq(r->command->name, "help") && !r->about) {
		r->about = c;
	} else {
		return err_new(ERR_INVALID,
			"\"%s\" is one command too many: there is \"%s\" already", word,
			r->command->name);
	}
	return OK;
}

static struct err read_one(struct reader *r, char *arg)
{
	static const char *const help[] = { "--help", "-h", "-?", NULL };
	static const char *const version[] = { "--version", "-V", NULL };
	r->help |= value_is_in(help, arg);
	r->version |= value_is_in(version, arg);
	if (value_is_in(help, arg) || value_is_in(version, arg))
		return OK;
	if (str_has_prefix(arg, "--") && arg[2])
		return read_option(r, arg + 2);
	if (arg[0] == '-')
		return err_new(ERR_INVALID,
			"unknown option %.80s; \"slurm-operator help\" lists them", arg);
	return read_word(r, arg);
}

static struct err apply(const struct reader *r, struct options *o)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct option_row *row = r->given[i].row;
		if (!(row->of & r->command->bit))
			return err_new(ERR_INVALID, "--%s is no option of %s", row->name,
				r->command->name);
		struct err e = row->set(o, r->given[i].value);
		if (failed(e))
			return err_wrap(e, "--%s", row->name);
	}
	return OK;
}

/* What would do nothing is refused. */
static struct err check_use(const struct reader *r, const struct options *o)
{
	if (r->command->bit == MANAGER && is_given(r, "leader-election-namespace") &&
		!is_given(r, "leader-elect"))
		return err_new(ERR_INVALID,
			"--leader-election-namespace does nothing without --leader-elect");
	if (o->manager.metrics_cert_path && str_eq(o->manager.metrics_address, "0"))
		return err_new(ERR_INVALID,
			"--metrics-cert-path does nothing with --metrics-bind-address=0");
	return OK;
}

struct err options_read(int argc, char **argv, struct options *o, struct str *print)
{
	struct reader r = { .argc = argc, .argv = argv, .at = 1 };
	*o = (struct options){
		.manager = { .probe_address = ":8081", .metrics_address = ":8080" },
		.log_level = LOG_INFO,
	};
	while (r.at < argc) {
		struct err e = read_one(&r, argv[r.at++]);
		if (failed(e))
			return e;
	}
	if (r.help)
		print_help(print, r.about ? r.about : r.command);
	else if (r.version)
		str_add(print, "slurm-operator " OPERATOR_VERSION "\n");
	if (r.help || r.version)
		return OK;
	if (!r.command)
		return err_new(ERR_INVALID, "no command; try \"slurm-operator help\"");
	o->command = r.command->run;
	struct err e = apply(&r, o);
	return failed(e) ? e : check_use(&r, o);
}

void options_free(struct options *o)
{
	free(TAKE(o->manager.namespaces));
	free(TAKE(o->manager.allowed_servers));
	free(TAKE(o->rbac.secrets));
}
