/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP client on a real loop, and a peer on 127.0.0.1 that answers as the test says.
 *
 *     given_a_peer(w, "HTTP/1.1 200 OK\r\n...");
 *     get(w, (struct http_request){ 0 });
 *     failed_with(w, ERR_LOST, "...");
 */
#ifndef TESTS_LIB_HTTP_WORLD_H
#define TESTS_LIB_HTTP_WORLD_H

#include "lib/fake_peer.h"
#include "lib/test.h"

#include "net/http.h"

struct world {
	struct loop *loop;
	struct http *http;
	struct peer peer;
	bool peer_runs;
	int ended;  /* calls of done */
	int wanted; /* of them, until the loop stops */
	struct err err;
	int status;
	int64_t retry_after_ms;
	char warning[100];
	struct str body;
	struct str data;      /* of a stream */
	size_t longest_piece; /* of it */
	bool stop_stream, free_in_done;
	int dropped;
};

static inline int given_a_loop(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	w->wanted = 1;
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->http);
	if (w->peer_runs)
		peer_stop(&w->peer);
	loop_uv_free(w->loop);
	str_free(&w->body);
	str_free(&w->data);
	free(w);
	return 0;
}

static inline void connect_to(struct world *w, int port, struct http_config config)
{
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "%s127.0.0.1:%d", config.base_url ? config.base_url : "http://", port);
	config.base_url = str_text(&url);
	assert_false(failed(http_curl_new(w->loop, &config, &w->http)));
}

static inline void given_a_peer(struct world *w, const char *answer)
{
	peer_start(&w->peer, NULL, answer);
	w->peer_runs = true;
	connect_to(w, w->peer.port, (struct http_config){ 0 });
}

static inline void done(void *ctx, struct err e, const struct http_answer *a)
{
	struct world *w = ctx;
	w->err = e;
	assert_true(failed(e) == (a == NULL));
	if (a) {
		w->status = a->status;
		w->retry_after_ms = a->retry_after_ms;
		snprintf(w->warning, sizeof(w->warning), "%s", a->warning ? a->warning : "none");
		assert_int_equal(a->body[a->body_bytes], 0);
		str_clear(&w->body);
		str_add_bytes(&w->body, a->body, a->body_bytes);
	}
	if (w->free_in_done)
		http_free(TAKE(w->http));
	if (++w->ended == w->wanted)
		loop_uv_stop(w->loop);
}

static inline void drop(void *ctx) { ((struct world *)ctx)->dropped++; }

static inline void get(struct world *w, struct http_request r)
{
	r.method = r.method ? r.method : "GET";
	r.path = r.path ? r.path : "/a?b=c";
	assert_non_null(http_send(w->http, &r, done, w));
	assert_int_equal(w->ended, 0);
	loop_uv_run(w->loop);
}

static inline void failed_with(struct world *w, enum err_kind kind, const char *sentence)
{
	assert_string_equal(err_kind_name(w->err.kind), err_kind_name(kind));
	if (!strstr(w->err.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, w->err.text);
}

#define HTTP_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_loop, free_world)

#endif
