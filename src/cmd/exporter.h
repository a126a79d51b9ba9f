/* SPDX-License-Identifier: Apache-2.0 */
/* The command "exporter". */
#ifndef CMD_EXPORTER_H
#define CMD_EXPORTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/exporter/facts.h"

struct options;
struct str;

#define EXPORTER_SERVER "http://localhost:6820"

struct exporter_command_config {
	const char *server, *token_file; /* token_file NULL: the token is in the environment */
	/* Users who may run slurmrestd on this machine, besides root and our own user */
	uid_t *server_users;
	size_t n_server_users;
	const char *scrape_token_file; /* NULL: every client may scrape */
	int64_t cache_ms;
	bool per_user_names;
	bool job_efficiency;
	bool describe; /* only print the tables of metrics */
	struct exporter_limits limits;
};
extern const struct exporter_command_config exporter_usual;

/* Runs until SIGTERM or SIGINT. Returns the process's exit status. */
int exporter_command(const struct options *o, struct str *print);

#endif
