/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder into which results are copied. Files outside the folder are never changed:
 * paths are resolved beneath it, and symbolic links in it are not followed.
 *
 * A file is written into a part, ".NAME.part-WHOSOURCE". WHO is a hash of the job's pod,
 * SOURCE is a hash of the file's path, size and time. So collectors of different pods
 * never write into the same part, and a part is not resumed after its source has changed.
 *
 * Errors: ERR_INVALID when an object in the folder is an obstacle that a user must
 * remove; ERR_RETRY when the volume is full, or an operation on it fails.
 */
#ifndef TRANSFER_TREE_H
#define TRANSFER_TREE_H

#include <stdio.h>

#include "net/sha256.h"
#include "plan/results/file.h"
#include "plan/results/list.h"

struct tree;
struct part;

/*
 * to: the folder, created if it does not exist; its parents must exist. who:
 * "NAMESPACE/POD".
 */
struct err tree_open(const char *to, const char *who, struct tree **out);
void tree_close(struct tree *t); /* accepts NULL */

/*
 * Creates a nameless file for data that is too large for memory; the caller closes it.
 * Also measures the resolution of times in the volume. Before that, times are compared
 * exactly.
 */
struct err tree_scratch(struct tree *t, FILE **out);

/* Creates the folder if it does not exist. Its parents must exist. */
struct err tree_folder(struct tree *t, const struct results_entry *e);
/* Reports the state of the file and its part in the folder. */
struct err tree_look(struct tree *t, const struct results_entry *e, struct results_file_view *out);
/* Removes abandoned parts of this pod from one folder. path NULL: the top folder. */
void tree_sweep(struct tree *t, const char *path);
/* Writes the whole volume to the disk. */
struct err tree_sync(struct tree *t);

/*
 * Opens the part of this file, or creates it. Hash an existing part before adding bytes.
 */
struct err part_open(struct tree *t, const struct results_entry *e, struct part **out);
/* Closes the part; it stays, and can be resumed. Accepts NULL. */
void part_close(struct part *p);
/* Removes the part. */
void part_drop(struct part *p);
int64_t part_bytes(const struct part *p);
/* Empties the part. */
struct err part_begin(struct part *p);
/* Hashes the next few MiB of an existing part; *more: bytes are left. */
struct err part_hash(struct part *p, bool *more);
/* Appends bytes. */
struct err part_add(struct part *p, const void *bytes, size_t n);
/* The checksum of all its bytes. Call it once, then finish, empty or drop the part. */
struct err part_sum(struct part *p, uint8_t out[static SHA256_BYTES]);
/*
 * Sets permissions and time, syncs the part, and renames it to its file. Permissions and
 * times are omitted if the volume does not support them. On success the part is freed.
 */
struct err part_finish(struct part *p);

#endif
