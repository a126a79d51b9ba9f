/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a stream of red-box into a streamed answer, as fast as the reader takes it:
 * while it takes nothing, red-box is told to wait. For the files of this folder.
 */
#ifndef KUBELET_RELAY_H
#define KUBELET_RELAY_H

#include "net/server.h"
#include "wlm/client.h"

struct relay {
	struct exchange *x;
	struct wlm_call *call; /* NULL: none is under way */
	bool begun;            /* the head of the answer is out */
	bool paused;
};

/* The head of the answer, if it is not out yet. */
void relay_begin(struct relay *r, const char *type, void (*gone)(void *ctx),
	void (*drained)(void *ctx), void *ctx);
/* To be called by drained. */
void relay_drained(struct relay *r);
/* False, and nothing is taken: red-box sends more at once than is kept here. */
bool relay_send(struct relay *r, const char *bytes, size_t n);

#endif
