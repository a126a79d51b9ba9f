/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The uid of a NodeSet's namespace, which its pods name as their second owner (see
 * keeper_reference in children/pod.h). Each NodeSet reads the uid once: its namespace
 * exists as long as the NodeSet does.
 */
#ifndef KIND_KEEPER_H
#define KIND_KEEPER_H

#include "kube/client.h"

struct keeper;

/* known is called when keeper_uid has changed. ns is copied. */
struct keeper *keeper_new(struct kube *kube, const char *ns, void (*known)(void *ctx), void *ctx);
void keeper_free(struct keeper *k);

/*
 * NULL: wait for known; after a lost answer the read is retried soon, and no pod is
 * created without its second owner meanwhile. "": the API server refuses the read, which
 * is retried now and then.
 */
const char *keeper_uid(const struct keeper *k);

#endif
