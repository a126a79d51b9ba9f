/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What red-box is told of clients by TCP. There are none without all of it: an address,
 * a certificate with its key, the authorities of clients, and which of their clients may
 * speak.
 */
#ifndef REDBOX_TCP_H
#define REDBOX_TCP_H

#include "redbox/config.h"

/* As the command line has it; NULL: not given. */
struct redbox_tcp_flags {
	const char *address, *cert_file, *key_file, *client_ca_file;
	const char *clients; /* A,B */
};

/* Of each member the command line counts, where it has one. */
void redbox_tcp_override(struct redbox_config *c, const struct redbox_tcp_flags *f);
/* ERR_INVALID: some of it is there, but not all, or a value cannot be meant. */
struct err redbox_tcp_check(const struct redbox_tcp *t);

#endif
