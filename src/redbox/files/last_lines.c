/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where the last lines of a file begin. */
#include "redbox/files/last_lines.h"

#include <string.h>

static void found(struct last_lines *l, int64_t from)
{
	l->found = true;
	l->from = from;
}

struct last_lines last_lines_begin(int64_t lines, int64_t size)
{
	struct last_lines l = { .size = size, .at = size, .left = lines };
	if (lines == 0 || size == 0)
		found(&l, size);
	return l;
}

struct last_lines_step last_lines_next(const struct last_lines *l, int64_t size_now, size_t most)
{
	if (l->shrunk || size_now < l->size)
		return (struct last_lines_step){ .what = LAST_LINES_CHANGED };
	if (l->found)
		return (struct last_lines_step){ .what = LAST_LINES_FOUND, .from = l->from };
	size_t bytes = (uint64_t)l->at < most ? (size_t)l->at : most;
	return (struct last_lines_step){ LAST_LINES_READ, l->at - (int64_t)bytes, bytes };
}

void last_lines_take(struct last_lines *l, const struct last_lines_step *step, const char *bytes,
	size_t n)
{
	const char *newline = NULL;
	l->shrunk = n < step->bytes;
	if (l->shrunk)
		return;
	l->at = step->from;
	for (size_t end = n; !l->found && (newline = memrchr(bytes, '\n', end));) {
		end = (size_t)(newline - bytes);
		int64_t behind = step->from + (int64_t)end + 1;
		if (behind == l->size) /* this newline ends the last line */
			continue;
		if (--l->left == 0)
			found(l, behind);
	}
	if (!l->found && l->at == 0)
		found(l, 0);
}
