/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip, Unzip, ListFiles and FileChecksum: the work runs in a thread, and stops when the
 * client has gone.
 */
#include <malloc.h>
#include <stdio.h>

#include "base/log.h"
#include "base/own.h"
#include "redbox/files/archives.h"
#include "redbox/files/listing.h"
#include "redbox/service_parts.h"
#include "net/work.h"

enum { FILES_AT_ONCE = 500 /* entries of a list per turn; then the client must read */ };

struct worked;

struct row {
	const char *method;
	enum wlm_request_kind kind;
	void (*work)(struct worked *w, const atomic_bool *stop); /* runs in the thread */
	/* sends the response, if the work succeeded */
	void (*tell)(struct worked *w);
	/* NULL: the work is short, and does not wait for work of other clients */
	struct work_line *(*line)(const struct service *s);
	bool lists;
};

struct worked {
	struct service *service;
	struct grpc_call *call; /* NULL: the call has ended */
	const struct row *row;
	struct folders *folders;
	struct wlm_request request;
	struct quota *place; /* share of the client, for a list */
	struct work *work;   /* NULL: the work has ended */
	struct err result;
	struct zip_told zipped;
	struct listing listing;
	size_t sent;          /* entries of the list */
	struct checksum *sum; /* state of the checksum between its parts */
	bool goes_on;         /* more parts follow, after a turn of other checksums */
	struct wlm_checksum checksum;
};

static void worked_free(struct worked *w)
{
	folders_free(w->folders);
	checksum_free(w->sum);
	listing_free(&w->listing);
	wlm_request_free(&w->request);
	free(w);
}

/* ---- in the thread ---- */

static void pack(struct worked *w, const atomic_bool *stop)
{
	w->result = zip_tree(w->folders, w->request.path, w->request.target, stop, &w->zipped);
}

static void unpack(struct worked *w, const atomic_bool *stop)
{
	w->result = unzip_tree(w->folders, w->request.source, w->request.path, stop);
}

static void list(struct worked *w, const atomic_bool *stop)
{
	w->result = listing_read(w->folders, w->request.path, stop, &w->listing);
}

static void sum_up(struct worked *w, const atomic_bool *stop)
{
	bool ended = true;
	if (!w->sum)
		w->result = checksum_begin(w->folders, w->request.path, &w->sum);
	if (!failed(w->result))
		w->result = checksum_go_on(w->sum, stop, &ended, &w->checksum);
	w->goes_on = !ended;
}

/* Returns free memory: the list of a large archive has about 50 MiB. */
static void work(void *worked, const atomic_bool *stop)
{
	struct worked *w = worked;
	w->row->work(w, stop);
	malloc_trim(0);
}

/* ---- responses ---- */

static void warn_left_out(size_t n, const char *example, const char *message)
{
	char count[24];
	snprintf(count, sizeof(count), "%zu", n);
	if (n)
		log_warn(message, "count", count, "example", example);
}

static void answer(struct worked *w, const struct str *message)
{
	grpc_send(w->call, str_text(message), message->len);
	grpc_finish(w->call, GRPC_OK, "");
}

static void tell_done(struct worked *w)
{
	warn_left_out(w->zipped.left_out, w->zipped.example,
		"an archive lacks entries that are neither files nor folders");
	answer(w, &(struct str){ 0 });
}

static void tell_checksum(struct worked *w)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_add_checksum(&message, &w->checksum);
	answer(w, &message);
}

static void send_files(struct worked *w)
{
	const struct listing *l = &w->listing;
	AUTO(str_free) struct str message = { 0 };
	for (int i = 0; i < FILES_AT_ONCE && w->sent < l->n; i++) {
		str_clear(&message);
		wlm_add_file(&message, &l->files[w->sent++]);
		grpc_send(w->call, str_text(&message), message.len);
	}
	if (w->sent < l->n)
		return;
	str_clear(&message);
	wlm_add_files_end(&message, l->left_out);
	answer(w, &message);
}

static void tell_list(struct worked *w)
{
	warn_left_out((size_t)w->listing.left_out, w->listing.example,
		"a list lacks entries that are neither files nor folders, or have a name that is not UTF-8");
	send_files(w);
}

static void start(struct worked *w);

static void over(void *worked)
{
	struct worked *w = worked;
	w->work = NULL;
	if (!w->call)
		worked_free(w);
	else if (w->goes_on)
		start(w);
	else if (failed(w->result))
		call_fail(w->call, w->row->method, w->result);
	else
		w->row->tell(w);
}

static void start(struct worked *w)
{
	struct service *s = w->service;
	if (w->row->line)
		w->work = work_start_in(w->row->line(s), work, over, w);
	else
		w->work = work_start(s->config.loop, work, over, w);
}

/* ---- the calls ---- */

static struct work_line *archives(const struct service *s) { return s->archives; }
static struct work_line *sums(const struct service *s) { return s->sums; }

static const struct row zip_row = { "Zip", WLM_ZIP, pack, tell_done, archives, false };
static const struct row unzip_row = { "Unzip", WLM_UNZIP, unpack, tell_done, archives, false };
static const struct row list_row = { "ListFiles", WLM_LIST_FILES, list, tell_list, NULL, true };
static const struct row sum_row = { "FileChecksum", WLM_FILE_CHECKSUM, sum_up, tell_checksum, sums,
	false };

/* false: the client has too many lists. *place: NULL if the call makes no list. */
static bool takes_place(struct service *s, const struct grpc_call *c, const struct row *row,
	struct quota **place)
{
	char who[WHO_BYTES];
	call_who(c, who);
	*place = row->lists ? place_take(&s->lists, who) : NULL;
	return *place || !row->lists;
}

static bool takes(struct service *s, struct grpc_call *c, const struct row *row,
	struct quota **place)
{
	if (!takes_place(s, c, row, place)) {
		call_fail(c, row->method,
			err_new(ERR_TOO_LARGE,
				"too many lists are made for you already: try again later"));
		return false;
	}
	if (call_takes_file(s, c, row->method))
		return true;
	place_give(*place);
	return false;
}

static void begin(struct service *s, struct grpc_call *c, const struct row *row, const void *bytes,
	size_t n)
{
	struct wlm_request request AUTO(wlm_request_free) = { 0 };
	struct err e = OK;
	if (grpc_call_state(c))
		e = err_new(ERR_INVALID, "a second message came");
	else
		e = wlm_read(row->kind, bytes, n, &request);
	if (failed(e)) {
		call_fail(c, row->method, e);
		return;
	}
	struct quota *place;
	if (!takes(s, c, row, &place))
		return;
	struct worked *w = own_alloc(sizeof(*w));
	*w = (struct worked){
		.service = s,
		.call = c,
		.row = row,
		.place = place,
		.folders = folders_share(s->config.folders),
		.request = request,
	};
	request = (struct wlm_request){ 0 };
	grpc_call_set(c, w);
	start(w);
}

void zip_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	begin(ctx, c, &zip_row, bytes, n);
}

void unzip_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	begin(ctx, c, &unzip_row, bytes, n);
}

void list_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	begin(ctx, c, &list_row, bytes, n);
}

void checksum_message(void *ctx, struct grpc_call *c, const void *bytes, size_t n)
{
	begin(ctx, c, &sum_row, bytes, n);
}

void work_ended(void *ctx, struct grpc_call *c)
{
	(void)ctx;
	if (!grpc_call_state(c))
		grpc_finish(c, GRPC_INVALID_ARGUMENT, "no message came");
}

/* Also called after the whole list was sent and the call was finished. */
void list_writable(void *ctx, struct grpc_call *c)
{
	struct worked *w = grpc_call_state(c);
	(void)ctx;
	if (w && !w->work && !failed(w->result) && w->sent < w->listing.n)
		send_files(w);
}

void work_gone(void *ctx, struct grpc_call *c)
{
	struct worked *w = grpc_call_state(c);
	(void)ctx;
	if (!w)
		return;
	call_gives_file_back(w->service, c);
	place_give(TAKE(w->place));
	w->call = NULL;
	if (w->work)
		work_stop(w->work);
	else
		worked_free(w);
}
