/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List, then watch.
 *
 *     watch_list -> page_done -> ... -> watch_stream -> data ... -> watch_done
 *          ^                                 ^                          |
 *          |                                 +-------- goes on ---------+
 *          +------------------- position lost, or too old --------------+
 */
#include "kube/watch_parts.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "object/query.h"

enum {
	PAGE_OBJECTS = 500,
	PAGE_BYTES = 8 * 1024 * 1024, /* all watches may list at a time */
	BACKOFF_MOST_MS = 30000,
	REFUSED_MS = 10000, /* a CRD or a role is missing: a human is at work */
	RETRY_AFTER_MOST_MS = 60000,
};

/* ---- small parts ---- */

uint64_t watch_random(struct watch *w, uint64_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random % n;
}

void watch_set_text(char **text, const char *value)
{
	char *copy = str_empty(value) ? NULL : own_strdup(value);
	free(*text);
	*text = copy;
}

const char *watch_plural(const struct watch *w) { return resource_name(w->resource); }

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

void watch_enter_handler(struct watch *w) { w->in_handler++; }

bool watch_leave_handler(struct watch *w)
{
	bool dead = w->dead;
	if (--w->in_handler == 0 && dead)
		destroy(w);
	return !dead;
}

char *watch_path(struct watch *w)
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

/* ---- trouble ---- */

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

void watch_pause(struct watch *w, struct err e, int64_t retry_after_ms, timer_fn *next)
{
	w->timer = timer_start(w->kube->loop, pause_after(w, e, retry_after_ms), next, w);
	w->troubled = true;
	if (w->handler->trouble)
		w->handler->trouble(w->ctx, e);
}

void watch_connected(struct watch *w)
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
		watch_list(w); /* goes on where it is */
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

/* Its items are on their way: the call is over. */
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
		watch_enter_handler(w); /* there was no page */
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

void watch_list(void *watch)
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
	w->call = kube_send(w->kube, &r, page_done, w);
}

/* ---- its life ---- */

/* Different for each watch, and the same in every run of a simulated clock. */
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
		return; /* so it does, or has just done it */
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
