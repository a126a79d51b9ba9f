/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a stream of bytes into lines of limited length. */
#ifndef KUBE_LINES_H
#define KUBE_LINES_H

#include "base/str.h"

struct lines {
	struct str rest; /* the incomplete last line */
	size_t max_bytes;
};

enum lines_end { LINES_OK, LINES_STOPPED, LINES_TOO_LONG };

/* Called for each non-empty line, without its line end. Return false to stop. */
typedef bool line_fn(void *ctx, const char *line, size_t n);
enum lines_end lines_feed(struct lines *l, const char *bytes, size_t n, line_fn *fn, void *ctx);
void lines_reset(struct lines *l);

#endif
