/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A watch of pods against a server that the test plays. Its handler writes its calls
 * down.
 *
 *     WATCH_TEST(name)
 *     given_it_watches(w);
 *     fake_data(last(w), EVENT("ADDED", "b", "8"));
 *     heard(w, "+b ");
 */
#ifndef TESTS_LIB_WATCH_WORLD_H
#define TESTS_LIB_WATCH_WORLD_H

#include "lib/given_kube.h"

#include "kube/watch.h"

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct kube kube;
	struct watch *watch;
	struct str story; /* what the handler heard, one word each */
	bool free_on_upsert;
	struct err last_trouble;
	int connected;
};

static inline void tell_object(struct world *w, const char *word, const struct json *o)
{
	str_addf(&w->story, "%s%s%s ", word, json_str(json_at(o, "metadata", "name"), "?"),
		json_is_cut(o) ? "(cut)" : "");
}

static inline void begin(void *ctx, const char *version)
{
	(void)version, str_add(&((struct world *)ctx)->story, "begin ");
}
static inline void end(void *ctx, const char *version)
{
	str_addf(&((struct world *)ctx)->story, "end:%s ", version);
}
static inline void removed(void *ctx, const struct json *o) { tell_object(ctx, "-", o); }

static inline void upsert(void *ctx, const struct json *o)
{
	struct world *w = ctx;
	tell_object(w, "+", o);
	if (w->free_on_upsert)
		watch_free(TAKE(w->watch));
}

static inline void connected(void *ctx) { ((struct world *)ctx)->connected++; }

static inline void trouble(void *ctx, struct err e)
{
	struct world *w = ctx;
	w->last_trouble = e;
	str_addf(&w->story, "trouble:%s ", err_kind_name(e.kind));
}

static const struct watch_handler handler = { begin, upsert, removed, end, connected, trouble };

static inline int given_a_watch(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	given_kube(&w->kube, &w->http, &w->loop);
	w->watch = watch_new(&w->kube, RES_POD, NULL, "app=a,b in (c)", &handler, w);
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	watch_free(w->watch);
	free_kube(&w->http, &w->loop);
	str_free(&w->story);
	free(w);
	return 0;
}

static inline struct http_call *last(struct world *w) { return fake_last(&w->http); }

static inline void heard(struct world *w, const char *story)
{
	assert_string_equal(str_text(&w->story), story);
	str_clear(&w->story);
}

static inline void answer_list(struct world *w, const char *body)
{
	fake_answer(last(w), 200, body);
}

/* Listed up to version 7 with pod a; watching. */
static inline void given_it_watches(struct world *w)
{
	answer_list(w,
		"{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":"
		"\"a\"}}]}");
	heard(w, "begin +a end:7 ");
	assert_has(last(w)->path, "watch=true");
}

#define GONE "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}"
#define EVENT(type, name, version)                                          \
	"{\"type\":\"" type "\",\"object\":{\"metadata\":{\"name\":\"" name \
	"\",\"resourceVersion\":\"" version "\"}}}\n"

#define WATCH_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_watch, free_world)

#endif
