/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of bytes cut into lines, with a cap on a line. */
#ifndef KUBE_LINES_H
#define KUBE_LINES_H

#include "base/str.h"

struct lines {
	struct str rest; /* the line that has not ended yet */
	size_t max_bytes;
};

enum lines_end { LINES_OK, LINES_STOPPED, LINES_TOO_LONG };

/* Called for each line, without its end; not for empty ones. False stops. */
typedef bool line_fn(void *ctx, const char *line, size_t n);
enum lines_end lines_feed(struct lines *l, const char *bytes, size_t n, line_fn *fn, void *ctx);
void lines_reset(struct lines *l);

#endif
