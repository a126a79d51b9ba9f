/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists, then watches.
 *
 *     watch_list -> page_done -> ... -> watch_stream -> data ... -> watch_done
 *          ^                                 ^                          |
 *          |                                 +-------- continues -------+
 *          +------------------- position lost, or too old --------------+
 */
#include "kube/watch.h"

#include <string.h>

#include "base/codec.h"
#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "kube/lines.h"
#include "object/query.h"

enum {
	/*
	 * Maximum size of one object. etcd accepts 1.5 MiB, which may be six times as
	 * long in JSON, where "<" is \\u003c
	 */
	LINE_BYTES = 16 * 1024 * 1024,
	BACKOFF_LEAST_MS = 200,
	PAGE_OBJECTS = 500,
	PAGE_BYTES = 8 * 1024 * 1024, /* small, because all watches may list at the same time */
	BACKOFF_MOST_MS = 30000,
	REFUSED_MS = 10000, /* a CRD or a role is missing: a user must add it */
	RETRY_AFTER_MOST_MS = 60000,
	WATCH_LEAST_S = 300,
	WATCH_SPREAD_S = 290, /* random part, so that watches do not end together */
	SHORT_WATCH_MS = 1000,
	HEALTHY_WATCH_MS = 10000,
	/* Bookmarks come every minute */
	SILENT_WATCH_MS = 150000,
	FIRST_WORD_MS = 90000,
	EVENT_MS = 30000, /* maximum time from its first byte to its last */
};

struct watch {
	struct kube *kube;
	enum resource resource;
	char *ns, *selector, *fields; /* label and field selectors; NULL: none */
	const struct watch_handler *handler;
	void *ctx;

	struct http_call *call;
	struct timer *timer;
	struct timer *silence; /* maximum time without an event or a bookmark */
	char *version;         /* resourceVersion from which the watch continues */
	char *continue_;       /* continue token of the next page; NULL: the first page */
	bool listed_anew;      /* this list was restarted once */
	int relists;           /* lists since the last event */
	int page_objects;      /* maximum number for the next page */
	struct lines lines;
	struct err verdict; /* why we ended the stream */
	int64_t started_ms, backoff_ms;
	int64_t asked_ms;  /* when the first page of this list was requested */
	int64_t listed_ms; /* watch_listed_ms */
	int64_t seen_ms;   /* watch_seen_ms */
	int64_t line_ms;   /* when the first bytes of an incomplete event arrived; 0: none */
	bool event_came, troubled;
	uint64_t random;
	int in_handler;
	bool dead; /* freed by its handler */
};

/* Lists, beginning with the first page or at continue_. */
static void watch_list(void *watch);
/* Watches from w->version on. */
static void watch_stream(void *watch);

/* ---- helpers ---- */

static uint64_t watch_random(struct watch *w, uint64_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random % n;
}

static void watch_set_text(char **text, const char *value)
{
	char *copy = str_empty(value) ? NULL : own_strdup(value);
	free(*text);
	*text = copy;
}

METRIC(requests_total, "slurm_operator_watch_requests_total", METRIC_COUNTER,
	"Requests for watches. The label what is watch, or list for a page of a list. The API server ends each watch after 5 to 10 minutes, and the next watch continues. A new list means that a watch could not continue.",
	"resource,what", METRIC_OF_KUBE_CLIENT);

static const char *watch_plural(const struct watch *w) { return resource_name(w->resource); }

static void watch_count(const struct watch *w, const char *what)
{
	metric_add(&requests_total, 1, watch_plural(w), what);
}

static void destroy(struct watch *w)
{
	free(w->ns);
	free(w->selector);
	free(w->fields);
	free(w->version);
	free(w->continue_);
	lines_reset(&w->lines);
	free(w);
}

static void watch_enter_handler(struct watch *w) { w->in_handler++; }

static bool watch_leave_handler(struct watch *w)
{
	bool dead = w->dead;
	if (--w->in_handler == 0 && dead)
		destroy(w);
	return !dead;
}

static char *watch_path(struct watch *w)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct str path = { 0 };
	str_add(&path, resource_path(&a, w->resource, w->ns, NULL, NULL));
	if (w->selector)
		query_add(&path, "labelSelector", w->selector);
	if (w->fields)
		query_add(&path, "fieldSelector", w->fields);
	return str_take(&path);
}

/* ---- failures ---- */

static int64_t next_backoff(struct watch *w)
{
	int64_t ms = w->backoff_ms;
	w->backoff_ms = ms * 2 > BACKOFF_MOST_MS ? BACKOFF_MOST_MS : ms * 2;
	return ms / 2 + (int64_t)watch_random(w, (uint64_t)(ms / 2 + 1));
}

static int64_t pause_after(struct watch *w, struct err e, int64_t retry_after_ms)
{
	if (e.kind == ERR_DENIED || e.kind == ERR_NOT_FOUND)
		return REFUSED_MS;
	int64_t ms = next_backoff(w);
	if (retry_after_ms > ms)
		ms = retry_after_ms > RETRY_AFTER_MOST_MS ? RETRY_AFTER_MOST_MS : retry_after_ms;
	return ms;
}

static void watch_pause(struct watch *w, struct err e, int64_t retry_after_ms, timer_fn *next)
{
	w->timer = timer_start(w->kube->loop, pause_after(w, e, retry_after_ms), next, w);
	w->troubled = true;
	if (w->handler->trouble)
		w->handler->trouble(w->ctx, e);
}

static void watch_connected(struct watch *w)
{
	bool again = w->troubled;
	w->troubled = false;
	if (again && w->handler->connected)
		w->handler->connected(w->ctx);
}

/* ---- listing ---- */

/* A page may have large objects: etcd accepts objects of 1.5 MiB. */
static bool page_was_too_large(struct watch *w, struct err e)
{
	if (e.kind != ERR_TOO_LARGE || w->page_objects == 1)
		return false;
	w->page_objects /= 2;
	return true;
}

static void list_failed(struct watch *w, struct err e, int64_t retry_after_ms)
{
	if (page_was_too_large(w, e)) {
		watch_list(w); /* requests a smaller page from the same position */
		return;
	}
	bool over = e.kind == ERR_EXPIRED && w->continue_ && !w->listed_anew;
	watch_set_text(&w->continue_, NULL);
	w->listed_anew = over;
	if (over)
		watch_list(w);
	else
		watch_pause(w, err_wrap(e, "listing %s", watch_plural(w)), retry_after_ms,
			watch_list);
}

static void list_ended(struct watch *w)
{
	w->listed_anew = false;
	w->seen_ms = w->listed_ms = w->asked_ms;
	watch_connected(w);
	if (w->relists++ == 0)
		w->backoff_ms = BACKOFF_LEAST_MS;
	w->handler->list_end(w->ctx, w->version);
	if (!w->dead)
		watch_stream(w);
}

/* The answer is complete. Its items follow in page_item. */
static void page_begun(void *watch, const struct json *metadata)
{
	struct watch *w = watch;
	w->call = NULL;
	watch_enter_handler(w);
	if (!w->continue_)
		w->handler->list_begin(w->ctx,
			json_str(json_get(metadata, "resourceVersion"), "0"));
}

static void page_item(void *watch, const struct json *object)
{
	struct watch *w = watch;
	if (!w->dead)
		w->handler->upsert(w->ctx, object);
}

static void take_page(struct watch *w, const struct json *meta)
{
	watch_set_text(&w->version, json_str(json_get(meta, "resourceVersion"), NULL));
	watch_set_text(&w->continue_, json_str(json_get(meta, "continue"), NULL));
	w->page_objects = 2 * w->page_objects > PAGE_OBJECTS ? PAGE_OBJECTS : 2 * w->page_objects;
	if (w->continue_)
		watch_list(w);
	else
		list_ended(w);
}

static void page_done(void *watch, struct err e, const struct json *page, int64_t retry_after_ms)
{
	struct watch *w = watch;
	w->call = NULL;
	if (!w->in_handler)
		watch_enter_handler(w); /* page_begun was not called */
	if (!failed(e) && !json_is_arr(json_get(page, "items")) &&
		!json_is_null(json_get(page, "items")))
		e = err_new(ERR_RETRY, "the answer is no list");
	if (!failed(e) && str_empty(json_str(json_at(page, "metadata", "resourceVersion"), NULL)))
		e = err_new(ERR_RETRY, "the answer is no list: it has no resourceVersion");
	if (failed(e) && !w->dead)
		list_failed(w, e, retry_after_ms);
	else if (!w->dead)
		take_page(w, json_get(page, "metadata"));
	watch_leave_handler(w);
}

static void watch_list(void *watch)
{
	struct watch *w = watch;
	struct str path AUTO(str_free) = { 0 };
	char *base AUTO(own_free) = watch_path(w);
	w->timer = NULL;
	if (!w->continue_)
		w->asked_ms = loop_now_ms(w->kube->loop);
	str_add(&path, base);
	str_addf(&path, "%climit=%d", strchr(base, '?') ? '&' : '?', w->page_objects);
	if (w->continue_)
		query_add(&path, "continue", w->continue_);
	struct kube_request r = {
		.method = "GET",
		.path = str_text(&path),
		.max_answer_bytes = w->page_objects > 1 ? PAGE_BYTES : LINE_BYTES,
		.begun = page_begun,
		.item = page_item,
	};
	watch_count(w, "list");
	w->call = kube_send(w->kube, &r, page_done, w);
}

/* ---- watching ---- */

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
	return !w->dead; /* a BOOKMARK or an unknown type only moves the position */
}

/* A slow event delays all later events, including those of other objects. */
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
		w->verdict = err_new(ERR_INVALID, "an event takes more than %d s to arrive",
			EVENT_MS / 1000);
		end = LINES_STOPPED;
	}
	return watch_leave_handler(w) && end == LINES_OK;
}

/* The error that ended the stream; OK when the API server ended it as usual. */
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
 * Time left until the lack of events and bookmarks counts as a failure. A proxy may hold
 * back the bytes. Or etcd was restored and the position lies in the future: the API
 * server accepts such a watch, but never sends an event. (If an API server sends no
 * bookmarks, this costs one more list.)
 */
static int64_t fresh_left_ms(const struct watch *w)
{
	return w->seen_ms + SILENT_WATCH_MS - loop_now_ms(w->kube->loop);
}

/*
 * The contents of a list may be old when it ends, so a new watch has at least
 * FIRST_WORD_MS for its first event.
 */
static int64_t silence_left_ms(const struct watch *w)
{
	int64_t first_ms = w->started_ms + FIRST_WORD_MS - loop_now_ms(w->kube->loop);
	return first_ms > fresh_left_ms(w) ? first_ms : fresh_left_ms(w);
}

/* Continues the watch from its position, or lists again if the position is too old. */
static void watch_go_on(void *watch)
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
	log_warn("a watch received nothing, not even a bookmark: listing again", "resource",
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

static void watch_stream(void *watch)
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
	watch_count(w, "watch");
	w->call = http_send(w->kube->http, &r, watch_done, w);
	w->silence = timer_start(w->kube->loop, silence_left_ms(w), silence_check, w);
}

/* ---- create and free ---- */

/* Differs between watches, and is the same in each run with a simulated clock. */
static uint64_t seed(const struct watch *w)
{
	int64_t now = loop_now_ms(w->kube->loop);
	uint32_t hash = fnv1_32(FNV1_START, &now, sizeof(now));
	hash = fnv1_32(hash, watch_plural(w), strlen(watch_plural(w)));
	hash = fnv1_32(hash, w->ns ? w->ns : "", w->ns ? strlen(w->ns) : 0);
	hash = fnv1_32(hash, w->selector ? w->selector : "", w->selector ? strlen(w->selector) : 0);
	hash = fnv1_32(hash, w->fields ? w->fields : "", w->fields ? strlen(w->fields) : 0);
	return (uint64_t)hash << 16 | 1;
}

static struct watch *watch_make(struct kube *k, enum resource r,
	const struct watch_handler *handler, void *ctx)
{
	struct watch *w = own_alloc(sizeof(*w));
	w->kube = k;
	w->resource = r;
	w->handler = handler;
	w->ctx = ctx;
	w->lines.max_bytes = LINE_BYTES;
	w->backoff_ms = BACKOFF_LEAST_MS;
	w->page_objects = PAGE_OBJECTS;
	w->seen_ms = loop_now_ms(k->loop);
	w->listed_ms = INT64_MIN;
	return w;
}

static struct watch *watch_begin(struct watch *w)
{
	w->random = seed(w);
	watch_list(w);
	return w;
}

struct watch *watch_new(struct kube *k, enum resource r, const char *ns, const char *selector,
	const struct watch_handler *handler, void *ctx)
{
	struct watch *w = watch_make(k, r, handler, ctx);
	watch_set_text(&w->ns, ns);
	watch_set_text(&w->selector, selector);
	return watch_begin(w);
}

struct watch *watch_new_by_fields(struct kube *k, enum resource r, const char *fields,
	const struct watch_handler *handler, void *ctx)
{
	struct watch *w = watch_make(k, r, handler, ctx);
	watch_set_text(&w->fields, fields);
	return watch_begin(w);
}

/* Cancels the request and the timers of the watch. */
static void stop(struct watch *w)
{
	timer_stop(w->kube->loop, TAKE(w->timer));
	timer_stop(w->kube->loop, TAKE(w->silence));
	http_cancel(w->kube->http, TAKE(w->call));
}

void watch_list_anew(struct watch *w)
{
	if (w->asked_ms == loop_now_ms(w->kube->loop) && !w->continue_)
		return; /* a list has just been started */
	stop(w);
	watch_set_text(&w->continue_, NULL);
	w->listed_anew = false;
	watch_list(w);
}

void watch_free(struct watch *w)
{
	if (!w || w->dead)
		return;
	w->dead = true;
	stop(w);
	if (w->in_handler == 0)
		destroy(w);
}

int64_t watch_seen_ms(const struct watch *w) { return w->seen_ms; }

int64_t watch_listed_ms(const struct watch *w) { return w->listed_ms; }
