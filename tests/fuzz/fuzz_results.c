/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of a virtual node to a collector of results, and its requests: a list ('l', its
 * lines), a checksum ('s'), a path beneath what an object names ('p': a line with that,
 * then the path), and what a piece of a file says of itself ('q': the values of its
 * query, a line each; as many bytes come as the last line has).
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "kube/lines.h"
#include "plan/results/list.h"
#include "plan/results/inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* An accepted path stays beneath the folder. */
static void must_be_beneath(const char *path)
{
	must(*path && *path != '/' && strlen(path) <= RESULTS_PATH_BYTES);
	for (const char *at = path; at;) {
		size_t length = strcspn(at, "/");
		must(length > 0 && length <= RESULTS_NAME_BYTES);
		must(!(length == 1 && at[0] == '.') &&
			!(length == 2 && at[0] == '.' && at[1] == '.'));
		at = at[length] ? at + length + 1 : NULL;
	}
}

/* A line that is written says the same again. */
static bool take_line(void *ctx, const char *line, size_t n)
{
	struct arena a AUTO(arena_free) = { 0 };
	AUTO(str_free) struct str text = { 0 };
	struct results_line got, again;
	(void)ctx;
	struct err e = results_line_read(line, n, &a, &got);
	must(!failed(e) || (e.kind == ERR_INVALID && e.text[0]));
	if (failed(e))
		return true;
	if (!got.end)
		must_be_beneath(got.entry.path);
	results_line_add(&text, &got);
	must(text.len <= RESULTS_LINE_BYTES && strchr(text.text, '\n') == text.text + text.len - 1);
	must(!failed(results_line_read(text.text, text.len, &a, &again)));
	must(again.end == got.end && again.left_out == got.left_out);
	must(got.end || strcmp(again.entry.path, got.entry.path) == 0);
	must(again.entry.size == got.entry.size && again.entry.mode == got.entry.mode &&
		again.entry.folder == got.entry.folder &&
		again.entry.modified_ns == got.entry.modified_ns);
	return true;
}

static void as_list(const char *text, size_t n)
{
	struct lines l = { .max_bytes = RESULTS_LINE_BYTES };
	size_t piece = 1 + n % 13;
	for (size_t at = 0; at < n; at += piece)
		if (lines_feed(&l, text + at, n - at < piece ? n - at : piece, take_line, NULL) !=
			LINES_OK)
			break;
	lines_reset(&l);
}

static void as_sum(const char *text, size_t n)
{
	AUTO(str_free) struct str again = { 0 };
	struct results_sum sum, same;
	if (failed(results_sum_read(text, n, &sum)))
		return;
	must(sum.size >= 0);
	results_sum_add(&again, &sum);
	must(!failed(results_sum_read(again.text, again.len, &same)));
	must(memcmp(&sum, &same, sizeof(sum)) == 0);
}

/* from, with what is beneath the folder that its last part is in. */
static void as_path(char *text)
{
	struct arena a AUTO(arena_free) = { 0 };
	char *path = strchr(text, '\n');
	const char *place;
	if (!path)
		return;
	*path++ = '\0';
	if (failed(results_place(text, path, &a, &place)))
		return;
	must_be_beneath(path);
	size_t above = strlen(place) - strlen(path), from = strlen(text);
	while (from > 0 && text[from - 1] == '/')
		from--;
	must(strncmp(place, text, from) == 0 && strcmp(place + above, path) == 0);
	must(above == 0 || place[above - 1] == '/');
	must(place[from] == '/' || !place[from]);
}

struct query {
	const char *size, *offset, *mode, *sha256, *body;
};

static const char *value_of(const void *query, const char *name)
{
	const struct query *q = query;
	return strcmp(name, "size") == 0      ? q->size
		: strcmp(name, "offset") == 0 ? q->offset
		: strcmp(name, "mode") == 0   ? q->mode
					      : q->sha256;
}

/* An accepted piece is a part of its file. */
static void as_piece(char *text)
{
	struct query q = { 0 };
	const char **const lines[] = { &q.size, &q.offset, &q.mode, &q.sha256, &q.body };
	struct inputs_piece p;
	for (size_t i = 0; i < LENGTH(lines) && text; i++) {
		char *end = strchr(text, '\n');
		*lines[i] = text;
		if (end)
			*end = '\0';
		text = end ? end + 1 : NULL;
	}
	size_t n = q.body ? strlen(q.body) : 0;
	struct err e = inputs_piece_read(value_of, &q, n, &p);
	must(!failed(e) || (e.kind == ERR_INVALID && e.text[0]));
	if (failed(e))
		return;
	must(p.offset >= 0 && p.bytes == (int64_t)n && p.offset + p.bytes <= p.size);
	must(p.size <= INPUTS_FILE_BYTES && p.mode >= 0 && p.mode <= 0777);
	must(p.bytes > 0 || p.size == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 1)
		return 0;
	AUTO(own_free) char *text = own_strndup((const char *)bytes + 1, n - 1);
	if (bytes[0] == 'l')
		as_list((const char *)bytes + 1, n - 1);
	else if (bytes[0] == 's')
		as_sum((const char *)bytes + 1, n - 1);
	else if (bytes[0] == 'q')
		as_piece(text);
	else
		as_path(text);
	return 0;
}
