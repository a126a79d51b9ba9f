/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authenticates and authorizes clients, as a kubelet does whose authentication and
 * authorization are those of the API server ("Webhook").
 *
 *     certificate   its common name is the user, its organizations are his groups
 *     token         a TokenReview says who it is; known for two minutes
 *     right         a SubjectAccessReview for nodes/SUBRESOURCE; a yes is known for five
 *                   minutes, a no for 30 s
 *
 * A missing answer is a no. 32 questions are asked at a time, and for one client address
 * half of what the others leave: a client that floods us with tokens blocks neither other
 * clients nor the API server.
 */
#ifndef KUBELET_GATE_H
#define KUBELET_GATE_H

#include <stdbool.h>

#include "kube/client.h"
#include "net/x509.h"

struct gate;
struct gate_ask;

struct gate_wish {
	const struct x509_subject *certificate; /* NULL: none that counts */
	const char *authorization;              /* the header; NULL: none */
	const char *method;                     /* "GET" */
	const char *subresource;                /* "proxy"; a literal. NULL: who asks is all */
	const char *node;                       /* "": all of them */
	/*
	 * A literal: only a token for it counts, and no certificate. NULL: the API server
	 */
	const char *audience;
	const char *from; /* the address of the client, in any form; NULL: not known */
};

struct gate_answer {
	/* 200: allowed; 401: not known; 403; 429: too many ask; 500: cannot be decided */
	int status;
	const char *why; /* one sentence; "" with 200 */
	/*
	 * The user, as the beginning of the spec of a SubjectAccessReview, {"extra": ...,
	 * "user": ...}: an equal text for an equal user; "" with 401
	 */
	const char *who;
	bool by_token;
};
/* Valid during the call. The ask is gone then. */
typedef void gate_told(void *ctx, const struct gate_answer *answer);

/* The kube stays the caller's. */
struct gate *gate_new(struct kube *kube);
/* All questions have ended or were cancelled by then; accepts NULL. */
void gate_free(struct gate *g);

/* The strings of the wish are copied; told is called once, never from within. */
struct gate_ask *gate_ask(struct gate *g, const struct gate_wish *wish, gate_told *told, void *ctx);
/* told is not called any more; accepts NULL. */
void gate_ask_cancel(struct gate_ask *a);

#endif
