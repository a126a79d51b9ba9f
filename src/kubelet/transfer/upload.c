/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uploads an input file of a job. All pieces are sent in one call of red-box, which
 * creates the file when it is complete and its checksum is right. The file is not stored
 * here: a piece is answered when it has been sent to red-box.
 */
#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "kubelet/transfer/parts.h"

enum { IDLE_MS = 60000 }; /* timeout for the next piece */
static const int64_t WHOLE_MS = INT64_C(24) * 3600 * 1000;

/* ---- answers ---- */

static struct transfer *waiting(struct inputs_file *in)
{
	struct transfer *h = TAKE(in->h);
	if (h)
		h->inputs = NULL;
	return h;
}

static void is_taken(struct transfer *h)
{
	struct exchange *x = h->relay.x;
	transfer_free(h);
	kubelet_say(x, 200, "taken");
}

static void nobody_sends(void *inputs_file)
{
	struct inputs_file *in = inputs_file;
	in->timer = NULL;
	inputs_file_drop(in);
}

static void nobody_takes(void *inputs_file)
{
	struct inputs_file *in = inputs_file;
	struct transfer *h = waiting(in);
	in->timer = NULL;
	inputs_file_drop(in);
	transfer_refuse(h, 503, "red-box does not answer: it does not accept the file");
}

static void wait_with(struct inputs_file *in, int64_t ms, void (*then)(void *inputs_file))
{
	timer_stop(in->k->config.loop, in->timer);
	in->timer = timer_start(in->k->config.loop, ms, then, in);
}

/* All bytes for red-box have been sent. */
static void sent(void *inputs_file, struct wlm_call *c)
{
	struct inputs_file *in = inputs_file;
	(void)c;
	if (!in->h || in->taken == in->size)
		return;
	wait_with(in, IDLE_MS, nobody_sends);
	is_taken(waiting(in));
}

/* The call has ended: red-box created the file, or failed. */
static void ended(void *inputs_file, struct err e, const struct wlm_answer *a)
{
	struct inputs_file *in = inputs_file;
	struct transfer *h = waiting(in);
	(void)a;
	in->call = NULL;
	inputs_file_drop(in);
	if (h && failed(e))
		transfer_fail(h, e);
	else if (h)
		is_taken(h);
}

/* ---- pieces ---- */

static struct inputs_file *inputs_file_of(struct kubelet *k, const char *of)
{
	struct inputs_file *in;
	DL_FOREACH(k->inputs_files, in)
	if (str_eq(in->of, of))
		return in;
	return NULL;
}

/* Starts an upload; NULL: the quota is used up. */
static struct inputs_file *begin(struct transfer *h, const char *of, const char *place)
{
	struct quota *places = place_take(&h->k->inputs_places, h->ns);
	if (!places)
		return NULL;
	struct inputs_file *in = own_alloc(sizeof(*in));
	const struct wlm_new_file file = { place, h->piece.mode, in->sha256 };
	const struct wlm_caller by = { .client = h->red_box,
		.timeout_ms = WHOLE_MS,
		.done = ended,
		.writable = sent,
		.ctx = in };
	*in = (struct inputs_file){ .k = h->k,
		.of = own_strdup(of),
		.place = own_strdup(place),
		.size = h->piece.size,
		.places = places };
	memcpy(in->sha256, h->piece.sha256, sizeof(in->sha256));
	DL_APPEND(h->k->inputs_files, in);
	in->call = wlm_create(&by, &file);
	return in;
}

static void take(struct inputs_file *in, struct transfer *h)
{
	size_t n;
	const char *bytes = exchange_body(h->relay.x, &n);
	in->h = h;
	h->inputs = in;
	in->taken += (int64_t)n;
	wlm_create_add(in->call, bytes, n);
	if (in->taken == in->size)
		wlm_create_finish(in->call);
	wait_with(in, inputs_piece_ms(&h->piece), nobody_takes);
}

/* Drops the current upload: its file is not created. */
static void make_room(struct inputs_file *in)
{
	struct transfer *before = waiting(in);
	inputs_file_drop(in);
	if (before)
		transfer_refuse(before, 409, "the file is sent again from its beginning");
}

void transfer_take(struct transfer *h, const char *place)
{
	const char *of = arena_printf(&h->arena, "%s/%s", h->ns, h->pod);
	struct inputs_file *in = inputs_file_of(h->k, of);
	const struct inputs_file_view view = {
		.there = in,
		.same = in && str_eq(in->place, place) && in->size == h->piece.size &&
			memcmp(in->sha256, h->piece.sha256, sizeof(in->sha256)) == 0,
		.busy = in && in->h,
		.taken = in ? in->taken : 0,
	};
	switch (inputs_plan(&view, &h->piece)) {
	case INPUTS_BEGIN:
		if (in)
			make_room(in);
		in = begin(h, of, place);
		if (in)
			take(in, h);
		else
			transfer_refuse(h, 429, "too many files are being copied: try again later");
		break;
	case INPUTS_TAKE:
		take(in, h);
		break;
	case INPUTS_HAD:
		is_taken(h);
		break;
	case INPUTS_ANEW:
		transfer_refuse(h, 409,
			"the earlier pieces are lost: send the file from its beginning");
		break;
	}
}
