/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The webhook's own certificate authority, for clusters without cert-manager. It keeps a
 * CA and a server certificate in a Secret that all replicas read, renews them before they
 * expire, and updates the caBundle of the webhook configurations.
 *
 * The Secret has tls.crt, tls.key, ca.crt (the newest CA first, then older ones that are
 * still trusted) and ca.key (of the newest). Any replica may write it. The first write
 * wins, and the other replicas read it. A new CA replaces the old one without a failed
 * call, in three steps. Each step follows an overlap in which all replicas and API
 * servers have seen the step before:
 *
 *     1. the new CA is trusted beside the old one, which signed the certificate in use
 *     2. a new certificate is made, signed by the new CA
 *     3. the old CA is no longer trusted
 *
 * The deletion of the Secret starts such a rotation too.
 *
 * Definitions:
 *   bundle     the CAs that are trusted: ca.crt, and the caBundle of each configuration
 *   published  all configurations were seen with the bundle
 *   newest     the first CA of the bundle, whose key is in the Secret
 *   overlap    the time in which all replicas and API servers read a new version
 *
 * Invariants:
 *   1. The certificate that is served is signed by a CA of the bundle.
 *   2. A certificate of a new CA is made only if that CA has been published for an
 *      overlap, if the certificate in use expires within an overlap, or if none is
 *      usable.
 *   3. A CA is dropped only after a certificate of the newest CA has been in use for an
 *      overlap.
 *   4. After a failure, and if the keys in the Secret are damaged, the certificate in use
 *      stays.
 *   5. If several replicas write, the first one wins, because each write names the
 *      resourceVersion that was read, or is a POST. The others read the result.
 *   6. At most one request is in flight (send asserts it).
 *
 * The steps, by authority_decide:
 *
 *   nothing --BEGIN--> REST --NEW_CA--> two CAs --NEW_SERVER--> --DROP_OLD--> REST
 *                       |                  ^
 *                       +---NEW_SERVER (only the certificate is near its end)
 */
#ifndef WEBHOOK_AUTHORITY_H
#define WEBHOOK_AUTHORITY_H

#include "kube/client.h"
#include "net/x509.h"

/* ---- the decision; pure ---- */

enum authority_step {
	AUTHORITY_REST,
	AUTHORITY_BEGIN,      /* nothing is usable: make a CA and a certificate at once */
	AUTHORITY_NEW_CA,     /* step 1 */
	AUTHORITY_NEW_SERVER, /* step 2, or a new certificate of the same CA */
	AUTHORITY_DROP_OLD,   /* step 3 */
};

/* Times are wall seconds. */
struct authority_facts {
	bool stored;      /* the keys are those of the Secret; else it is missing or damaged */
	bool ca_usable;   /* the first CA is valid, and ca.key is its key */
	bool server_good; /* valid, for our names, with its key, signed by a trusted CA */
	bool server_of_newest;
	bool published; /* all configurations have the bundle */
	int64_t ca_made_s, ca_until_s, server_made_s, server_until_s;
	size_t n_authorities; /* number of CAs in ca.crt */
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
	/* Called with the pair to use, at the start and after each change */
	void (*use)(void *ctx, const struct x509_pair *pair);
	void *ctx;
};
struct authority *authority_new(const struct authority_config *config);
void authority_free(struct authority *a); /* accepts NULL */
/* Why calls of API servers cannot succeed; "": they can. */
const char *authority_trouble(const struct authority *a);

#endif
