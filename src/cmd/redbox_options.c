/* SPDX-License-Identifier: Apache-2.0 */
/* The options of red-box, one row each. */
#include "cmd/redbox_options.h"

#include <stddef.h>
#include <string.h>

#include "base/metric.h"
#include "base/own.h"

#define REDBOX_SOCKET "/var/run/syslurm/red-box.sock"

static struct err set_text(void *text, const char *value)
{
	*(const char **)text = value;
	return *value ? OK : err_new(ERR_INVALID, "a value is wanted");
}

static struct err set_path(void *text, const char *value)
{
	*(const char **)text = value;
	return *value ? OK : err_new(ERR_INVALID, "a path is wanted");
}

/* A relative path would change its meaning when red-box enters a folder of clients. */
static struct err set_state(void *text, const char *value)
{
	*(const char **)text = value;
	return *value == '/' ? OK
			     : err_new(ERR_INVALID, "an absolute path is wanted, it begins with /");
}

static struct err set_level(void *level, const char *value)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };
	for (size_t i = 0; i < LENGTH(names); i++)
		if (str_eq(names[i], value)) {
			*(enum log_level *)level = (enum log_level)i;
			return OK;
		}
	return err_new(ERR_INVALID, "debug, info, warn or error is wanted");
}

static struct err set_format(void *is_text, const char *value)
{
	*(bool *)is_text = str_eq(value, "text");
	return str_eq(value, "text") || str_eq(value, "json")
		? OK
		: err_new(ERR_INVALID, "json or text is wanted");
}

static struct err set_output(void *is_json, const char *value)
{
	*(bool *)is_json = str_eq(value, "json");
	return str_eq(value, "json") || str_eq(value, "text")
		? OK
		: err_new(ERR_INVALID, "json or text is wanted");
}

#define OF(member) offsetof(struct redbox_options, member)

static const struct {
	const char *name, *value, *help;
	struct err (*set)(void *member, const char *value);
	size_t member;
	const char *of_check; /* only for check: its short name; NULL: for red-box too */
} rows[] = {
	{ "socket", "PATH", "listen there; default " REDBOX_SOCKET, set_path, OF(socket) },
	{ "rest-socket", "PATH", "listen there by REST, for clients of the older red-box",
		set_state, OF(rest_socket) },
	{ "config", "FILE", "settings and partitions, YAML; default: none", set_path, OF(config) },
	{ "state-folder", "PATH", "the journal of submissions; default: as configured", set_state,
		OF(state_folder) },
	{ "tcp-address", "ADDRESS:PORT", "also listen there; needs the four options that follow",
		set_text, OF(tcp.address) },
	{ "tcp-cert-file", "FILE", "the certificate that clients by TCP see, PEM", set_path,
		OF(tcp.cert_file) },
	{ "tcp-key-file", "FILE", "its key, PEM", set_path, OF(tcp.key_file) },
	{ "tcp-client-ca-file", "FILE", "the CA of the certificates of clients, PEM", set_path,
		OF(tcp.client_ca_file) },
	{ "tcp-clients", "NAME,...", "the names of the clients that are admitted", set_text,
		OF(tcp.clients) },
	{ "metrics-bind-address", "ADDRESS", "/metrics: 127.0.0.1:8080, unix:/PATH; default: none",
		set_text, OF(metrics_address) },
	{ "metrics-cert-path", "FOLDER", "/metrics over TLS with its tls.crt and tls.key", set_path,
		OF(metrics_cert_path) },
	{ "log-level", "LEVEL", "debug, info, warn or error; default info", set_level,
		OF(log_level) },
	{ "log-format", "FORMAT", "json or text; default json", set_format, OF(log_text) },
	{ "output", "FORMAT", "json or text; default text; also -o", set_output, OF(check_json),
		"o" },
};

static const char about_red_box[] =
	"red-box [OPTION...]\n"
	"red-box check [OPTION...]\n\n"
	"Submits, watches and cancels jobs of Slurm for clients on a unix socket or by\n"
	"TLS (gRPC), as the account that it runs as. \"check\" says whether all that it\n"
	"needs is well: red-box check --help.\n\n";

static const char about_check[] =
	"red-box check [OPTION...]\n\n"
	"Checks everything that red-box needs, and prints a line for each item: \"ok\", \"WRONG\"\n"
	"and what would be right, or \"unknown\". It looks at the configuration, the account,\n"
	"Slurm's tools, slurmctld, partitions (sbatch --test-only), slurmdbd, the folders,\n"
	"the journal and the socket, and asks the red-box that runs there.\n\n"
	"Give it the options that red-box has. Run it as the account of red-box, or as root:\n"
	"then it becomes the account of the red-box that answers. It changes nothing, also\n"
	"while red-box runs, and ends after a minute at most.\n"
	"Exit status: 0 all is ok, 1 something is not, 64 the command line is wrong.\n\n";

static void print_help(struct str *out, bool check)
{
	str_add(out, check ? about_check : about_red_box);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str head = { 0 };
		str_addf(&head, "--%s=%s", rows[i].name, rows[i].value);
		if (check || !rows[i].of_check)
			str_addf(out, "  %-26s %s\n", str_text(&head), rows[i].help);
	}
	if (check) {
		str_add(out, "  --help\n\nOne dash is as good as two.\n");
		return;
	}
	str_add(out,
		"  --help, --version, --describe-metrics\n\n"
		"One dash is as good as two. A socket from systemd overrides --socket.\n"
		"An option overrides the same setting of --config.\n"
		"SIGTERM ends it: calls that are under way are finished first.\n");
}

/* The name of an option: arg without its dashes, up to "=". 0: arg is no option. */
static size_t name_of(const char *arg, const char **name)
{
	*name = arg + (arg[0] == '-') + (arg[0] == '-' && arg[1] == '-');
	return arg[0] == '-' ? strcspn(*name, "=") : 0;
}

static bool is_named(const char *name, size_t n, const char *wanted)
{
	return strlen(wanted) == n && memcmp(name, wanted, n) == 0;
}

static struct err read_option(int argc, char **argv, int *at, struct redbox_options *o)
{
	const char *name, *arg = argv[*at];
	size_t n = name_of(arg, &name);
	for (size_t i = 0; n && i < LENGTH(rows); i++) {
		const char *brief = rows[i].of_check;
		if (!is_named(name, n, rows[i].name) && !(brief && is_named(name, n, brief)))
			continue;
		if (brief && !o->check)
			break;
		const char *value = name[n] == '=' ? name + n + 1
			: *at + 1 < argc           ? argv[++*at]
						   : NULL;
		if (!value)
			return err_new(ERR_INVALID, "--%s needs a value: --%s=%s", rows[i].name,
				rows[i].name, rows[i].value);
		struct err e = rows[i].set((char *)o + rows[i].member, value);
		return failed(e) ? err_wrap(e, "--%s", rows[i].name) : e;
	}
	return err_new(ERR_INVALID, "unknown option \"%.80s\"; red-box %s--help lists them", arg,
		o->check ? "check " : "");
}

struct err redbox_options_read(int argc, char **argv, struct redbox_options *o, struct str *print)
{
	*o = (struct redbox_options){ .socket = REDBOX_SOCKET, .log_level = LOG_INFO };
	o->check = argc > 1 && str_eq(argv[1], "check");
	for (int at = 1 + o->check; at < argc; at++) {
		const char *name;
		size_t n = name_of(argv[at], &name);
		if (n && (is_named(name, n, "help") || is_named(name, n, "h"))) {
			print_help(print, o->check);
			o->done = true;
			return OK;
		}
		if (n && is_named(name, n, "describe-metrics")) {
			metric_describe(print, METRIC_OF_RED_BOX, METRIC_OF_RED_BOX);
			o->done = true;
			return OK;
		}
		if (n && (is_named(name, n, "version") || is_named(name, n, "V"))) {
			str_add(print, "red-box " OPERATOR_VERSION "\n");
			o->done = true;
			return OK;
		}
		struct err e = read_option(argc, argv, &at, o);
		if (failed(e))
			return e;
	}
	return OK;
}
