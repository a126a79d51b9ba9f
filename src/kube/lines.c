/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a stream into lines. */
#include "kube/lines.h"

#include <string.h>

static bool give(const char *line, size_t n, line_fn *fn, void *ctx)
{
	if (n && line[n - 1] == '\r')
		n--;
	return n == 0 || fn(ctx, line, n);
}

/* Completes the line that began in an earlier piece; its end is at bytes + n. */
static enum lines_end give_rest(struct lines *l, const char *bytes, size_t n, line_fn *fn,
	void *ctx)
{
	str_add_bytes(&l->rest, bytes, n);
	bool more = give(str_text(&l->rest), l->rest.len, fn, ctx);
	str_clear(&l->rest);
	return more ? LINES_OK : LINES_STOPPED;
}

enum lines_end lines_feed(struct lines *l, const char *bytes, size_t n, line_fn *fn, void *ctx)
{
	while (n) {
		const char *end = memchr(bytes, '\n', n);
		size_t length = end ? (size_t)(end - bytes) : n;

		if (l->rest.len + length > l->max_bytes)
			return LINES_TOO_LONG;
		if (!end) {
			str_add_bytes(&l->rest, bytes, n);
			return LINES_OK;
		}
		if (l->rest.len == 0) {
			if (!give(bytes, length, fn, ctx))
				return LINES_STOPPED;
		} else if (give_rest(l, bytes, length, fn, ctx) == LINES_STOPPED) {
			return LINES_STOPPED;
		}
		bytes = end + 1;
		n -= length + 1;
	}
	return LINES_OK;
}

void lines_reset(struct lines *l) { str_free(&l->rest); }
