/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: one row for each command and each option. An option or a value that
 * is not understood is refused, never ignored.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/exporter.h"
#include "cmd/keys.h"
#include "cmd/manager.h"
#include "cmd/probe.h"
#include "cmd/rbac.h"
#include "cmd/results.h"
#include "cmd/virtual_node.h"
#include "cmd/webhook.h"

struct options;
/*
 * Runs a command. The caller writes print to standard output. Returns the process's exit
 * status.
 */
typedef int command_fn(const struct options *o, struct str *print);

struct options {
	command_fn *command;           /* NULL: print has help or the version */
	struct manager_config manager; /* all texts here and below point into argv */
	struct rbac_config rbac;
	struct probe_config probe;
	struct webhook_config webhook; /* its kubeconfig is in manager */
	struct virtual_node_config virtual_node;
	struct results_command_config results;
	struct keys_config keys;
	struct exporter_command_config exporter;
	enum log_level log_level;
	bool log_text;
};

/*
 * Reads argv, and may cut its texts into pieces. Adds help or the version to print.
 * ERR_INVALID: one sentence with the right form.
 */
struct err options_read(int argc, char **argv, struct options *out, struct str *print);
void options_free(struct options *o);

#endif
