/* SPDX-License-Identifier: Apache-2.0 */
/* Where a path leads; for the files of this folder only. */
#ifndef DAEMONS_REDBOX_FOLDERS_PARTS_H
#define DAEMONS_REDBOX_FOLDERS_PARTS_H

#include "daemons/redbox/folders.h"

/*
 * The folder that path belongs to, opened (O_PATH), and what of the path is below it:
 * points into path, "." for the folder itself.
 */
struct err folders_root_of(const struct folders *f, const char *path, int *root,
	const char **below);
/* Beneath root, never out of it: a descriptor, or -1 and errno. */
int open_beneath(int root, const char *below, int flags);
/* errno as an error: opening, ... PATH: no such file. */
struct err folders_error(const char *doing, const char *path);

#endif
