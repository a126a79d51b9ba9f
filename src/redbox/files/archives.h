/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip and Unzip within the folders of clients. Both block, and are for a thread
 * (net/work.h); archive/archive.h has the limits.
 *
 * Only regular files and folders go in and come out. No link is followed on the way.
 * Nothing is half done: what fails or is stopped leaves no archive, and of an archive no
 * file. A killed process may leave a file ".NAME.red-box-..." or a folder
 * ".red-box-...".
 */
#ifndef REDBOX_FILES_ARCHIVES_H
#define REDBOX_FILES_ARCHIVES_H

#include <stdatomic.h>

#include "redbox/files/folders.h"

struct zip_told {
	size_t left_out;   /* links, sockets, devices ... of the tree */
	char example[200]; /* one of them */
};

/*
 * The file or folder at path, all that is in it, into the archive at target, which it
 * replaces. Names begin with that of path itself. The archive leaves itself out. Errors
 * as of folders_open and new_file_begin; ERR_TOO_LARGE, ERR_CANCELLED; ERR_CONFLICT: the
 * tree changed meanwhile.
 */
struct err zip_tree(const struct folders *f, const char *path, const char *target,
	const atomic_bool *stop, struct zip_told *told);

/*
 * All of the archive at source into the folder at path, which is made when it is not
 * there. A file of the same name is replaced, a folder of the same name gets what the
 * archive has more; where one is a file and the other is not: ERR_INVALID. Permissions
 * are those of the archive within our umask; folders always are ours to write.
 * ERR_INVALID, ERR_TOO_LARGE: the archive is none that is taken.
 */
struct err unzip_tree(const struct folders *f, const char *source, const char *path,
	const atomic_bool *stop);

#endif
