/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The uid of a NodeSet's namespace, which its pods name as their second owner (see
 * second_owner_reference in children/pod.h). Each NodeSet reads the uid once: its
 * namespace exists as long as the NodeSet does.
 */
#ifndef KIND_SECOND_OWNER_H
#define KIND_SECOND_OWNER_H

#include "kube/client.h"

struct second_owner;

/* known is called when second_owner_uid has changed. ns is copied. */
struct second_owner *second_owner_new(struct kube *kube, const char *ns, void (*known)(void *ctx),
	void *ctx);
void second_owner_free(struct second_owner *k);

/*
 * NULL: there is no answer yet, and known will be called. A read without an answer is
 * retried soon; meanwhile no pod is created. "": the API server refuses the read, which
 * is retried every five minutes.
 */
const char *second_owner_uid(const struct second_owner *k);

#endif
