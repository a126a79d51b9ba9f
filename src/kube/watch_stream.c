/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the stream of the API server: events one a line, bookmarks, and silence. */
#include "kube/watch_parts.h"

#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "object/query.h"

enum {
	WATCH_LEAST_S = 300,
	WATCH_SPREAD_S = 290, /* so that many watches do not end together */
	SHORT_WATCH_MS = 1000,
	HEALTHY_WATCH_MS = 10000,
	/* Bookmarks come every minute */
	SILENT_WATCH_MS = 150000,
	FIRST_WORD_MS = 90000,
	EVENT_MS = 30000, /* from its first byte to its last */
};

static bool error_event(struct watch *w, const struct json *status)
{
	int code = (int)json_i64(json_get(status, "code"), 500);
	w->verdict = kube_status_error(code >= 400 && code < 600 ? code : 500, status);
	return false;
}

static bool take_event(void *watch, const char *line, size_t n)
{
	struct watch *w = watch;
	AUTO(json_auto) struct json_doc *type_doc = NULL, *object_doc = NULL;
	struct err e = json_parse_member(line, n, "type", &type_doc);
	if (!failed(e))
		e = json_parse_member(line, n, "object", &object_doc);
	if (!failed(e) && !type_doc)
		e = err_new(ERR_INVALID, "it has no type");
	if (failed(e)) {
		w->verdict = err_new(ERR_INVALID, "an event is not readable: %s", e.text);
		return false;
	}
	const char *type = json_str(json_root(type_doc), "");
	const struct json *object = json_root(object_doc);
	if (str_eq(type, "ERROR"))
		return error_event(w, object);
	w->seen_ms = loop_now_ms(w->kube->loop);
	w->line_ms = 0;
	if (!w->event_came) {
		watch_connected(w);
		w->event_came = true;
		w->relists = 0;
		w->backoff_ms = BACKOFF_LEAST_MS;
	}
	const char *version = json_str(json_at(object, "metadata", "resourceVersion"), NULL);
	if (!str_empty(version))
		watch_set_text(&w->version, version);
	if (str_eq(type, "ADDED") || str_eq(type, "MODIFIED"))
		w->handler->upsert(w->ctx, object);
	else if (str_eq(type, "DELETED"))
		w->handler->removed(w->ctx, object);
	return !w->dead; /* BOOKMARK and what is not known yet: only the position */
}

/* An event that takes long delays those behind it, whatever objects they are about. */
static bool takes_long(struct watch *w)
{
	int64_t now = loop_now_ms(w->kube->loop);
	if (!w->lines.rest.len)
		w->line_ms = 0;
	else if (!w->line_ms)
		w->line_ms = now;
	return w->line_ms && now - w->line_ms >= EVENT_MS;
}

static bool take_data(void *watch, const char *bytes, size_t n)
{
	struct watch *w = watch;
	enum lines_end end;
	watch_enter_handler(w);
	end = lines_feed(&w->lines, bytes, n, take_event, w);
	if (end == LINES_TOO_LONG)
		w->verdict = err_new(ERR_TOO_LARGE, "an event is longer than %d bytes", LINE_BYTES);
	if (end == LINES_OK && takes_long(w)) {
		w->verdict = err_new(ERR_INVALID, "an event takes more than %d s to come",
			EVENT_MS / 1000);
		end = LINES_STOPPED;
	}
	return watch_leave_handler(w) && end == LINES_OK;
}

/* The error of the end of the stream; OK when it is the ordinary one. */
static struct err end_of_stream(struct watch *w, struct err e, const struct http_answer *a)
{
	int64_t lasted_ms = loop_now_ms(w->kube->loop) - w->started_ms;
	AUTO(json_auto) struct json_doc *doc = NULL;
	if (failed(w->verdict))
		return w->verdict;
	if (lasted_ms >= HEALTHY_WATCH_MS && (failed(e) || a->status == 200))
		w->backoff_ms = BACKOFF_LEAST_MS;
	if (failed(e))
		return e;
	if (a->status != 200) {
		if (failed(json_parse(a->body, a->body_bytes, a->body_bytes, &doc)))
			doc = NULL;
		return kube_status_error(a->status >= 400 ? a->status : 500, json_root(doc));
	}
	if (!w->event_came && lasted_ms < SHORT_WATCH_MS)
		return err_new(ERR_RETRY, "the API server ended the watch at once");
	return OK;
}

/*
 * Not even a bookmark came. A proxy in between may hold the bytes back; or the position
 * is one that is yet to come, because etcd was restored: such a watch is accepted, and
 * reports nothing for ever. (Where an API server sends no bookmarks this is a list more.)
 */
static int64_t fresh_left_ms(const struct watch *w)
{
	return w->seen_ms + SILENT_WATCH_MS - loop_now_ms(w->kube->loop);
}

/*
 * The content of a list may be old when it ends: the first event after it is waited for,
 * too.
 */
static int64_t silence_left_ms(const struct watch *w)
{
	int64_t first_ms = w->started_ms + FIRST_WORD_MS - loop_now_ms(w->kube->loop);
	return first_ms > fresh_left_ms(w) ? first_ms : fresh_left_ms(w);
}

/* Where it was, unless that is too long ago. */
void watch_go_on(void *watch)
{
	struct watch *w = watch;
	w->timer = NULL;
	if (fresh_left_ms(w) > 0)
		watch_stream(w);
	else
		watch_list(w);
}

static void silence_check(void *watch)
{
	struct watch *w = watch;
	int64_t left_ms = silence_left_ms(w);
	w->silence = NULL;
	if (left_ms > 0) {
		w->silence = timer_start(w->kube->loop, left_ms, silence_check, w);
		return;
	}
	log_warn("a watch tells nothing, not even a bookmark: listing again", "resource",
		watch_plural(w), "namespace", w->ns);
	http_cancel(w->kube->http, TAKE(w->call));
	watch_list(w);
}

static void watch_ended(struct watch *w, struct err e, int64_t retry_after_ms)
{
	bool relist = e.kind == ERR_EXPIRED || e.kind == ERR_INVALID || e.kind == ERR_TOO_LARGE ||
		e.kind == ERR_DENIED || e.kind == ERR_NOT_FOUND;
	if (relist)
		watch_set_text(&w->continue_, NULL);
	if (!failed(e))
		watch_go_on(w);
	else if (e.kind == ERR_EXPIRED && w->relists <= 1)
		watch_list(w);
	else
		watch_pause(w, err_wrap(e, "watching %s", watch_plural(w)), retry_after_ms,
			relist ? watch_list : watch_go_on);
}

static void watch_done(void *watch, struct err e, const struct http_answer *a)
{
	struct watch *w = watch;
	w->call = NULL;
	timer_stop(w->kube->loop, TAKE(w->silence));
	watch_enter_handler(w);
	watch_ended(w, end_of_stream(w, e, a), a ? a->retry_after_ms : -1);
	watch_leave_handler(w);
}

void watch_stream(void *watch)
{
	static const struct http_header accept = { "Accept", "application/json" };
	struct watch *w = watch;
	int64_t seconds = WATCH_LEAST_S + (int64_t)watch_random(w, WATCH_SPREAD_S + 1);
	struct str path AUTO(str_free) = { 0 };
	char *base AUTO(own_free) = watch_path(w);
	w->timer = NULL;
	str_add(&path, base);
	query_add(&path, "watch", "true");
	query_add(&path, "allowWatchBookmarks", "true");
	query_add(&path, "resourceVersion", w->version);
	str_addf(&path, "&timeoutSeconds=%lld", (long long)seconds);
	struct http_request r = {
		.method = "GET",
		.path = str_text(&path),
		.headers = &accept,
		.n_headers = 1,
		.max_answer_bytes = LINE_BYTES,
		.on_data = take_data,
	};
	lines_reset(&w->lines);
	w->line_ms = 0;
	w->verdict = OK;
	w->event_came = false;
	w->started_ms = loop_now_ms(w->kube->loop);
	w->call = http_send(w->kube->http, &r, watch_done, w);
	w->silence = timer_start(w->kube->loop, silence_left_ms(w), silence_check, w);
}
