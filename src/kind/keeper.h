/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The uid of a NodeSet's namespace, which its pods name as their second owner (see
 * keeper_reference in children/pod.h). It is asked for once for each NodeSet: as long as
 * that lives, so does its namespace.
 */
#ifndef KIND_KEEPER_H
#define KIND_KEEPER_H

#include "kube/client.h"

struct keeper;

/* known is called when keeper_uid has changed. ns is copied. */
struct keeper *keeper_new(struct kube *kube, const char *ns, void (*known)(void *ctx), void *ctx);
void keeper_free(struct keeper *k);

/*
 * NULL: wait for known; an answer that was lost is asked for again at once, because a pod
 * made meanwhile would be without its second owner for a while. "": the API server does
 * not tell, and is asked again now and then.
 */
const char *keeper_uid(const struct keeper *k);

#endif
