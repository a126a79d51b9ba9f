/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the webhook's authority; for the files of this folder only. */
#ifndef WEBHOOK_AUTHORITY_PARTS_H
#define WEBHOOK_AUTHORITY_PARTS_H

#include "base/str.h"
#include "json/build.h"
#include "webhook/authority.h"

enum {
	DAY_S = 86400,
	CA_DAYS = 3650,
	CA_RENEW_DAYS = 730,
	SERVER_DAYS = 365,
	SERVER_RENEW_DAYS = 120,
	BACKDATED_S = 300, /* because the clocks of machines differ */
	BUNDLE_MOST = 8,   /* CAs */
	LOOK_MS = 10000,
	HURRY_MS = 1000,
	REQUEST_MS = 10000,
	NAMES_MOST = 4,
};

/* The four texts of the Secret; from malloc, NULL when absent. */
struct keys {
	struct x509_pair server;
	char *bundle, *ca_key;
};
void keys_free(struct keys *k); /* usable with AUTO */

/* The keys of the Secret, decoded. */
struct keys keys_read(const struct json *secret);
/* Writes the data of the Secret, as the body of a request. */
void keys_write(struct jdoc *d, struct jval *data, const struct keys *k);

struct names {
	char *list[NAMES_MOST];
};
/* The DNS names of the Service. */
struct names names_of(const char *service, const char *ns);
void names_free(struct names *n); /* usable with AUTO */

/* Judges the keys. The caller sets stored and published. */
struct authority_facts keys_judge(const struct keys *k, const struct names *names, int64_t now_s);
/* The keys after a step. */
struct err keys_after(enum authority_step step, const struct keys *k, const struct names *names,
	int64_t now_s, struct keys *out);

/*
 * A JSON patch that sets the caBundle of all webhooks of a configuration; NULL: all have
 * it.
 */
const char *bundle_patch(struct arena *a, const struct json *configuration, const char *bundle);

#endif
