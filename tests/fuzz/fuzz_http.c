/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP in our own code: header lines of an answer ('a'; libcurl has cut them already),
 * requests to a server whose handler asks for everything, and answers at once, later and
 * in pieces ('r', over a real connection), escapes in paths and queries ('u'), and
 * addresses to listen on (everything else). libcurl and libmicrohttpd are not
 * instrumented.
 */
#include <errno.h>
#include <arpa/inet.h>

/* The functions under test are private to their file. */
#include "net/curl_easy.c"
#include "net/server_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* ---- answers ---- */

static void as_answer(const char *bytes, size_t n)
{
	struct curl_http http = { 0 };
	struct http_call c = { .http = &http, .max_answer_bytes = 1 << 16, .retry_after_ms = -1 };
	c.easy = curl_easy_init();
	while (n) {
		const char *end = memchr(bytes, '\n', n);
		size_t line = end ? (size_t)(end - bytes) + 1 : n;
		AUTO(own_free) char *exact = own_alloc(line); /* header lines have no terminator */
		memcpy(exact, bytes, line);
		if (take_header(exact, 1, line, &c) != line)
			abort();
		if (c.retry_after_ms < -1 || c.retry_after_ms > 86400000 ||
			c.answer.cap > (1 << 18))
			abort();
		if (take_body(exact, 1, line, &c) != line && !c.too_large)
			abort();
		bytes += line;
		n -= line;
	}
	if (c.answer.len > c.max_answer_bytes)
		abort();
	str_free(&c.answer);
	curl_easy_cleanup(c.easy);
}

/* ---- requests ---- */

enum { BODY_BYTES = 256 };

static struct exchange *held; /* answered on the next turn */

static void gone(void *ctx)
{
	(void)ctx;
	held = NULL;
}

static void hold(struct exchange *x, bool stream)
{
	if (held) { /* one at a time */
		struct str body = { 0 };
		exchange_reply(x, 503, "text/plain", &body);
		return;
	}
	held = x;
	if (stream)
		exchange_stream(x, 200, "text/plain", gone, NULL);
	else
		exchange_later(x, gone, NULL);
}

static void handle(void *ctx, struct exchange *x)
{
	const char *query = exchange_query(x, "a"), *header = exchange_header(x, "X-Test");
	const char *path = exchange_path(x), *method = exchange_method(x);
	struct str body = { 0 };
	size_t n;
	const char *sent = exchange_body(x, &n);
	(void)ctx;
	if (n > BODY_BYTES || sent[n])
		abort();
	str_addf(&body, "%zu %zu %zu %zu %zu", strlen(method), strlen(path),
		query ? strlen(query) : 0, header ? strlen(header) : 0, n);
	if (path[0] == '/' && (path[1] == 'l' || path[1] == 's')) {
		str_free(&body);
		hold(x, path[1] == 's');
	} else {
		exchange_reply(x, str_eq(path, "/healthz") ? 200 : 404, "text/plain", &body);
	}
}

static void answer_held(void)
{
	struct exchange *x = TAKE(held);
	struct str body = { 0 };
	if (!x)
		return;
	if (exchange_path(x)[1] == 's') {
		exchange_write(x, "piece", 5);
		exchange_end(x);
	} else {
		exchange_reply(x, 200, "text/plain", &body);
	}
}

/*
 * -1: every port of ours still waits behind a connection that the server closed first, or
 * the alarm of libFuzzer came between.
 */
static int connect_to(int port)
{
	struct linger reset = { 1, 0 }; /* leaves no port waiting behind */
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)port),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) != 0)
		abort();
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0)
		return fd;
	if (errno != EADDRNOTAVAIL && errno != EINTR) {
		perror("connect");
		abort();
	}
	close(fd);
	return -1;
}

/* One server for all: what one request leaves must not hurt the next. */
static void as_request(const char *bytes, size_t n)
{
	static struct loop *loop;
	static struct http_server *s;
	char answer[4096];
	if (!s) {
		const struct http_server_config config = {
			.address = "127.0.0.1:0",
			.max_body_bytes = BODY_BYTES,
			.handler = handle,
		};

		loop = loop_uv_new();
		if (failed(http_server_new(loop, &config, &s)))
			abort();
	}
	int fd = connect_to(http_server_port(s));
	if (fd < 0)
		return;
	ssize_t got = send(fd, bytes, n, MSG_NOSIGNAL);
	if (n % 2) /* a client that sends no more counts as gone */
		shutdown(fd, SHUT_WR);
	for (int i = 0; i < 20 && (got = recv(fd, answer, sizeof(answer), MSG_DONTWAIT)) != 0;
		i++) {
		if (n % 3)
			answer_held();
		uv_run(loop_uv_handle(loop), UV_RUN_NOWAIT);
	}
	close(fd);
	uv_run(loop_uv_handle(loop), UV_RUN_NOWAIT);
}

/* ---- escapes ---- */

static void as_escapes(const char *bytes, size_t n)
{
	AUTO(own_free) char *text = own_strndup(bytes, n), *before = own_strdup(text);
	size_t used = exchange_unescape(NULL, NULL, text);
	if (used != strlen(text) || used > strlen(before) ||
		(!strchr(before, '%') && !str_eq(text, before)))
		abort();
}

/* ---- addresses ---- */

static void as_address(const char *bytes, size_t n)
{
	char host[MAX_HOST_BYTES];
	const char *port = NULL;
	AUTO(own_free) char *text = own_strndup(bytes, n);
	if (address_split(text, host, &port) &&
		(strlen(host) >= MAX_HOST_BYTES || atoi(port) > 65535 || atoi(port) < 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const char *text = (const char *)bytes + 1;
	if (n < 1)
		return 0;
	if (bytes[0] == 'a')
		as_answer(text, n - 1);
	else if (bytes[0] == 'r')
		as_request(text, n - 1);
	else if (bytes[0] == 'u')
		as_escapes(text, n - 1);
	else
		as_address(text, n - 1);
	return 0;
}
