/* SPDX-License-Identifier: Apache-2.0 */
/* Where a path leads; for the files of this folder only. */
#ifndef REDBOX_FILES_FOLDERS_PARTS_H
#define REDBOX_FILES_FOLDERS_PARTS_H

#include <stdatomic.h>

#include "base/str.h"
#include "redbox/files/folders.h"

/*
 * The folder that path belongs to, opened (O_PATH), and what of the path is below it:
 * points into path, "." for the folder itself.
 */
struct err folders_root_of(const struct folders *f, const char *path, int *root,
	const char **below);
/* Beneath root, never out of it: a descriptor, or -1 and errno. */
int open_beneath(int root, const char *below, int flags);
/* ERR_INVALID: ".." is a part of it. path is as the client says it. */
struct err folders_no_way_up(const char *path, const char *below);
/*
 * The folder "a/b/c" below root, opened (O_PATH); what is missing of it is made. -1:
 * errno says why.
 */
int folders_make(int root, const char *folder);
/*
 * Appends the last part of the path, without slashes; of "." that of the first folder.
 * ERR_INVALID: it has none, as "a/..".
 */
struct err folders_last_part(const struct folders *f, const char *path, struct str *out);
/*
 * Adds what of the file comes next to the checksum, about as many bytes or up to its end.
 * bytes: how many these were. ERR_CANCELLED: stop.
 */
struct err file_sum(int fd, const char *path, int64_t most, const atomic_bool *stop,
	struct sha256 *sum, int64_t *bytes);
/* errno as an error: opening, ... PATH: no such file. */
struct err folders_error(const char *doing, const char *path);

#endif
