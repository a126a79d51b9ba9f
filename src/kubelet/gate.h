/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who asks, and whether he may: as a kubelet finds out when its authentication and
 * authorization are those of the API server ("Webhook").
 *
 *     certificate   its common name is the user, its organizations are his groups
 *     token         a TokenReview says who it is; known for two minutes
 *     right         a SubjectAccessReview for nodes/SUBRESOURCE; a yes is known for five
 *                   minutes, a no for 30 s
 *
 * Whatever is not known for sure is no. 32 questions are asked at a time, and for one
 * address half of what is left by those for others: who floods the door with tokens keeps
 * nobody else from the API server, nor outside.
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
	/* 200: he may; 401: not known; 403; 429: too many ask; 500: nobody can say */
	int status;
	const char *why; /* one sentence; "" with 200 */
	/*
	 * The same text for the same one, "" with 401: the beginning of the spec of a
	 * SubjectAccessReview, {"extra": ..., "user": ...}
	 */
	const char *who;
	bool by_token;
};
/* Valid during the call. The ask is gone then. */
typedef void gate_told(void *ctx, const struct gate_answer *answer);

/* The kube stays the caller's. */
struct gate *gate_new(struct kube *kube);
/* When nobody asks any more; accepts NULL. */
void gate_free(struct gate *g);

/* What the wish points to is copied; told is called once, never from within. */
struct gate_ask *gate_ask(struct gate *g, const struct gate_wish *wish, gate_told *told, void *ctx);
/* told is not called any more; accepts NULL. */
void gate_ask_cancel(struct gate_ask *a);

#endif
