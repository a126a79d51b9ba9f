/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of TCP. red-box listens on TCP only if all of them are set: an address, a
 * certificate with its key, the certificate authorities of clients, and the names of the
 * clients that are allowed.
 */
#ifndef REDBOX_TCP_H
#define REDBOX_TCP_H

#include "redbox/config.h"

/* Values of the command line; NULL: not given. */
struct redbox_tcp_flags {
	const char *address, *cert_file, *key_file, *client_ca_file;
	const char *clients; /* A,B */
};

/* Replaces each setting of the file that the command line also sets. */
void redbox_tcp_override(struct redbox_config *c, const struct redbox_tcp_flags *f);
/* ERR_INVALID: only some settings are set, or a value is not valid. */
struct err redbox_tcp_check(const struct redbox_tcp *t);

#endif
