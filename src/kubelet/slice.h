/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which bytes of each arriving piece of a file are sent. Pure.
 *
 * A current red-box selects the last lines itself, so only the limit of bytes is applied
 * here. An old red-box can only read a file from its beginning. In that case a first pass
 * counts the lines, and a second pass skips all lines before the last ones. The result is
 * exact, and memory use does not depend on the size of the file.
 */
#ifndef KUBELET_SLICE_H
#define KUBELET_SLICE_H

#include <stddef.h>

#include "kubelet/query.h"

/* Counts of the first pass. Begin with zeros. */
struct slice_count {
	int64_t bytes, lines; /* an incomplete last line counts */
	bool in_line;
};
void slice_count(struct slice_count *c, const char *bytes, size_t n);

struct slice {
	int64_t skip_bytes, skip_lines; /* left to skip */
	int64_t file_bytes;             /* left to read; -1: to the end of the file */
	int64_t limit_bytes;            /* left to send; -1: no limit */
};
/* counted: the first pass; NULL: there was none, and no line is skipped. */
struct slice slice_begin(const struct log_options *o, const struct slice_count *counted);
/* Reduces *bytes and *n to the selected part of this piece, which may be empty. */
void slice_take(struct slice *s, const char **bytes, size_t *n);
/* True if all further bytes would be skipped. */
bool slice_is_over(const struct slice *s);
/* Call it at the end of the file: true if the file has fewer bytes than were counted. */
bool slice_lacks_bytes(const struct slice *s);

#endif
