/* SPDX-License-Identifier: Apache-2.0 */
/* Options of red-box by rows. */
#include "cmd/redbox_options.h"

#include <string.h>

#include "base/own.h"

#define REDBOX_SOCKET "/var/run/syslurm/red-box.sock"

static struct err set_socket(struct redbox_options *o, const char *value)
{
	o->socket = value;
	return *value ? OK : err_new(ERR_INVALID, "a path is wanted");
}

static struct err set_config(struct redbox_options *o, const char *value)
{
	o->config = value;
	return *value ? OK : err_new(ERR_INVALID, "a path is wanted");
}

static struct err set_level(struct redbox_options *o, const char *value)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };
	for (size_t i = 0; i < LENGTH(names); i++)
		if (str_eq(names[i], value)) {
			o->log_level = (enum log_level)i;
			return OK;
		}
	return err_new(ERR_INVALID, "debug, info, warn or error is wanted");
}

static struct err set_format(struct redbox_options *o, const char *value)
{
	o->log_text = str_eq(value, "text");
	return o->log_text || str_eq(value, "json")
		? OK
		: err_new(ERR_INVALID, "json or text is wanted");
}

static const struct {
	const char *name, *value, *help;
	struct err (*set)(struct redbox_options *o, const char *value);
} rows[] = {
	{ "socket", "PATH", "listen there; default " REDBOX_SOCKET, set_socket },
	{ "config", "FILE", "settings and partitions, YAML; default: none", set_config },
	{ "log-level", "LEVEL", "debug, info, warn or error; default info", set_level },
	{ "log-format", "FORMAT", "json or text; default json", set_format },
};

static void print_help(struct str *out)
{
	str_add(out,
		"red-box [OPTION...]\n\n"
		"Submits, watches and cancels jobs of Slurm for clients on a unix socket (gRPC),\n"
		"as the account that it runs as.\n\n");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		AUTO(str_free) struct str head = { 0 };
		str_addf(&head, "--%s=%s", rows[i].name, rows[i].value);
		str_addf(out, "  %-22s %s\n", str_text(&head), rows[i].help);
	}
	str_add(out,
		"  --help, --version\n\n"
		"One dash is as good as two. A socket that systemd hands over comes before "
		"--socket.\n"
		"SIGTERM ends it: calls that are under way are finished first.\n");
}

/* The name of an option: arg without its dashes, up to "=". 0: it is none. */
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
		if (!is_named(name, n, rows[i].name))
			continue;
		const char *value = name[n] == '=' ? name + n + 1
			: *at + 1 < argc           ? argv[++*at]
						   : NULL;
		if (!value)
			return err_new(ERR_INVALID, "--%s needs a value: --%s=%s", rows[i].name,
				rows[i].name, rows[i].value);
		struct err e = rows[i].set(o, value);
		return failed(e) ? err_wrap(e, "--%s", rows[i].name) : e;
	}
	return err_new(ERR_INVALID, "unknown option \"%.80s\"; red-box --help lists them", arg);
}

struct err redbox_options_read(int argc, char **argv, struct redbox_options *o, struct str *print)
{
	*o = (struct redbox_options){ .socket = REDBOX_SOCKET, .log_level = LOG_INFO };
	for (int at = 1; at < argc; at++) {
		const char *name;
		size_t n = name_of(argv[at], &name);
		if (n && (is_named(name, n, "help") || is_named(name, n, "h"))) {
			print_help(print);
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
