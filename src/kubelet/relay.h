/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a stream of red-box into a streamed answer, at the speed of the reader: while
 * the reader accepts no data, red-box is paused. For the files of this folder.
 */
#ifndef KUBELET_RELAY_H
#define KUBELET_RELAY_H

#include "net/server.h"
#include "wlm/client.h"

struct relay {
	struct exchange *x;
	struct wlm_call *call; /* NULL when no call is in flight */
	bool begun;            /* the head of the answer has been sent */
	bool paused;
};

/* Sends the head of the answer, unless it has been sent. */
void relay_begin(struct relay *r, const char *type, void (*gone)(void *ctx),
	void (*drained)(void *ctx), void *ctx);
/* Call this from drained. */
void relay_drained(struct relay *r);
/* False, and no bytes are sent: red-box sends more at once than the buffer holds. */
bool relay_send(struct relay *r, const char *bytes, size_t n);

#endif
