/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which bytes of a file are sent, piece by piece, as they come. Pure.
 *
 * red-box finds the last lines itself, and only a limit of bytes is left to be applied
 * here. An older red-box can only read a file from its beginning: its lines are counted
 * in a first reading, and a second one leaves out all but the last. The bytes are exact,
 * and a file of any size needs no memory.
 */
#ifndef KUBELET_SLICE_H
#define KUBELET_SLICE_H

#include <stddef.h>

#include "kubelet/query.h"

/* Begin with zeros. */
struct slice_count {
	int64_t bytes, lines; /* the last line counts also while it is not ended */
	bool in_line;
};
void slice_count(struct slice_count *c, const char *bytes, size_t n);

struct slice {
	int64_t skip_bytes, skip_lines; /* are left out yet */
	int64_t file_bytes;             /* are looked at yet; -1: to the end of the file */
	int64_t limit_bytes;            /* are given yet; -1: any number */
};
/* counted: of the first reading; NULL: there was none, and no line is left out */
struct slice slice_begin(const struct log_options *o, const struct slice_count *counted);
/* *bytes and *n become what is asked for of this piece, which may be nothing. */
void slice_take(struct slice *s, const char **bytes, size_t *n);
/* Further bytes would all be left out. */
bool slice_is_over(const struct slice *s);
/* At the end of the file: it has fewer bytes than were counted. */
bool slice_lacks_bytes(const struct slice *s);

#endif
