/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip and Unzip within the folders of clients. Both functions block, so they run in a
 * thread (net/work.h). archive/archive.h has the limits.
 *
 * Archives contain only regular files and folders. No link is followed on the way. A Zip
 * that fails or is stopped leaves no archive, and such an Unzip leaves no file. A process
 * that is killed may leave a file ".NAME.red-box-..." or a folder ".red-box-...".
 */
#ifndef REDBOX_FILES_ARCHIVES_H
#define REDBOX_FILES_ARCHIVES_H

#include <stdatomic.h>

#include "redbox/files/folders.h"

struct zip_told {
	size_t left_out;   /* number of links, sockets, devices ... in the tree */
	char example[200]; /* one of them */
};

/*
 * Packs the file or folder at path, with all that is in it, into an archive at target. An
 * existing file at target is replaced. Names in the archive start with the last part of
 * path. The archive does not contain itself. Errors are those of folders_open and
 * new_file_begin; ERR_TOO_LARGE, ERR_CANCELLED; ERR_CONFLICT: the tree changed meanwhile.
 */
struct err zip_tree(const struct folders *f, const char *path, const char *target,
	const atomic_bool *stop, struct zip_told *told);

/*
 * Unpacks the archive at source into the folder at path, and creates the folder if it is
 * missing. A file of the same name is replaced, and a folder of the same name is merged.
 * ERR_INVALID if one is a file and the other is a folder. Permissions are those of the
 * archive, limited by our umask; we can always write to folders. ERR_INVALID,
 * ERR_TOO_LARGE: the archive is not acceptable.
 */
struct err unzip_tree(const struct folders *f, const char *source, const char *path,
	const atomic_bool *stop);

#endif
