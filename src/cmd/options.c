/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the command line by its rows, and prints help from them. */
#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "cmd/guess.h"
#include "cmd/option_rows.h"
#include "cmd/values.h"

static const struct command_row *command_of(const char *name)
{
	for (size_t i = 0; name && i < n_commands; i++)
		if (str_eq(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* ---- suggestions ---- */

/* Programs of wlm-operator, and the commands that do their work here. */
static const struct {
	const char *name, *here;
} elsewhere[] = {
	{ "configurator",
		"virtual-node finds the partitions of a Slurm by itself, and serves all of them" },
	{ "virtual-kubelet", "virtual-node serves all partitions of a Slurm" },
	{ "operator", "manager serves SlurmJobs and WlmJobs, too" },
	{ "red-box", "red-box is a program of its own, for the login node" },
};

static struct err unknown_command(const char *typed)
{
	struct guess g = { 0 };
	for (size_t i = 0; i < LENGTH(elsewhere); i++)
		if (str_eq(elsewhere[i].name, typed))
			return err_new(ERR_INVALID, "unknown command \"%s\"; %s", typed,
				elsewhere[i].here);
	for (size_t i = 0; i < n_commands; i++)
		guess_at(&g, typed, commands[i].name);
	if (g.name)
		return err_new(ERR_INVALID, "unknown command \"%.80s\"; did you mean %s?", typed,
			g.name);
	AUTO(str_free) struct str names = { 0 };
	for (size_t i = 0; i < n_commands; i++)
		str_addf(&names, "%s%s", i ? ", " : "", commands[i].name);
	return err_new(ERR_INVALID, "unknown command \"%.80s\"; the commands are: %s", typed,
		str_text(&names));
}

static struct err unknown_option(const char *typed)
{
	struct guess g = { 0 };
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].help)
			guess_at(&g, typed, option_rows[i].name);
	if (g.name)
		return err_new(ERR_INVALID, "unknown option --%.80s; did you mean --%s?", typed,
			g.name);
	return err_new(ERR_INVALID, "unknown option --%.80s; \"slurm-operator help\" lists them",
		typed);
}

/* Another command has the option: suggests the nearest one of this command. */
static struct err option_of_another(const char *typed, const struct command_row *c)
{
	struct guess g = { 0 };
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].help && (option_rows[i].of & c->bit))
			guess_at(&g, typed, option_rows[i].name);
	if (g.name)
		return err_new(ERR_INVALID, "--%s is no option of %s; did you mean --%s?", typed,
			c->name, g.name);
	return err_new(ERR_INVALID,
		"--%s is no option of %s; \"slurm-operator help %s\" lists them", typed, c->name,
		c->name);
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
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].help && (option_rows[i].of & c->bit))
			print_option(out, &option_rows[i]);
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
		"Hosts Slurm clusters on Kubernetes: keeps NodeSets and Clusters as specified, and ends no running job of theirs. Sends jobs of Kubernetes to an existing Slurm.\n\n"
		"Commands:\n");
	for (size_t i = 0; i < n_commands; i++)
		str_addf(out, "  %-12s %s\n", commands[i].name, commands[i].what);
	for (size_t i = 0; i < n_commands; i++)
		if (commands[i].bit)
			print_options(out, &commands[i]);
	str_add(out,
		"\nSIGTERM and SIGINT end manager and webhook cleanly: actions in flight are finished first. They end virtual-node, exporter, results, prepare and keys at once: jobs, nodes and what was copied stay as they are. Starting again is always safe.\n");
}

/* ---- reading ---- */

struct reader {
	int argc, at;
	char **argv;
	const struct command_row *command, *about; /* about: the command of help */
	bool help, version;
	struct {
		const struct option_row *row;
		char *value;
	} given[64];
	size_t n;
};

static const struct option_row *row_of(const char *name, size_t n)
{
	for (size_t i = 0; i < n_option_rows; i++)
		if (strlen(option_rows[i].name) == n && memcmp(option_rows[i].name, name, n) == 0)
			return &option_rows[i];
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
	if (!c && r->command && r->command->bit)
		return err_new(ERR_INVALID,
			"%s takes options only, and \"%.80s\" is none: they begin with --",
			r->command->name, word);
	if (!c)
		return unknown_command(word);
	if (!r->command) {
		r->command = c;
		r->help |= str_eq(word, "help");
		r->version |= str_eq(word, "version");
	} else if (str_eq(r->command->name, "help") && !r->about) {
		r->about = c;
	} else {
		return err_new(ERR_INVALID, "unexpected \"%s\": the command is \"%s\"", word,
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
			return option_of_another(row->name, r->command);
		struct err e = row->set(o, r->given[i].value);
		if (failed(e))
			return err_wrap(e, "--%s", row->name);
	}
	return OK;
}

/* With --cert-dir the webhook makes no CA, so options of the CA are refused. */
static struct err check_webhook(const struct reader *r, const struct options *o)
{
	static const char *const names[] = { "secret-name", "service-name", "webhook-configuration",
		"ca-overlap" };
	for (size_t i = 0; i < LENGTH(names) && o->webhook.cert_dir; i++)
		if (is_given(r, names[i]))
			return err_new(ERR_INVALID, "--%s does nothing with --cert-dir", names[i]);
	return OK;
}

static bool given_of(const struct reader *r, const char *const *names, size_t n)
{
	bool any = false;
	for (size_t i = 0; i < n; i++)
		any |= is_given(r, names[i]);
	return any;
}

static struct err check_rbac(const struct reader *r, const struct options *o)
{
	static const char *const of_manager[] = { "namespaces", "secrets", "namespace-label",
		"leader-election-namespace" };
	static const char *const of_webhook[] = { "namespace", "secret-name",
		"webhook-configuration" };
	for (size_t i = 0; i < LENGTH(of_manager) && o->rbac.webhook; i++)
		if (is_given(r, of_manager[i]))
			return err_new(ERR_INVALID, "--%s does nothing with --webhook",
				of_manager[i]);
	if (o->rbac.virtual_node && (o->rbac.webhook || given_of(r, of_manager, 3)))
		return err_new(ERR_INVALID,
			"--virtual-node may be combined only with --leader-election-namespace");
	for (size_t i = 0; i < LENGTH(of_webhook) && !o->rbac.webhook; i++)
		if (is_given(r, of_webhook[i]))
			return err_new(ERR_INVALID, "--%s does nothing without --webhook",
				of_webhook[i]);
	return OK;
}

static struct err check_results(const struct results_command_config *c, const char *name,
	bool inputs)
{
	if (!c->url || !c->public_key || !c->pod || !c->token_file || !(inputs ? c->from : c->to))
		return err_new(ERR_INVALID,
			"%s needs --url, --public-key, --pod, --token-file and --%s: the manager starts it with all of them",
			name, inputs ? "from" : "to");
	return OK;
}

/* Refuses an option that would do nothing. */
static struct err check_use(const struct reader *r, const struct options *o)
{
	if (r->command->bit == MANAGER && is_given(r, "leader-election-namespace") &&
		!is_given(r, "leader-elect"))
		return err_new(ERR_INVALID,
			"--leader-election-namespace does nothing without --leader-elect");
	static const char *const of_jobs[] = { "results-image", "results-user", "results-volumes" };
	for (size_t i = 0; i < LENGTH(of_jobs) && !o->manager.jobs; i++)
		if (is_given(r, of_jobs[i]))
			return err_new(ERR_INVALID, "--%s does nothing with --jobs=false",
				of_jobs[i]);
	struct err e = r->command->bit == WEBHOOK ? check_webhook(r, o)
		: r->command->bit == RBAC         ? check_rbac(r, o)
						  : OK;
	if (failed(e))
		return e;
	if (o->manager.metrics_cert_path && str_eq(o->manager.metrics_address, "0"))
		return err_new(ERR_INVALID,
			"--metrics-cert-path does nothing with --metrics-bind-address=0");
	if (r->command->bit == PROBE && !o->probe.urls)
		return err_new(ERR_INVALID, "probe needs --urls=URL,...");
	if (r->command->bit == KEYS && !o->keys.make)
		return err_new(ERR_INVALID, "keys needs --make=JSON: the Secrets to make");
	bool inputs = r->command->bit == PREPARE;
	return r->command->bit == VIRTUAL_NODE ? virtual_node_check(&o->virtual_node)
		: r->command->bit == RESULTS || inputs
		? check_results(&o->results, r->command->name, inputs)
		: OK;
}

struct err options_read(int argc, char **argv, struct options *o, struct str *print)
{
	struct reader r = { .argc = argc, .argv = argv, .at = 1 };
	*o = (struct options){
		.manager = { .probe_address = ":8081", .metrics_address = ":8080", .jobs = true,
			.results = job_options_usual, },
		.webhook = { .address = ":9443", .secret = WEBHOOK_SECRET,
			.service = WEBHOOK_NAME,
			.configuration = WEBHOOK_NAME,
			.overlap_s = 600, },
		.virtual_node = { .kubelet_address = ":10250" },
		.exporter = exporter_usual,
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
	free(TAKE(o->manager.results_volumes));
	free(TAKE(o->exporter.server_users));
	free(TAKE(o->rbac.secrets));
	free(TAKE(o->probe.urls));
	free(TAKE(o->virtual_node.red_boxes));
	free(TAKE(o->virtual_node.account_boxes));
	free(TAKE(o->virtual_node.accounts));
	free(TAKE(o->virtual_node.partitions));
}
