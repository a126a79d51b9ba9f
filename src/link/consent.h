/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides to which servers a token may be sent. A user who may edit a Cluster chooses its
 * server and its Secret, and need not be allowed to read that Secret. Pure.
 */
#ifndef LINK_CONSENT_H
#define LINK_CONSENT_H

#include "json/json.h"
#include "link/facts.h"

/*
 * Rules of the manager's administrator about servers. Zero: the defaults of the options.
 */
struct server_rules {
	/* Patterns of their hosts, ended by NULL; NULL: all */
	const char *const *allowed;
	bool require_consent; /* a Secret that names no server consents to none */
	/* At addresses of the manager's own machine or link, too: for development */
	bool allow_local;
};

/*
 * Whether the host of this URL, as it is written there, fits one of the patterns, in
 * which * stands for any characters, a dot included. Letters count whatever their case; a
 * dot at the end, and the brackets of IPv6, do not count.
 */
bool server_allowed(const char *const *patterns, const char *url);

/* Whether this list, with commas, has the name; NULL is an empty one. */
bool list_names(const char *list, const char *name);

/* The consent of the Secret to this server; a slash at the end does not count. */
enum consent consent_of(const struct json *secret, const char *server, bool required);

#endif
