/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The admission webhook: a review comes to one of its paths and is answered at once, by
 * the rules of api/admission.h.
 */
#ifndef WEBHOOK_WEBHOOK_H
#define WEBHOOK_WEBHOOK_H

#include "base/str.h"
#include "webhook/neighbours.h"
#include "net/server.h"

/* An unauthenticated caller gets no answer about objects outside of its review. */
enum caller { CALLER_UNKNOWN, CALLER_AUTHENTICATED };

/* Knowledge of the rules beside a review; each member may be NULL: not known. */
struct webhook_known {
	const struct neighbours *neighbours;
	/* Types of volumes that the manager mounts for jobs (--results-volumes) */
	const char *const *volumes;
};

/*
 * The answer to a review: adds its text, whose type is application/json when the status
 * is 200. A body that is no review is answered 400, and an unknown path 404, with one
 * sentence as text/plain.
 */
int webhook_review(const struct webhook_known *known, enum caller caller, const char *path,
	const char *body, size_t n, struct str *out);

/*
 * The handler of an HTTP server; ctx: a struct webhook_known. A caller is authenticated
 * by the certificate that it shows, where the server has a file of client authorities.
 */
void webhook_handle(void *ctx, struct exchange *x);

#endif
