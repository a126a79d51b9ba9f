/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the virtual node of a job gives out results: its Node is read when a plan wants
 * to know that, and never otherwise.
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
 * What its Node says, as of 20 s ago at most; what is older, or of another Node, is not
 * known, and is asked for. Until the next call.
 */
struct job_server results_server_of(struct results_server *s, const char *node);

#endif
