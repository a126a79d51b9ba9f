/* SPDX-License-Identifier: Apache-2.0 */
/* slurm-operator: which command, and its exit status. */
#include <stdio.h>
#include <sysexits.h>

#include "base/own.h"
#include "cmd/options.h"
#include "cmd/rbac.h"

static int print_out(const struct str *text)
{
	fputs(str_text(text), stdout);
	return fflush(stdout) ? 1 : 0;
}

static int run_rbac(const struct manager_config *c)
{
	struct str out AUTO(str_free) = { 0 };
	rbac_print(&out, c->lease_namespace ? c->lease_namespace : "slurm-operator",
		(const char *const *)c->namespaces);
	return print_out(&out);
}

static int run_manager(const struct options *o)
{
	log_set_level(o->log_level);
	log_set_text(o->log_text);
	return manager_run(&o->manager);
}

int main(int argc, char **argv)
{
	struct options options AUTO(options_free) = { 0 };
	struct str print AUTO(str_free) = { 0 };
	struct err e = options_read(argc, argv, &options, &print);
	if (failed(e)) {
		fprintf(stderr, "slurm-operator: %s\n", e.text);
		return EX_USAGE;
	}
	switch (options.command) {
	case COMMAND_NONE:
		return print_out(&print);
	case COMMAND_RBAC:
		return run_rbac(&options.manager);
	case COMMAND_MANAGER:
		break;
	}
	return run_manager(&options);
}
