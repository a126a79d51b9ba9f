/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of red-box: "-socket PATH" as of old, "--socket=PATH" as elsewhere.
 * The word "check" before the options: red-box looks at what it would use, and ends.
 */
#ifndef CMD_REDBOX_OPTIONS_H
#define CMD_REDBOX_OPTIONS_H

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "redbox/tcp.h"

struct redbox_options {
	bool done; /* only help or the version was asked for: it is in print */
	const char *socket;
	const char *config; /* NULL: none */
	/* NULL: not set; metrics_address "0": none */
	const char *metrics_address, *metrics_cert_path;
	const char *state_folder; /* comes before that of the configuration; NULL: not said */
	struct redbox_tcp_flags tcp;
	enum log_level log_level;
	bool log_text;
	bool check, check_json;
};

/* ERR_INVALID: one sentence with what would be right. The texts are those of argv. */
struct err redbox_options_read(int argc, char **argv, struct redbox_options *out,
	struct str *print);

#endif
