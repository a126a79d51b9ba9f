/* SPDX-License-Identifier: Apache-2.0 */
/* Passes a list, a file or a checksum from red-box to the client pod. */
#include <string.h>

#include "base/own.h"
#include "kubelet/file.h"
#include "kubelet/transfer/parts.h"
#include "plan/results/list.h"
#include "plan/results/trouble.h"

#define JSON_LINES "application/jsonl"

/*
 * A reader may take days, and a checksum of a large file hours. A dead red-box is
 * detected within seconds.
 */
static const int64_t READ_MS = INT64_C(30) * 24 * 3600 * 1000;
static const int64_t CHECKSUM_MS = INT64_C(12) * 3600 * 1000;

/* ---- the end ---- */

static void drained(void *transfer) { relay_drained(&((struct transfer *)transfer)->relay); }

static void begin(struct transfer *h)
{
	relay_begin(&h->relay, h->what == TRANSFER_LIST ? JSON_LINES : "application/octet-stream",
		transfer_gone, drained, h);
}

static void finish(struct transfer *h)
{
	struct exchange *x = h->relay.x;
	begin(h);
	transfer_free(h);
	exchange_end(x);
}

static void send(struct transfer *h, const char *bytes, size_t n)
{
	timer_stop(h->k->config.loop, TAKE(h->timer));
	begin(h);
	if (!relay_send(&h->relay, bytes, n))
		transfer_refuse(h, 500, "red-box sends more at once than this program can buffer");
}

/* ---- answers of red-box ---- */

static void content_came(void *transfer, struct wlm_call *c, const void *bytes, size_t n)
{
	(void)c;
	if (n)
		send(transfer, bytes, n);
}

static void file_came(void *transfer, struct wlm_call *c, const struct wlm_file *f)
{
	AUTO(str_free) struct str line = { 0 };
	const struct results_line l = { .entry = { .path = f->path,
						.size = f->size,
						.mode = f->mode,
						.folder = f->folder,
						.modified_ns = f->modified_ns } };
	(void)c;
	results_line_add(&line, &l);
	send(transfer, str_text(&line), line.len);
}

static void list_ended(void *transfer, struct err e, const struct wlm_answer *a)
{
	struct transfer *h = transfer;
	AUTO(str_free) struct str line = { 0 };
	h->relay.call = NULL;
	if (failed(e)) {
		transfer_fail(h, e);
		return;
	}
	results_line_add(&line, &(struct results_line){ .end = true, .left_out = a->left_out });
	begin(h);
	exchange_write(h->relay.x, str_text(&line), line.len);
	finish(h);
}

static void reading_ended(void *transfer, struct err e, const struct wlm_answer *a)
{
	struct transfer *h = transfer;
	(void)a;
	h->relay.call = NULL;
	if (failed(e))
		transfer_fail(h, e);
	else
		finish(h);
}

static void checksum_told(void *transfer, struct err e, const struct wlm_answer *a)
{
	struct transfer *h = transfer;
	struct exchange *x = h->relay.x;
	struct str body = { 0 };
	struct results_sum sum;
	h->relay.call = NULL;
	if (e.kind == ERR_NOT_FOUND && h->role->inputs) {
		transfer_free(h);
		exchange_reply(x, RESULTS_NOTHING_THERE, KUBELET_TEXT, &body);
		return;
	}
	if (failed(e)) {
		transfer_fail(h, e);
		return;
	}
	sum.size = a->checksum.size;
	sum.modified_ns = a->checksum.modified_ns;
	memcpy(sum.sha256, a->checksum.sha256, sizeof(sum.sha256));
	results_sum_add(&body, &sum);
	transfer_free(h);
	exchange_reply(x, 200, "application/json", &body);
}

/* ---- requests to red-box ---- */

static void nothing_came(void *transfer)
{
	struct transfer *h = transfer;
	h->timer = NULL;
	transfer_refuse(h, 503, "red-box does not answer: it sends no bytes of the file");
}

static void read_file(struct transfer *h, const char *place)
{
	struct loop *loop = h->k->config.loop;
	const struct wlm_caller by = { .client = h->red_box,
		.timeout_ms = READ_MS,
		.done = reading_ended,
		.content = content_came,
		.ctx = h };
	h->relay.call = wlm_open(&by, place, h->offset);
	h->timer = timer_start(loop, h->k->config.patience_ms, nothing_came, h);
}

static void read_place(struct transfer *h, const char *place)
{
	const struct wlm_caller list = { .client = h->red_box,
		.timeout_ms = READ_MS,
		.done = list_ended,
		.file = file_came,
		.ctx = h };
	const struct wlm_caller sum = {
		.client = h->red_box, .timeout_ms = CHECKSUM_MS, .done = checksum_told, .ctx = h
	};
	if (h->what == TRANSFER_LIST)
		h->relay.call = wlm_list_files(&list, place);
	else if (h->what == TRANSFER_CHECKSUM)
		h->relay.call = wlm_checksum(&sum, place);
	else if (h->what == TRANSFER_INPUTS)
		transfer_take(h, place);
	else
		read_file(h, place);
}

static void read_from(struct transfer *h)
{
	const char *place = h->from;
	struct err e = OK;
	if (h->role->inputs) /* read_query checked the path */
		place = arena_printf(&h->arena, "%s/%s", h->from, h->path);
	else if (h->what != TRANSFER_LIST)
		e = results_place(h->from, h->path, &h->arena, &place);
	if (failed(e))
		transfer_fail(h, e);
	else
		read_place(h, place);
}

/* ---- the standard output ---- */

/* Slurm removes a job some minutes after its end, but its file remains. */
static void use_remembered(struct transfer *h, struct err e)
{
	h->from = h->std_out;
	if (!str_empty(h->from))
		read_from(h);
	else if (e.kind == ERR_NOT_FOUND)
		transfer_refuse(h, 404,
			"Slurm has forgotten the job, and the path of its output file was not recorded: spec.results.from should name what is to be copied");
	else
		transfer_fail(h, e);
}

static void job_told(void *transfer, struct err e, const struct wlm_answer *a)
{
	struct transfer *h = transfer;
	struct log_file f;
	h->relay.call = NULL;
	bool asked = !failed(e);
	if (asked)
		e = log_file_choose(a->jobs, a->n_jobs, false, &f);
	if (failed(e) && (!asked || e.kind == ERR_NOT_FOUND)) {
		use_remembered(h, e);
	} else if (failed(e)) {
		transfer_fail(h, e);
	} else {
		h->from = arena_strdup(&h->arena, f.path);
		read_from(h);
	}
}

void transfer_give(struct transfer *h)
{
	const struct wlm_caller by = { .client = h->red_box,
		.timeout_ms = h->k->config.patience_ms,
		.done = job_told,
		.ctx = h };
	if (!str_empty(h->from))
		read_from(h);
	else if (!h->job_id && str_empty(h->key))
		transfer_refuse(h, 400, "the job is not submitted to Slurm yet: it has no output");
	else
		h->relay.call = wlm_job_info(&by, h->job_id, h->key);
}
