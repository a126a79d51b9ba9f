/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a stream from red-box to a reader, at the speed of the reader. */
#include "kubelet/relay.h"

enum { WAITING_BYTES = 128 << 10 }; /* limit of buffered bytes before red-box is paused */

void relay_begin(struct relay *r, const char *type, void (*gone)(void *ctx),
	void (*drained)(void *ctx), void *ctx)
{
	if (r->begun)
		return;
	r->begun = true;
	exchange_stream(r->x, 200, type, gone, ctx);
	exchange_on_drained(r->x, drained);
}

void relay_drained(struct relay *r)
{
	if (!r->paused)
		return;
	r->paused = false;
	if (r->call)
		wlm_resume(r->call);
}

bool relay_send(struct relay *r, const char *bytes, size_t n)
{
	if (n && !exchange_write(r->x, bytes, n))
		return false;
	if (r->call && !r->paused && exchange_waiting(r->x) >= WAITING_BYTES) {
		r->paused = true;
		wlm_pause(r->call);
	}
	return true;
}
