/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder into which results are copied. Nothing outside of it is touched: paths are
 * resolved beneath it, and no symbolic link in it is followed.
 *
 * A file is written into a part, ".NAME.part-WHOSOURCE": a hash of the job's pod and one
 * of the file's path, size and time. So two collectors never write into one part, and a
 * part of a file that has changed since is not gone on with.
 *
 * Errors: ERR_INVALID, what is there is in the way: a person has to look at it;
 * ERR_RETRY, the volume is full, or does not do what was asked.
 */
#ifndef TRANSFER_TREE_H
#define TRANSFER_TREE_H

#include <stdio.h>

#include "net/sha256.h"
#include "plan/results/file.h"
#include "plan/results/list.h"

struct tree;
struct part;

/* to is made when it is not there, but not what is above it. who: "NAMESPACE/POD". */
struct err tree_open(const char *to, const char *who, struct tree **out);
void tree_close(struct tree *t); /* accepts NULL */

/*
 * A file without a name, for what memory is too small for; to be closed. On the way it is
 * seen in which steps the volume keeps times: until then they count whole.
 */
struct err tree_scratch(struct tree *t, FILE **out);

/* Made when it is not there; its parents are. */
struct err tree_folder(struct tree *t, const struct results_entry *e);
/* Reports what is in the tree of the file. */
struct err tree_look(struct tree *t, const struct results_entry *e, struct results_file_view *out);
/* Removes abandoned parts of this pod. path NULL: those of the top folder. */
void tree_sweep(struct tree *t, const char *path);
/* All of it is on the disk. */
struct err tree_sync(struct tree *t);

/* The part of this file; made, or what is there of it, which is to be hashed first. */
struct err part_open(struct tree *t, const struct results_entry *e, struct part **out);
/* Closes the part; it stays, and can be resumed. Accepts NULL. */
void part_close(struct part *p);
/* Removes the part. */
void part_drop(struct part *p);
int64_t part_bytes(const struct part *p);
/* Empties it. */
struct err part_begin(struct part *p);
/* Hashes a few MiB of what is there; *more: there are others. */
struct err part_hash(struct part *p, bool *more);
/* Appends. */
struct err part_add(struct part *p, const void *bytes, size_t n);
/* The checksum of all its bytes, once: then finish, empty or drop the part. */
struct err part_sum(struct part *p, uint8_t out[static SHA256_BYTES]);
/*
 * On the disk, with permissions and time, and in its place. Permissions and times are
 * left out where the volume has none. The part is gone then, without an error.
 */
struct err part_finish(struct part *p);

#endif
