/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the regular files beneath a folder, one by one, in the order of readdir. Memory
 * holds only the path to the current file. Symbolic links are not followed.
 *
 *     while (!failed(e = walk_next(w, &f)) && f.fd >= 0)
 *             ...
 *
 * Links, sockets, FIFOs, devices and names that are not UTF-8 are skipped and counted.
 * The folder lost+found at the top belongs to the file system, and is ignored.
 */
#ifndef TRANSFER_WALK_H
#define TRANSFER_WALK_H

#include <stdint.h>

#include "base/err.h"

struct walk;

struct walk_file {
	int fd;           /* read-only, owned by the caller; -1 at the end */
	const char *path; /* relative to the folder; valid until the next call */
	int64_t size;
	int mode; /* rwxrwxrwx */
};

/*
 * ERR_INVALID: this is not a folder, or is not readable, and a user must mend that.
 * ERR_RETRY otherwise.
 */
struct err walk_open(const char *folder, struct walk **out);
/*
 * Errors as above. Also ERR_INVALID when there are more than 100,000 files and folders,
 * more than 64 nested folders, or a path of more than 4096 bytes.
 */
struct err walk_next(struct walk *w, struct walk_file *out);
int64_t walk_left_out(const struct walk *w);
void walk_close(struct walk *w); /* accepts NULL */

#endif
