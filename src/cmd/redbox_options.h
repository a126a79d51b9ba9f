/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of red-box: "-socket PATH" as in the former red-box, or
 * "--socket=PATH". With the word "check" before the options, red-box only checks what it
 * needs.
 */
#ifndef CMD_REDBOX_OPTIONS_H
#define CMD_REDBOX_OPTIONS_H

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "redbox/tcp.h"

struct redbox_options {
	bool done; /* only help or the version was requested, which is in print */
	const char *socket;
	const char *rest_socket; /* NULL: no REST interface */
	const char *config;      /* NULL: none */
	/* NULL: not set; metrics_address "0": none */
	const char *metrics_address, *metrics_cert_path;
	const char *state_folder; /* overrides the configuration; NULL: not set */
	struct redbox_tcp_flags tcp;
	enum log_level log_level;
	bool log_text;
	bool check, check_json;
};

/* ERR_INVALID: one sentence with the right form. The texts point into argv. */
struct err redbox_options_read(int argc, char **argv, struct redbox_options *out,
	struct str *print);

#endif
