/* SPDX-License-Identifier: Apache-2.0 */
/* Ends requests for results and with inputs, and frees their resources. */
#include <utlist.h>

#include "base/own.h"
#include "kubelet/transfer/parts.h"

/* ---- files of inputs ---- */

void inputs_file_drop(struct inputs_file *in)
{
	timer_stop(in->k->config.loop, in->timer);
	if (in->call)
		wlm_call_cancel(in->call);
	if (in->h)
		in->h->inputs = NULL;
	DL_DELETE(in->k->inputs_files, in);
	place_give(in->places);
	free(in->of);
	free(in->place);
	free(in);
}

void results_end_uploads(struct kubelet *k)
{
	while (k->inputs_files)
		inputs_file_drop(k->inputs_files);
}

/* ---- requests ---- */

void transfer_free(struct transfer *h)
{
	struct loop *loop = h->k->config.loop;
	if (h->inputs)
		inputs_file_drop(h->inputs);
	gate_ask_cancel(h->ask);
	http_cancel(h->k->config.kube->http, h->call);
	if (h->relay.call)
		wlm_call_cancel(TAKE(h->relay.call));
	timer_stop(loop, h->timer);
	place_give(h->places);
	place_give(h->list_place);
	DL_DELETE(h->k->transfers, h);
	arena_free(&h->arena);
	free(h);
}

void transfer_gone(void *transfer) { transfer_free(transfer); }

void transfer_refuse(struct transfer *h, int status, const char *sentence)
{
	struct exchange *x = h->relay.x;
	bool begun = h->relay.begun;
	transfer_count(h, status);
	if (begun) {
		transfer_free(h);
		exchange_break(x);
		return;
	}
	/* before the arena, which may hold the sentence, is freed */
	kubelet_say(x, status, sentence);
	transfer_free(h);
}

void transfer_fail(struct transfer *h, struct err e)
{
	static const int rows[ERR_KINDS] = {
		[ERR_DENIED] = 403,
		[ERR_NOT_FOUND] = 404,
		[ERR_INVALID] = 400,
		[ERR_TOO_LARGE] = 400,
		[ERR_CONFLICT] = 409, /* the file changed while its checksum was computed */
		[ERR_INTERNAL] = 500,
	};
	transfer_refuse(h, rows[e.kind] ? rows[e.kind] : 503, e.text);
}
