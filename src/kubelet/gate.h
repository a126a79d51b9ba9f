/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authenticates and authorizes clients through the API server, like a kubelet with
 * webhook authentication and authorization.
 *
 *     certificate   its common name is the user, its organizations are the groups
 *     token         a TokenReview names the user; cached for two minutes
 *     right         a SubjectAccessReview for nodes/SUBRESOURCE; a yes is cached for five
 *                   minutes, a no for 30 s
 *
 * A missing answer counts as a no. At most 32 requests to the API server are in flight.
 * One client address may use half of the requests that other addresses leave free, so a
 * client that sends many tokens blocks neither other clients nor the API server.
 */
#ifndef KUBELET_GATE_H
#define KUBELET_GATE_H

#include <stdbool.h>

#include "kube/client.h"
#include "net/x509.h"

struct gate;
struct gate_ask;

struct gate_wish {
	const struct x509_subject *certificate; /* NULL: no valid certificate */
	const char *authorization;              /* the header; NULL: absent */
	const char *method;                     /* "GET" */
	/* "proxy"; a literal. NULL: only authenticate */
	const char *subresource;
	const char *node; /* "" for all nodes */
	/*
	 * A literal: accept only tokens for this audience, and no certificates. NULL: the
	 * audience of the API server
	 */
	const char *audience;
	const char *from; /* address of the client, in any form; NULL: unknown */
};

struct gate_answer {
	/*
	 * 200: allowed; 401: unknown user; 403: denied; 429: too many requests; 500:
	 * undecided
	 */
	int status;
	const char *why; /* one sentence; "" with 200 */
	/*
	 * The user, as the beginning of the spec of a SubjectAccessReview: {"extra": ...,
	 * "user": ...}. Equal users have equal texts; "" with 401
	 */
	const char *who;
	bool by_token;
};
/* The answer is valid during the call. The gate_ask has been freed. */
typedef void gate_told(void *ctx, const struct gate_answer *answer);

/* The caller owns kube. */
struct gate *gate_new(struct kube *kube);
/* Call it after all requests have ended or been cancelled. Accepts NULL. */
void gate_free(struct gate *g);

/* Copies the strings of the wish. Calls told once, never from within gate_ask. */
struct gate_ask *gate_ask(struct gate *g, const struct gate_wish *wish, gate_told *told, void *ctx);
/* Cancels the request without calling told; accepts NULL. */
void gate_ask_cancel(struct gate_ask *a);

#endif
