/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders that clients may see, and nothing beside them. A path is resolved by the
 * kernel (openat2, Linux 5.6) beneath its folder: neither ".." nor a symbolic link leads
 * out, whatever becomes of the tree meanwhile. A link that stays within the folder is
 * followed, if it is a relative one. Links in the folder's own path are the
 * administrator's, and count: a path below what they lead to is taken as well.
 *
 * An absolute path belongs to the first folder that it is below; a relative one begins at
 * the first folder. Only regular files are opened; no call waits for a FIFO.
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

/* ERR_INVALID: one of them is no folder. paths: absolute. */
struct err folders_new(const char *const *paths, size_t n, struct folders **out);
/* Once for folders_new, and once for each folders_share; accepts NULL. */
void folders_free(struct folders *f);
/*
 * Returns f, which lives until one more folders_free. Both on the loop only; other
 * threads may read f.
 */
struct folders *folders_share(struct folders *f);
/* The path of the first. */
const char *folders_first(const struct folders *f);

/*
 * *fd is the caller's, read-only and non-blocking. ERR_NOT_FOUND, ERR_DENIED (beside all
 * folders, or not ours to read), ERR_INVALID (no regular file), ERR_INTERNAL.
 */
struct err folders_open(const struct folders *f, const char *path, int *fd);
/* Opens a file or a folder; *st describes it. ERR_INVALID: it is neither. */
struct err folders_open_any(const struct folders *f, const char *path, int *fd, struct stat *st);

/* The time of the last change, since 1970. */
int64_t file_modified_ns(const struct stat *st);

/*
 * A file that appears whole or not at all: it is written beside its place, and renamed
 * into it. Folders on the way are made. An unfinished file leaves nothing
 * behind but such folders, and a file ".NAME.red-box-..." when the process is killed.
 */
struct new_file;
/*
 * path has no ".." in it; mode: permissions, within the umask. Errors as above;
 * ERR_RETRY: no space is left, ERR_TOO_LARGE: files may not become so large.
 */
struct err new_file_begin(const struct folders *f, const char *path, int mode,
	struct new_file **out);
struct err new_file_add(struct new_file *w, const void *bytes, size_t n);
/* To write with; stays ours. */
int new_file_fd(const struct new_file *w);
/* ERR_CONFLICT: what was written has another SHA-256. ERR_CANCELLED: stop. */
struct err new_file_check(struct new_file *w, const uint8_t wanted[SHA256_BYTES],
	const atomic_bool *stop);
/* Is this the file, or the one whose place it will take? */
bool new_file_is(const struct new_file *w, const struct stat *st);
/* Syncs the file and renames it into its place. w is gone, also with an error. */
struct err new_file_finish(struct new_file *w);
void new_file_drop(struct new_file *w); /* accepts NULL */

#endif
