/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves paths; for the files of this folder only. */
#ifndef REDBOX_FILES_FOLDERS_PARTS_H
#define REDBOX_FILES_FOLDERS_PARTS_H

#include <stdatomic.h>

#include "base/str.h"
#include "redbox/files/folders.h"

/*
 * Opens the folder that path belongs to (O_PATH). *below is the rest of path below that
 * folder: it points into path, or is "." for the folder itself.
 */
struct err folders_root_of(const struct folders *f, const char *path, int *root,
	const char **below);
/*
 * Opens below beneath root, never outside of it. Returns a descriptor, or -1 and errno.
 */
int open_beneath(int root, const char *below, int flags);
/* ERR_INVALID: below contains "..". path is the client's path, for the error. */
struct err folders_no_way_up(const char *path, const char *below);
/*
 * Opens the folder "a/b/c" below root (O_PATH), and creates its missing parts. -1: see
 * errno.
 */
int folders_make(int root, const char *folder);
/*
 * Appends the last part of the path, without slashes. For "." that is the last part of
 * the first folder. ERR_INVALID: the path has no such part, like "a/..".
 */
struct err folders_last_part(const struct folders *f, const char *path, struct str *out);
/*
 * Adds the next bytes of the file to the checksum, about most bytes or up to the end.
 * *bytes: how many were read. ERR_CANCELLED: stop was set.
 */
struct err file_sum(int fd, const char *path, int64_t most, const atomic_bool *stop,
	struct sha256 *sum, int64_t *bytes);
/* Converts errno to an error: opening, ... PATH: no such file. */
struct err folders_error(const char *doing, const char *path);

#endif
