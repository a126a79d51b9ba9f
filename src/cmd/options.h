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
 * Text that it adds to print goes to standard output. Returns the process's exit status.
 */
typedef int command_fn(const struct options *o, struct str *print);

struct options {
	command_fn *command;           /* NULL: help or the version was asked for */
	struct manager_config manager; /* its texts are those of argv */
	struct rbac_config rbac;       /* so are these */
	struct probe_config probe;     /* and these */
	struct webhook_config webhook; /* the same; where the API server is, is in manager */
	struct virtual_node_config virtual_node; /* the same */
	struct results_command_config results;   /* the same */
	struct keys_config keys;                 /* the same */
	struct exporter_command_config exporter; /* the same */
	enum log_level log_level;
	bool log_text;
};

/*
 * Reads argv, whose texts may be cut into pieces. Without a command, what was asked for
 * is in print. ERR_INVALID: one sentence with what would be right.
 */
struct err options_read(int argc, char **argv, struct options *out, struct str *print);
void options_free(struct options *o);

#endif
