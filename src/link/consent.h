/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides to which servers a token may be sent. A user who may edit a Cluster chooses its
 * server and its Secret, but may lack permission to read that Secret. Pure.
 */
#ifndef LINK_CONSENT_H
#define LINK_CONSENT_H

#include "json/json.h"
#include "link/facts.h"

/*
 * Rules of the manager's administrator about servers. Zero: the defaults of the options.
 */
struct server_rules {
	/* Patterns of permitted hosts, ended by NULL; NULL: all hosts */
	const char *const *allowed;
	bool require_consent; /* a Secret that names no server consents to none */
	/* Also permits addresses of the manager's own machine or link: for development */
	bool allow_local;
};

/*
 * True if the host in this URL fits one of the patterns. * stands for any characters,
 * including dots. Upper and lower case are equal; a dot at the end and the brackets of
 * IPv6 are ignored.
 */
bool server_allowed(const char *const *patterns, const char *url);

/* True if this list, separated by commas, has the name; NULL is an empty list. */
bool list_names(const char *list, const char *name);

/* The consent of the Secret to this server; a slash at the end is ignored. */
enum consent consent_of(const struct json *secret, const char *server, bool required);

#endif
