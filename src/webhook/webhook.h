/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The admission webhook: answers each review at once, by the rules of api/admission.h.
 */
#ifndef WEBHOOK_WEBHOOK_H
#define WEBHOOK_WEBHOOK_H

#include "base/str.h"
#include "webhook/neighbours.h"
#include "net/server.h"

/* An unauthenticated caller learns nothing about objects outside of its review. */
enum caller { CALLER_UNKNOWN, CALLER_AUTHENTICATED };

/* Facts that the rules use besides a review; a member may be NULL: unknown. */
struct webhook_known {
	const struct neighbours *neighbours;
	/* Types of volumes that the manager mounts for jobs (--results-volumes) */
	const char *const *volumes;
};

/*
 * Adds the answer to a review and returns the HTTP status: 200 with application/json; 400
 * for a body that is no review, or 404 for an unknown path, each with one sentence as
 * text/plain.
 */
int webhook_review(const struct webhook_known *known, enum caller caller, const char *path,
	const char *body, size_t n, struct str *out);

/*
 * The handler of an HTTP server; ctx: a struct webhook_known. The client certificate
 * authenticates a caller, if the server has a file of client authorities.
 */
void webhook_handle(void *ctx, struct exchange *x);

#endif
