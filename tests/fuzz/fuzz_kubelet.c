/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to the kubelet API: options of a log and a file that they are asked of ('o':
 * lines "NAME=VALUE", an empty one, the file), and what an API server answers about a
 * token and a right ('g', lib/fuzz_peer.h; the first piece is the Authorization header).
 */
#include <string.h>

#include "base/str.h"
#include "kubelet/gate.h"
#include "kubelet/slice.h"
#include "lib/fuzz_peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* ---- options ---- */

struct pair {
	char *name, *value;
};

struct pairs {
	struct pair of[16];
	size_t n;
};

static const char *value_of(const void *pairs, const char *name)
{
	const struct pairs *p = pairs;
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->of[i].name, name))
			return p->of[i].value;
	return NULL;
}

/* A range of a text that is there as a whole. */
static void take_simply(const char *text, size_t n, const struct log_options *o, struct str *out)
{
	size_t from = o->tail_lines < 0 ? 0 : n;
	for (int64_t left = o->tail_lines; left > 0 && from > 0; left--)
		for (from--; from > 0 && text[from - 1] != '\n';)
			from--;
	size_t most = n - from;
	if (o->limit_bytes >= 0 && (uint64_t)o->limit_bytes < most)
		most = (size_t)o->limit_bytes;
	str_add_bytes(out, text + from, most);
}

static void take_in_pieces(const char *text, size_t n, const struct log_options *o, size_t piece,
	struct str *out)
{
	struct slice_count counted = { 0 };
	for (size_t at = 0; at < n; at += piece)
		slice_count(&counted, text + at, n - at < piece ? n - at : piece);
	struct slice s = slice_begin(o, o->tail_lines < 0 ? NULL : &counted);
	for (size_t at = 0; at < n && !slice_is_over(&s); at += piece) {
		const char *bytes = text + at;
		size_t length = n - at < piece ? n - at : piece;
		slice_take(&s, &bytes, &length);
		if (bytes < text || bytes + length > text + n)
			abort();
		str_add_bytes(out, bytes, length);
	}
}

static void as_options(char *text, size_t n)
{
	struct pairs p = { 0 };
	struct log_options o;
	char *end = text + n;
	while (p.n < LENGTH(p.of) && text < end && *text != '\n') {
		char *line = memchr(text, '\n', (size_t)(end - text));
		if (line)
			*line = '\0';
		char *equals = strchr(text, '=');
		if (equals)
			*equals = '\0';
		p.of[p.n++] = (struct pair){ text, equals ? equals + 1 : text + strlen(text) };
		text = line ? line + 1 : end;
	}
	text += text < end;
	struct err e = log_options_read(value_of, &p, 1795270000, &o);
	if (failed(e) ? e.kind != ERR_INVALID || !e.text[0]
		      : o.tail_lines < -1 || o.limit_bytes < -1 || !o.limit_bytes || o.since_s < -1)
		abort();
	if (failed(e))
		return;
	struct str simple AUTO(str_free) = { 0 }, got AUTO(str_free) = { 0 };
	take_simply(text, (size_t)(end - text), &o, &simple);
	take_in_pieces(text, (size_t)(end - text), &o, 1 + n % 7, &got);
	if (got.len != simple.len || memcmp(str_text(&got), str_text(&simple), got.len) != 0)
		abort();
}

/* ---- the gate ---- */

static int times_told;

static void told(void *ctx, const struct gate_answer *a)
{
	(void)ctx;
	times_told++;
	if ((a->status == 200) != !*a->why || (a->status == 401) != !*a->who)
		if (a->status != 500) /* then it may be known already, or not */
			abort();
	if (a->status != 200 && a->status != 401 && a->status != 403 && a->status != 500)
		abort();
}

static void as_answers(const uint8_t *bytes, size_t n)
{
	static struct fuzz_peer p;
	size_t length;
	peer_begin(&p, bytes, n);
	struct kube kube = { &p.http.http, &p.loop.loop };
	AUTO(own_free) char *header = piece_take(&p.input, &length, true);
	struct gate *g = gate_new(&kube);
	const struct gate_wish wish = { NULL, header, "GET", "proxy", "" };
	times_told = 0;
	for (int i = 0; i < 3; i++) {
		gate_ask(g, &wish, told, NULL);
		peer_run(&p, 4);
	}
	if (times_told != 3)
		abort();
	gate_ask_cancel(gate_ask(g, &wish, told, NULL));
	gate_free(g);
	peer_end(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 1)
		return 0;
	AUTO(own_free) char *text = own_alloc(n);
	memcpy(text, bytes + 1, n - 1);
	if (bytes[0] == 'g')
		as_answers(bytes + 1, n - 1);
	else
		as_options(text, n - 1); /* its last byte is a terminator */
	return 0;
}
