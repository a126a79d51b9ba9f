/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the virtual node. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "transfer/parts.h"

enum {
	TOKEN_BYTES = 16 << 10,
	ANSWER_BYTES = 16 << 10,
	IDLE_MS = 300000,
	LIST_MS = 3600000, /* red-box sends no byte before it has read the whole tree */
	PUT_MS = 30000,    /* longer than the virtual node waits for red-box */
};
/* The checksum of a large file takes long. A dead peer is detected earlier. */
static const int64_t CALL_MS = INT64_C(12) * 3600 * 1000;

/* Reads the token for each request, because the kubelet replaces it before it expires. */
static struct err read_token(const char *file, struct str *out)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;
	str_reserve(out, TOKEN_BYTES);
	if (fd >= 0) {
		n = read(fd, out->text, TOKEN_BYTES - 1);
		int why = errno;
		close(fd);
		errno = why;
	}
	if (n < 0)
		return err_new(ERR_RETRY, "reading the token %s: %s", file, strerror(errno));
	while (n > 0 && (out->text[n - 1] == '\n' || out->text[n - 1] == ' '))
		n--;
	out->text[n] = '\0';
	out->len = (size_t)n;
	return n ? OK : err_new(ERR_RETRY, "the token %s is empty", file);
}

/* Adds a text, escaped as a value of a query. */
static void add_escaped(struct str *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	for (; *text; text++)
		if (strchr(plain, *text))
			str_add_bytes(out, text, 1);
		else
			str_addf(out, "%%%02X", (unsigned)(unsigned char)*text);
}

static void add_path(struct str *out, const struct results *r, const char *what)
{
	str_addf(out, "/%s/%s%s", r->walk ? "prepare" : "results", r->config.pod, what);
	if (!*what)
		return;
	str_add(out, "?path=");
	add_escaped(out, r->entry.path);
}

/* Adds the token to the request and sends it. */
static void send(struct results *r, struct http_request *request, http_done *done)
{
	AUTO(str_wipe) struct str token = { 0 };
	AUTO(str_wipe) struct str bearer = { 0 };
	struct err e = read_token(r->config.token_file, &token);
	if (failed(e)) {
		done(r, e, NULL);
		return;
	}
	str_reserve(&bearer, TOKEN_BYTES + 16);
	str_addf(&bearer, "Bearer %s", str_text(&token));
	const struct http_header header = { "Authorization", str_text(&bearer) };
	request->headers = &header;
	request->n_headers = 1;
	request->max_answer_bytes = ANSWER_BYTES;
	r->call = http_send(r->config.http, request, done, r);
}

void results_ask(struct results *r, const char *what, int64_t offset,
	bool (*bytes)(void *r, const char *bytes, size_t n), http_done *done)
{
	AUTO(str_free) struct str path = { 0 };
	add_path(&path, r, what);
	if (*what && offset > 0)
		str_addf(&path, "&offset=%lld", (long long)offset);
	struct http_request request = {
		.method = "GET",
		.path = str_text(&path),
		.timeout_ms = CALL_MS,
		.on_data = bytes,
		.idle_timeout_ms = *what ? IDLE_MS : LIST_MS,
	};
	send(r, &request, done);
}

void results_put(struct results *r, const char *bytes, http_done *done)
{
	AUTO(str_free) struct str path = { 0 };
	add_path(&path, r, "/file");
	inputs_piece_add(&path, &r->piece);
	struct http_request request = {
		.method = "PUT",
		.path = str_text(&path),
		.body = bytes,
		.body_bytes = (size_t)r->piece.bytes,
		.timeout_ms = inputs_piece_ms(&r->piece) + PUT_MS,
	};
	send(r, &request, done);
}
