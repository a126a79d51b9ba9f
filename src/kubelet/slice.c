/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the last lines of a file, and limits the number of bytes. */
#include "kubelet/slice.h"

#include <string.h>

void slice_count(struct slice_count *c, const char *bytes, size_t n)
{
	const char *end = bytes + n;
	c->bytes += (int64_t)n;
	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		c->lines += !c->in_line;
		c->in_line = !newline;
		bytes = newline ? newline + 1 : end;
	}
}

struct slice slice_begin(const struct log_options *o, const struct slice_count *counted)
{
	struct slice s = { .file_bytes = -1, .limit_bytes = o->limit_bytes };
	if (!counted)
		return s;
	if (o->tail_lines == 0)
		s.skip_bytes = counted->bytes;
	else if (counted->lines > o->tail_lines)
		s.skip_lines = counted->lines - o->tail_lines;
	if (!o->follow) /* later bytes would add lines */
		s.file_bytes = counted->bytes;
	return s;
}

/* Subtracts up to n from *left, and returns the number; n if *left is negative. */
static size_t use(int64_t *left, size_t n)
{
	size_t used = *left < 0 ? n : (uint64_t)*left < n ? (size_t)*left : n;
	if (*left >= 0)
		*left -= (int64_t)used;
	return used;
}

void slice_take(struct slice *s, const char **bytes, size_t *n)
{
	const char *at = *bytes, *end = at + use(&s->file_bytes, *n);
	at += use(&s->skip_bytes, (size_t)(end - at));
	while (s->skip_lines && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
		s->skip_lines -= newline != NULL;
	}
	*bytes = at;
	*n = use(&s->limit_bytes, (size_t)(end - at));
}

bool slice_is_over(const struct slice *s)
{
	return s->limit_bytes == 0 || s->file_bytes == 0 ||
		(s->file_bytes > 0 && s->skip_bytes >= s->file_bytes);
}

bool slice_lacks_bytes(const struct slice *s) { return s->file_bytes > 0; }
