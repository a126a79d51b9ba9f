/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of clients: each kind is read of any bytes, and what is given out is whole; a
 * message that was refused gives nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wlm/wlm.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void read_as(enum wlm_request_kind kind, const uint8_t *bytes, size_t n)
{
	struct wlm_request r;
	struct err e = wlm_read(kind, bytes, n, &r);
	if (failed(e)) {
		if (e.kind != ERR_INVALID || r.script || r.path || r.content.len ||
			r.container.binds)
			abort();
	} else if (strlen(r.script) + strlen(r.partition) + strlen(r.key) + strlen(r.path) +
			strlen(r.container.image) + strlen(r.container.app) + r.container.n_binds +
			r.content.len >
		n) {
		abort();
	}
	if (!failed(e) && kind != WLM_OPEN_FILE && r.offset)
		abort(); /* others have none */
	wlm_request_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	for (int kind = 0; kind < WLM_REQUEST_KINDS; kind++)
		read_as((enum wlm_request_kind)kind, bytes, n);
	return 0;
}
