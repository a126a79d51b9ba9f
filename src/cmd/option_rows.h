/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of commands and of options; for options.c. */
#ifndef CMD_OPTION_ROWS_H
#define CMD_OPTION_ROWS_H

#include "cmd/options.h"

/* A command is a row, and a file of its own; whom an option is for, a bit. */
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
	 * An option of both says what the webhook refuses and what the manager does: a
	 * cluster gives both the same value, and a chart has one value for it.
	 */
	JUDGES = MANAGER | WEBHOOK
};

struct command_row {
	const char *name, *what, *example;
	unsigned bit;    /* 0: it has no options */
	command_fn *run; /* NULL: what is here is all it prints */
};
extern const struct command_row commands[];
extern const size_t n_commands;

enum value { VALUE_WANTED, VALUE_OPTIONAL };

struct option_row {
	const char *name, *value;
	enum value needs;
	unsigned of; /* commands */
	struct err (*set)(struct options *o, char *value);
	const char *help; /* NULL: taken, but not shown */
};
extern const struct option_row option_rows[];
extern const size_t n_option_rows;

#endif
