/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client without libcurl: what it sends, and what it makes of what comes. */
#include "lib/test.h"

#include <stdio.h>
#include <sys/un.h>

#include "base/own.h"
#include "base/str.h"
#include "lib/fake_peer.h"
#include "net/http_plain.h"

struct world {
	struct loop *loop;
	struct http *http;
	struct peer peer;
	bool has_peer;
	int told, wanted, dropped;
	struct err err;
	int status;
	struct str body, pieces;
	size_t most_pieces; /* after so many bytes its reader has had enough; 0: never */
	int64_t retry_after_ms;
};

static int given_a_loop(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->loop = loop_uv_new();
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->http);
	if (w->has_peer)
		peer_stop(&w->peer);
	loop_uv_free(w->loop);
	str_free(&w->body);
	str_free(&w->pieces);
	free(w);
	return 0;
}

static void given_answer(struct world *w, const char *answer)
{
	char url[64];
	if (w->has_peer)
		peer_stop(&w->peer);
	http_free(TAKE(w->http));
	peer_start(&w->peer, NULL, answer);
	w->has_peer = true;
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", w->peer.port);
	assert_false(failed(http_plain_new(w->loop, url, &w->http)));
}

static void told(void *ctx, struct err err, const struct http_answer *a)
{
	struct world *w = ctx;
	w->told++;
	w->err = err;
	str_clear(&w->body);
	w->status = a ? a->status : 0;
	w->retry_after_ms = a ? a->retry_after_ms : -1;
	if (a)
		str_add_bytes(&w->body, a->body, a->body_bytes);
	if (w->told >= w->wanted)
		loop_uv_stop(w->loop);
}

static void dropped(void *ctx) { ((struct world *)ctx)->dropped++; }

static bool piece(void *ctx, const char *bytes, size_t n)
{
	struct world *w = ctx;
	str_add_bytes(&w->pieces, bytes, n);
	return !w->most_pieces || w->pieces.len < w->most_pieces;
}

static struct http_call *get(struct world *w, struct http_request r)
{
	r.method = r.method ? r.method : "GET";
	r.path = "/x?y=z";
	r.drop = dropped;
	return http_send(w->http, &r, told, w);
}

static void when_told(struct world *w, int n)
{
	w->wanted = w->told + n;
	loop_uv_run(w->loop);
	assert_int_equal(w->told, w->wanted);
}

static void is_answer(struct world *w, int status, const char *body)
{
	if (failed(w->err))
		fail_msg("%s", w->err.text);
	assert_int_equal(w->status, status);
	assert_string_equal(str_text(&w->body), body);
}

static void is_error(struct world *w, enum err_kind kind, const char *sentence)
{
	assert_string_equal(err_kind_name(w->err.kind), err_kind_name(kind));
	if (!strstr(w->err.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, w->err.text);
}

/* ---- what is sent ---- */

static void a_request_is_one_of_http_1_0(void **state)
{
	const struct http_header headers[] = { { "X-SLURM-USER-TOKEN", "t.o.k" } };
	struct world *w = *state;
	given_answer(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
	get(w, (struct http_request){ .headers = headers, .n_headers = 1 });
	when_told(w, 1);
	is_answer(w, 200, "{}");
	assert_string_equal(w->peer.request,
		"GET /x?y=z HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n"
		"X-SLURM-USER-TOKEN: t.o.k\r\n\r\n");
	get(w, (struct http_request){ .method = "POST", .body = "abc", .body_bytes = 3 });
	when_told(w, 1);
	assert_non_null(strstr(w->peer.request, "\r\nContent-Length: 3\r\n\r\nabc"));
}

/* ---- what comes ---- */

static void answers_in_every_form(void **state)
{
	static const struct {
		const char *answer;
		int status;
		const char *body;
	} rows[] = {
		{ "HTTP/1.0 200 OK\r\n\r\nto the end", 200, "to the end" },
		{ "HTTP/1.1 404 \r\ncontent-length:   3  \r\n\r\nabcdef", 404, "abc" },
		{ "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, "" },
		{ "HTTP/1.1 200 OK\nContent-Length: 1\n\nx", 200, "x" },
		{ "HTTP/1.1 503 Later\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", 503, "" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		given_answer(w, rows[i].answer);
		get(w, (struct http_request){ 0 });
		when_told(w, 1);
		is_answer(w, rows[i].status, rows[i].body);
	}
	assert_int_equal(w->retry_after_ms, 7000);
}

static void what_is_no_answer(void **state)
{
	static const struct {
		const char *answer;
		enum err_kind kind;
		const char *sentence;
	} rows[] = {
		{ "", ERR_LOST, "ended before the answer was whole" },
		{ "HTTP/1.1 200 OK\r\n", ERR_LOST, "ended before the answer was whole" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", ERR_LOST, "ended before" },
		{ "SSH-2.0-OpenSSH_9.2\r\n", ERR_INVALID, "does not answer in HTTP/1" },
		{ "HTTP/1.1 2x0 OK\r\n\r\n", ERR_INVALID, "does not answer in HTTP/1" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", ERR_INVALID, "no number" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", ERR_INVALID,
			"no number" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ERR_INVALID,
			"chunks" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		given_answer(w, rows[i].answer);
		get(w, (struct http_request){ 0 });
		when_told(w, 1);
		is_error(w, rows[i].kind, rows[i].sentence);
	}
}

static void a_head_without_an_end_is_bounded(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str head = { 0 };
	str_add(&head, "HTTP/1.1 200 OK\r\n");
	while (head.len < 40000)
		str_add(&head, "X-More: and more and more and more\r\n");
	given_answer(w, str_text(&head));
	get(w, (struct http_request){ 0 });
	when_told(w, 1);
	is_error(w, ERR_INVALID, "whose head has more than 32768 bytes");
}

static void a_long_answer_is_refused_or_read_as_it_comes(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str answer = { 0 };
	str_add(&answer, "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n");
	size_t head = answer.len;
	while (answer.len - head < 300000)
		str_add(&answer, "0123456789");
	given_answer(w, str_text(&answer));
	get(w, (struct http_request){ .max_answer_bytes = 1000 });
	when_told(w, 1);
	is_error(w, ERR_TOO_LARGE, "more than 1000 bytes");
	get(w, (struct http_request){ .max_answer_bytes = 1000, .on_body = piece });
	when_told(w, 1);
	is_answer(w, 200, "");
	assert_int_equal(w->pieces.len, 300000);
	assert_memory_equal(w->pieces.text, answer.text + head, 300000);
	str_clear(&w->pieces);
	w->most_pieces = 100000;
	get(w, (struct http_request){ .on_body = piece });
	when_told(w, 1);
	is_error(w, ERR_CANCELLED, "enough of it");
}

static void of_a_refusal_the_body_is_gathered(void **state)
{
	struct world *w = *state;
	given_answer(w, "HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nwhy");
	get(w, (struct http_request){ .on_body = piece });
	when_told(w, 1);
	is_answer(w, 500, "why");
	assert_int_equal(w->pieces.len, 0);
}

/* ---- nobody answers ---- */

static void nobody_listens(void **state)
{
	struct world *w = *state;
	given_answer(w, "");
	peer_stop(&w->peer);
	w->has_peer = false;
	get(w, (struct http_request){ 0 });
	when_told(w, 1);
	is_error(w, ERR_RETRY, "Connection refused");
	http_free(TAKE(w->http));
	assert_false(failed(http_plain_new(w->loop, "unix:/nonexistent/sock", &w->http)));
	get(w, (struct http_request){ 0 });
	when_told(w, 1);
	is_error(w, ERR_RETRY, "No such file");
}

/* A listener that nobody serves: requests arrive, and no answer comes. */
static void given_silence(struct world *w, int *fd)
{
	char url[64];
	int port;
	*fd = peer_listen(&port);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
	assert_false(failed(http_plain_new(w->loop, url, &w->http)));
}

static void nobody_knows_what_became_of_a_request_without_an_answer(void **state)
{
	struct world *w = *state;
	int64_t over_ms = 0;
	int fd;
	given_silence(w, &fd);
	get(w, (struct http_request){ .method = "DELETE", .timeout_ms = 50 });
	when_told(w, 1);
	is_error(w, ERR_LOST, "no whole answer within 50 ms");
	get(w, (struct http_request){ .leave_by_ms = &over_ms });
	when_told(w, 1);
	is_error(w, ERR_RETRY, "the time in which it may be sent is over");
	close(fd);
}

static void one_without_an_answer_holds_up_no_other(void **state)
{
	struct world *w = *state;
	int fd;
	given_silence(w, &fd);
	for (int i = 0; i < 64; i++)
		get(w, (struct http_request){ .timeout_ms = 200 });
	get(w, (struct http_request){ .max_wait_ms = 20 }); /* the 65th waits for its turn */
	when_told(w, 1);
	is_error(w, ERR_RETRY, "waited too long");
	when_told(w, 64);
	assert_non_null(strstr(w->err.text, "no whole answer within 200 ms"));
	close(fd);
}

static void a_request_that_is_cancelled_is_not_told(void **state)
{
	struct world *w = *state;
	int fd;
	given_silence(w, &fd);
	struct http_call *c = get(w, (struct http_request){ 0 });
	get(w, (struct http_request){ .timeout_ms = 50 });
	http_cancel(w->http, c);
	assert_int_equal(w->dropped, 1);
	when_told(w, 1);
	get(w, (struct http_request){ 0 });
	http_free(TAKE(w->http));
	assert_int_equal(w->dropped, 2);
	assert_int_equal(w->told, 1);
	close(fd);
}

/* ---- a unix socket ---- */

struct local {
	struct world *w;
	int fd;
	struct timer *timer;
};

/* Takes one connection, and answers it. */
static void serve(void *ctx)
{
	struct local *l = ctx;
	char request[256];
	static const char answer[] = "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nlocal";
	int fd = accept(l->fd, NULL, NULL);
	l->timer = fd < 0 ? timer_start(l->w->loop, 1, serve, l) : NULL;
	if (fd < 0)
		return;
	while (recv(fd, request, sizeof(request), 0) < 0)
		;
	assert_int_equal(send(fd, answer, sizeof(answer) - 1, 0), sizeof(answer) - 1);
	close(fd);
}

static void a_unix_socket_is_as_good(void **state)
{
	struct world *w = *state;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char folder[] = "/tmp/http-plain-XXXXXX", url[128];
	struct local l = { .w = w, .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0) };
	assert_non_null(mkdtemp(folder));
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/s", folder);
	assert_int_equal(bind(l.fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(l.fd, 1), 0);
	snprintf(url, sizeof(url), "unix:%s", at.sun_path);
	assert_false(failed(http_plain_new(w->loop, url, &w->http)));
	/* its line is short: those who find it full try again */
	for (int i = 0; i < 5; i++) {
		l.timer = timer_start(w->loop, 0, serve, &l);
		get(w, (struct http_request){ 0 });
		when_told(w, 1);
		is_answer(w, 200, "local");
	}
	close(l.fd);
	remove(at.sun_path);
	remove(folder);
}

/* ---- where ---- */

static void only_this_machine_is_spoken_to(void **state)
{
	static const char *const good[] = { "unix:/run/slurmrestd/sock", "http://127.0.0.1:6820",
		"http://127.8.9.1:1", "http://[::1]:6820" };
	static const char *const bad[] = { "", "/run/sock", "unix:run/sock",
		"unix:", "http://127.0.0.1", "http://127.0.0.1:0", "http://127.0.0.1:6820/",
		"http://10.0.0.1:6820", "http://0.0.0.0:6820", "http://[::]:6820",
		"http://localhost:6820", "http://[::1", "https://127.0.0.1:6820", "http://:6820" };
	AUTO(str_free) struct str path = { 0 };
	(void)state;
	for (size_t i = 0; i < LENGTH(good); i++)
		if (failed(http_plain_check(good[i])))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < LENGTH(bad); i++)
		if (http_plain_check(bad[i]).kind != ERR_INVALID)
			fail_msg("%s", bad[i]);
	str_add(&path, "unix:/");
	while (path.len < 200)
		str_add(&path, "long");
	assert_int_equal(http_plain_check(str_text(&path)).kind, ERR_INVALID);
}

#define PLAIN_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_loop, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAIN_TEST(a_request_is_one_of_http_1_0),
		PLAIN_TEST(answers_in_every_form),
		PLAIN_TEST(what_is_no_answer),
		PLAIN_TEST(a_head_without_an_end_is_bounded),
		PLAIN_TEST(a_long_answer_is_refused_or_read_as_it_comes),
		PLAIN_TEST(of_a_refusal_the_body_is_gathered),
		PLAIN_TEST(nobody_listens),
		PLAIN_TEST(nobody_knows_what_became_of_a_request_without_an_answer),
		PLAIN_TEST(one_without_an_answer_holds_up_no_other),
		PLAIN_TEST(a_request_that_is_cancelled_is_not_told),
		PLAIN_TEST(a_unix_socket_is_as_good),
		cmocka_unit_test(only_this_machine_is_spoken_to),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
