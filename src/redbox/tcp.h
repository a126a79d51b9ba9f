/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of TCP. red-box listens on TCP only if all are set: an address, a
 * certificate with its key, the authorities of clients, and the names of the clients that
 * are allowed.
 */
#ifndef REDBOX_TCP_H
#define REDBOX_TCP_H

#include "redbox/config.h"

/* As the command line has it; NULL: not given. */
struct redbox_tcp_flags {
	const char *address, *cert_file, *key_file, *client_ca_file;
	const char *clients; /* A,B */
};

/* Each member that the command line has replaces that of the file. */
void redbox_tcp_override(struct redbox_config *c, const struct redbox_tcp_flags *f);
/* ERR_INVALID: some of it is there, but not all, or a value cannot be meant. */
struct err redbox_tcp_check(const struct redbox_tcp *t);

#endif
