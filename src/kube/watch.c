/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List, then watch.
 *
 *     list_start -> page_done -> ... -> watch_start -> data ... -> watch_done ->
 *     watch_start
 *          ^                                                           |
 *          +------------------------- position lost -------------------+
 */
#include "kube/watch.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "kube/lines.h"
#include "object/query.h"

enum {
	PAGE_OBJECTS = 500,
	LINE_BYTES = 4 << 20, /* etcd takes objects of 1.5 MiB */
	WATCH_LEAST_S = 300,
	WATCH_SPREAD_S = 290, /* so that many watches do not end together */
	WATCH_GRACE_S = 30,
	BACKOFF_LEAST_MS = 200,
	BACKOFF_MOST_MS = 30000,
	REFUSED_MS = 10000, /* a CRD or a role is missing: a human is at work */
	RETRY_AFTER_MOST_MS = 60000,
	SHORT_WATCH_MS = 1000,
	HEALTHY_WATCH_MS = 10000,
	SILENT_WATCH_MS = 150000, /* bookmarks come every minute */
};

struct watch {
	struct kube *kube;
	enum resource resource;
	char *ns, *selector;
	const struct watch_handler *handler;
	void *ctx;

	struct http_call *call;
	struct timer *timer;
	char *version;    /* where the watch goes on */
	char *continue_;  /* where the list goes on; NULL: at its beginning */
	bool listed_anew; /* this list had to start over once */
	int relists;      /* lists since an event came last */
	int page_objects; /* of the next page, at most */
	struct lines lines;
	struct err verdict; /* why we ended the stream */
	int64_t started_ms, backoff_ms;
	bool event_came, troubled;
	uint64_t random;
	int in_handler;
	bool dead; /* freed by its handler */
};

static void list_start(void *watch);
static void watch_start(void *watch);

/* ---- small parts ---- */

static uint64_t random_below(struct watch *w, uint64_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random % n;
}

static void set_text(char **text, const char *value)
{
	char *copy = str_empty(value) ? NULL : own_strdup(value);
	free(*text);
	*text = copy;
}

static const char *plural(const struct watch *w) { return resource_rows[w->resource].plural; }

static void destroy(struct watch *w)
{
	free(w->ns);
	free(w->selector);
	free(w->version);
	free(w->continue_);
	lines_reset(&w->lines);
	free(w);
}

static void enter_handler(struct watch *w) { w->in_handler++; }

/*
 * False when the handler freed the watch: then w is gone, or will be when the outermost
 * one leaves.
 */
static bool leave_handler(struct watch *w)
{
	bool dead = w->dead;
	if (--w->in_handler == 0 && dead)
		destroy(w);
	return !dead;
}

static char *query_path(struct watch *w)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct str path = { 0 };
	str_add(&path, resource_path(&a, w->resource, w->ns, NULL, NULL));
	if (w->selector)
		query_add(&path, "labelSelector", w->selector);
	return str_take(&path);
}

/* ---- trouble ---- */

static int64_t next_backoff(struct watch *w)
{
	int64_t ms = w->backoff_ms;
	w->backoff_ms = ms * 2 > BACKOFF_MOST_MS ? BACKOFF_MOST_MS : ms * 2;
	return ms / 2 + (int64_t)random_below(w, (uint64_t)(ms / 2 + 1));
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

/* Says what is wrong and goes on at next after a while. */
static void pause_then(struct watch *w, struct err e, int64_t retry_after_ms, timer_fn *next)
{
	w->timer = timer_start(w->kube->loop, pause_after(w, e, retry_after_ms), next, w);
	w->troubled = true;
	if (w->handler->trouble)
		w->handler->trouble(w->ctx, e);
}

/* Something came: whatever was wrong is over. */
static void connected(struct watch *w)
{
	bool again = w->troubled;
	w->troubled = false;
	if (again && w->handler->connected)
		w->handler->connected(w->ctx);
}

/* ---- listing ---- */

/* Objects of a page may be large: of 1.5 MiB each, as etcd takes them. */
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
		list_start(w); /* goes on where it is */
		return;
	}
	bool over = e.kind == ERR_EXPIRED && w->continue_ && !w->listed_anew;
	set_text(&w->continue_, NULL);
	w->listed_anew = over;
	if (over)
		list_start(w);
	else
		pause_then(w, err_wrap(e, "listing %s", plural(w)), retry_after_ms, list_start);
}

static void list_ended(struct watch *w)
{
	w->listed_anew = false;
	connected(w);
	if (w->relists++ == 0)
		w->backoff_ms = BACKOFF_LEAST_MS;
	w->handler->list_end(w->ctx, w->version);
	if (!w->dead)
		watch_start(w);
}

/* Its items are on their way: the call is over. */
static void page_begun(void *watch, const struct json *metadata)
{
	struct watch *w = watch;
	w->call = NULL;
	enter_handler(w);
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
	set_text(&w->version, json_str(json_get(meta, "resourceVersion"), NULL));
	set_text(&w->continue_, json_str(json_get(meta, "continue"), NULL));
	w->page_objects = 2 * w->page_objects > PAGE_OBJECTS ? PAGE_OBJECTS : 2 * w->page_objects;
	if (w->continue_)
		list_start(w);
	else
		list_ended(w);
}

static void page_done(void *watch, struct err e, const struct json *page, int64_t retry_after_ms)
{
	struct watch *w = watch;
	w->call = NULL;
	if (!w->in_handler)
		enter_handler(w); /* there was no page */
	if (!failed(e) && !json_is_arr(json_get(page, "items")) &&
		!json_is_null(json_get(page, "items")))
		e = err_new(ERR_RETRY, "the answer is no list");
	if (!failed(e) && str_empty(json_str(json_at(page, "metadata", "resourceVersion"), NULL)))
		e = err_new(ERR_RETRY, "the answer is no list: it has no resourceVersion");
	if (failed(e) && !w->dead)
		list_failed(w, e, retry_after_ms);
	else if (!w->dead)
		take_page(w, json_get(page, "metadata"));
	leave_handler(w);
}

static void list_start(void *watch)
{
	struct watch *w = watch;
	struct str path AUTO(str_free) = { 0 };
	char *base AUTO(own_free) = query_path(w);
	w->timer = NULL;
	str_add(&path, base);
	str_addf(&path, "%climit=%d", strchr(base, '?') ? '&' : '?', w->page_objects);
	if (w->continue_)
		query_add(&path, "continue", w->continue_);
	struct kube_request r = {
		.method = "GET",
		.path = str_text(&path),
		.begun = page_begun,
		.item = page_item,
	};
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
	if (!w->event_came) {
		connected(w);
		w->event_came = true;
		w->relists = 0;
		w->backoff_ms = BACKOFF_LEAST_MS;
	}
	const char *version = json_str(json_at(object, "metadata", "resourceVersion"), NULL);
	if (!str_empty(version))
		set_text(&w->version, version);
	if (str_eq(type, "ADDED") || str_eq(type, "MODIFIED"))
		w->handler->upsert(w->ctx, object);
	else if (str_eq(type, "DELETED"))
		w->handler->removed(w->ctx, object);
	return !w->dead; /* BOOKMARK and what is not known yet: only the position */
}

static bool take_data(void *watch, const char *bytes, size_t n)
{
	struct watch *w = watch;
	enum lines_end end;
	enter_handler(w);
	end = lines_feed(&w->lines, bytes, n, take_event, w);
	if (end == LINES_TOO_LONG)
		w->verdict = err_new(ERR_TOO_LARGE, "an event is longer than %d bytes", LINE_BYTES);
	return leave_handler(w) && end == LINES_OK;
}

/* What the end of the stream means; OK when it is the ordinary one. */
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
 * Not even a bookmark came: the position may be one that is yet to come, because etcd was
 * restored. Such a watch is accepted, and tells nothing for ever. (Where an API server
 * sends no bookmarks this is a list more.)
 */
static bool silent(const struct watch *w)
{
	return !w->event_came && loop_now_ms(w->kube->loop) - w->started_ms >= SILENT_WATCH_MS;
}

static void go_on(struct watch *w, struct err e, int64_t retry_after_ms)
{
	bool relist = e.kind == ERR_EXPIRED || e.kind == ERR_INVALID || e.kind == ERR_TOO_LARGE ||
		e.kind == ERR_DENIED || e.kind == ERR_NOT_FOUND;
	if (relist)
		set_text(&w->continue_, NULL);
	if (!failed(e) && silent(w))
		list_start(w);
	else if (!failed(e))
		watch_start(w);
	else if (e.kind == ERR_EXPIRED && w->relists <= 1)
		list_start(w);
	else
		pause_then(w, err_wrap(e, "watching %s", plural(w)), retry_after_ms,
			relist ? list_start : watch_start);
}

static void watch_done(void *watch, struct err e, const struct http_answer *a)
{
	struct watch *w = watch;
	w->call = NULL;
	enter_handler(w);
	go_on(w, end_of_stream(w, e, a), a ? a->retry_after_ms : -1);
	leave_handler(w);
}

static void watch_start(void *watch)
{
	static const struct http_header accept = { "Accept", "application/json" };
	struct watch *w = watch;
	int64_t seconds = WATCH_LEAST_S + (int64_t)random_below(w, WATCH_SPREAD_S + 1);
	struct str path AUTO(str_free) = { 0 };
	char *base AUTO(own_free) = query_path(w);
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
		.idle_timeout_ms = (seconds + WATCH_GRACE_S) * 1000,
	};
	lines_reset(&w->lines);
	w->verdict = OK;
	w->event_came = false;
	w->started_ms = loop_now_ms(w->kube->loop);
	w->call = http_send(w->kube->http, &r, watch_done, w);
}

/* ---- its life ---- */

/* Different for each watch, and the same in every run of a simulated clock. */
static uint64_t seed(const struct watch *w)
{
	int64_t now = loop_now_ms(w->kube->loop);
	uint32_t hash = fnv1_32(FNV1_START, &now, sizeof(now));
	hash = fnv1_32(hash, plural(w), strlen(plural(w)));
	hash = fnv1_32(hash, w->ns ? w->ns : "", w->ns ? strlen(w->ns) : 0);
	hash = fnv1_32(hash, w->selector ? w->selector : "", w->selector ? strlen(w->selector) : 0);
	return (uint64_t)hash << 16 | 1;
}

struct watch *watch_new(struct kube *k, enum resource r, const char *ns, const char *selector,
	const struct watch_handler *handler, void *ctx)
{
	struct watch *w = own_alloc(sizeof(*w));
	w->kube = k;
	w->resource = r;
	set_text(&w->ns, ns);
	set_text(&w->selector, selector);
	w->handler = handler;
	w->ctx = ctx;
	w->lines.max_bytes = LINE_BYTES;
	w->backoff_ms = BACKOFF_LEAST_MS;
	w->page_objects = PAGE_OBJECTS;
	w->random = seed(w);
	list_start(w);
	return w;
}

void watch_free(struct watch *w)
{
	if (!w || w->dead)
		return;
	w->dead = true;
	timer_stop(w->kube->loop, TAKE(w->timer));
	http_cancel(w->kube->http, TAKE(w->call));
	if (w->in_handler == 0)
		destroy(w);
}
