/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: one row for each command and each option. What is not understood is
 * refused, never swallowed.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "cmd/manager.h"

enum command { COMMAND_NONE, COMMAND_MANAGER, COMMAND_RBAC };

struct options {
	enum command command;
	struct manager_config manager; /* its texts are those of argv */
	enum log_level log_level;
	bool log_text;
};

/*
 * Reads argv, whose texts may be cut into pieces. COMMAND_NONE: help or the version was
 * asked for, and is in print. ERR_INVALID: one sentence with what would be right.
 */
struct err options_read(int argc, char **argv, struct options *out, struct str *print);
void options_free(struct options *o);

#endif
