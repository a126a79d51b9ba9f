/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of commands and of options; for options.c. */
#ifndef CMD_OPTION_ROWS_H
#define CMD_OPTION_ROWS_H

#include "cmd/options.h"

/* The bits of the commands, which say what commands have an option. */
enum {
	MANAGER = 1,
	RBAC = 2,
	WEBHOOK = 4,
	PROBE = 8,
	VIRTUAL_NODE = 16,
	RESULTS = 32,
	PREPARE = 64,
	KEYS = 128,
	EXPORTER = 256,
	/*
	 * Options that say what the manager does and therefore what the webhook refuses.
	 * A chart has one value for both.
	 */
	JUDGES = MANAGER | WEBHOOK
};

struct command_row {
	const char *name, *what, *example;
	unsigned bit;    /* 0: no options */
	command_fn *run; /* NULL: options_read prints its text */
};
extern const struct command_row commands[];
extern const size_t n_commands;

enum value { VALUE_WANTED, VALUE_OPTIONAL };

struct option_row {
	const char *name, *value;
	enum value needs;
	unsigned of; /* commands */
	struct err (*set)(struct options *o, char *value);
	const char *help; /* NULL: accepted, but not shown */
};
extern const struct option_row option_rows[];
extern const size_t n_option_rows;

#endif
