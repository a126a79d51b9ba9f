/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders that clients may access; everything else is out of their reach. The kernel
 * resolves a path beneath its folder (openat2, Linux 5.6): neither ".." nor a symbolic
 * link leads out, even if the tree changes meanwhile. A relative link that stays within
 * the folder is followed. Links in the path of the folder itself belong to the
 * administrator, and are resolved: a path below their target is accepted as well.
 *
 * An absolute path belongs to the first folder that it is below. A relative path starts
 * at the first folder. Only regular files are opened; no call waits for a FIFO.
 */
#ifndef REDBOX_FILES_FOLDERS_H
#define REDBOX_FILES_FOLDERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "net/sha256.h"

struct folders;

/* ERR_INVALID: one of the paths is not a folder. paths are absolute. */
struct err folders_new(const char *const *paths, size_t n, struct folders **out);
/* Call it once for folders_new, and once for each folders_share; accepts NULL. */
void folders_free(struct folders *f);
/*
 * Returns f, which needs one more folders_free. Call both on the loop only; other threads
 * may read f.
 */
struct folders *folders_share(struct folders *f);
/* The path of the first folder. */
const char *folders_first(const struct folders *f);

/*
 * Opens a file for reading, non-blocking; the caller owns *fd. ERR_NOT_FOUND, ERR_DENIED
 * (outside of all folders, or not readable), ERR_INVALID (not a regular file),
 * ERR_INTERNAL.
 */
struct err folders_open(const struct folders *f, const char *path, int *fd);
/* Opens a file or a folder; *st describes it. ERR_INVALID: neither of them. */
struct err folders_open_any(const struct folders *f, const char *path, int *fd, struct stat *st);

/* The time of the last change, since 1970. */
int64_t file_modified_ns(const struct stat *st);

/*
 * A new file that appears complete or not at all: it is written next to its place, and
 * renamed into it. Missing folders on the way are created. An unfinished file leaves only
 * such folders, and a file ".NAME.red-box-..." if the process is killed.
 */
struct new_file;
/*
 * path contains no ".."; mode: permissions, limited by the umask. Errors are those of
 * folders_open; ERR_RETRY: the disk is full; ERR_TOO_LARGE: the size of files is limited.
 */
struct err new_file_begin(const struct folders *f, const char *path, int mode,
	struct new_file **out);
struct err new_file_add(struct new_file *w, const void *bytes, size_t n);
/* The descriptor to write to; w keeps it. */
int new_file_fd(const struct new_file *w);
/* ERR_CONFLICT: the written bytes have another SHA-256. ERR_CANCELLED: stop was set. */
struct err new_file_check(struct new_file *w, const uint8_t wanted[SHA256_BYTES],
	const atomic_bool *stop);
/* True if st is the new file, or the file that it will replace. */
bool new_file_is(const struct new_file *w, const struct stat *st);
/* Syncs the file and renames it into its place. Frees w, also after an error. */
struct err new_file_finish(struct new_file *w);
void new_file_drop(struct new_file *w); /* accepts NULL */

#endif
