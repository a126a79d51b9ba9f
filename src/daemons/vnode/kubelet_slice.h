/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of a file are asked for, told piece by piece, as they come. Pure.
 *
 * A file can only be read from its beginning. So its lines are counted in a first
 * reading, which keeps the last 128 KiB: most often the last lines are there. When there
 * are more of them, a second reading leaves out all but those. What is given is exact,
 * and a file of any size needs no more memory.
 */
#ifndef DAEMONS_VNODE_KUBELET_SLICE_H
#define DAEMONS_VNODE_KUBELET_SLICE_H

#include <stddef.h>

#include "base/str.h"
#include "daemons/vnode/kubelet_query.h"

/* Begin with zeros; the memory is that of kept: str_free. */
struct slice_count {
	int64_t bytes, lines; /* the last line counts also while it is not ended */
	bool in_line;
	struct str kept; /* the last bytes: 128 KiB, when there were as many */
};
void slice_count(struct slice_count *c, const char *bytes, size_t n);
/* The last lines, in what is kept. False: not all of them are there. */
bool slice_kept(const struct slice_count *c, int64_t lines, const char **bytes, size_t *n);

struct slice {
	int64_t skip_bytes, skip_lines; /* are left out yet */
	int64_t file_bytes;             /* are looked at yet; -1: to the end of the file */
	int64_t limit_bytes;            /* are given yet; -1: any number */
};
/* counted: of the first reading; NULL: none was needed, all lines are asked for */
struct slice slice_begin(const struct log_options *o, const struct slice_count *counted);
/* *bytes and *n become what is asked for of this piece, which may be nothing. */
void slice_take(struct slice *s, const char **bytes, size_t *n);
/* Whatever comes, nothing more is asked for. */
bool slice_is_over(const struct slice *s);

#endif
