/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The webhook's own authority, where no cert-manager is: a CA and a certificate for the
 * server, kept in a Secret that all replicas read, renewed before they expire, and the
 * caBundle of the webhook configurations kept current.
 *
 * The Secret has tls.crt, tls.key, ca.crt (the newest CA first, then older ones that are
 * still trusted) and ca.key (of the newest). Any replica may write it: the first one
 * wins, the others read what it wrote. A new CA comes in without a failed call, in three
 * steps, each after an overlap in which all replicas and API servers have seen the one
 * before:
 *
 *     1. the new CA is trusted beside the old one, which signed the certificate in use
 *     2. the certificate is made anew, signed by the new CA
 *     3. the old CA is trusted no more
 *
 * A Secret that was deleted starts such a rotation, too.
 *
 * Definitions:
 *   bundle     the CAs that are trusted: ca.crt, and the caBundle of each configuration
 *   published  all configurations were seen with the bundle
 *   newest     the first CA of the bundle, whose key is in the Secret
 *   overlap    the time in which replicas and API servers read what another one wrote
 *
 * Invariants:
 *   1. The certificate that is served is signed by a CA of the bundle.
 *   2. A certificate of a new CA is made only when that CA has been published for an
 *      overlap, in the last overlap before the one in use expires, or if none is usable.
 *   3. A CA is dropped only when a certificate of the newest has been in use for an
 *      overlap.
 *   4. A failure leaves the certificate in use, and so do keys that are damaged.
 *   5. The first of several replicas that write wins: each write names the
 *      resourceVersion that was read, or is a POST. The others read the result.
 *   6. At most one request is under way (send asserts it).
 *
 * The steps, by authority_decide:
 *
 *   nothing --BEGIN--> REST --NEW_CA--> two CAs --NEW_SERVER--> --DROP_OLD--> REST
 *                       |                  ^
 *                       +---NEW_SERVER (the certificate alone is near its end)
 */
#ifndef WEBHOOK_AUTHORITY_H
#define WEBHOOK_AUTHORITY_H

#include "kube/client.h"
#include "net/x509.h"

/* ---- what is to be done, by what there is; pure ---- */

enum authority_step {
	AUTHORITY_REST,
	AUTHORITY_BEGIN,      /* nothing is usable: a CA and a certificate, at once */
	AUTHORITY_NEW_CA,     /* step 1 */
	AUTHORITY_NEW_SERVER, /* step 2, or the certificate alone */
	AUTHORITY_DROP_OLD,   /* step 3 */
};

/* Times are wall seconds. */
struct authority_facts {
	bool stored;      /* the Secret is there; else what is known is from before */
	bool ca_usable;   /* ca.key is that of the first CA, which is valid */
	bool server_good; /* valid, for our names, with its key, and a trusted CA signed it */
	bool server_of_newest;
	bool published; /* all configurations have the bundle */
	int64_t ca_made_s, ca_until_s, server_made_s, server_until_s;
	size_t n_authorities; /* in ca.crt */
};
enum authority_step authority_decide(const struct authority_facts *f, int64_t now_s,
	int64_t overlap_s);

/* ---- the process ---- */

struct authority;

/* Texts are copied. */
struct authority_config {
	struct kube *kube;
	const char *ns, *secret, *service, *configuration;
	int64_t overlap_s;
	/* A pair to serve with, at the start and whenever it is another one */
	void (*use)(void *ctx, const struct x509_pair *pair);
	void *ctx;
};
struct authority *authority_new(const struct authority_config *config);
void authority_free(struct authority *a); /* accepts NULL */
/* "" while calls of API servers can succeed; else why they cannot. */
const char *authority_trouble(const struct authority *a);

#endif
