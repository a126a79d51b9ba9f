/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The URL where the virtual node of a job serves results. Its Node is read only when a
 * plan needs the URL.
 */
#ifndef KIND_RESULTS_SERVER_H
#define KIND_RESULTS_SERVER_H

#include "kube/client.h"
#include "plan/job/plan.h"

struct results_server;

/* known is called when there is an answer. */
struct results_server *results_server_new(struct kube *kube, void (*known)(void *ctx), void *ctx);
void results_server_free(struct results_server *s);

/*
 * Returns the server from the Node, if it was read at most 20 s ago. Otherwise the result
 * is unknown and the Node is read again. Valid until the next call.
 */
struct job_server results_server_of(struct results_server *s, const char *node);

#endif
