/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The regular files beneath a folder, one by one, as the folders have them: nothing of
 * the tree is kept, but for the way to where it is. No symbolic link is followed.
 *
 *     while (!failed(e = walk_next(w, &f)) && f.fd >= 0)
 *             ...
 *
 * Left out, and counted: links, sockets, FIFOs, devices, and what has a name that is no
 * UTF-8. The folder lost+found at the top is the file system's, and is not looked at.
 */
#ifndef TRANSFER_WALK_H
#define TRANSFER_WALK_H

#include <stdint.h>

#include "base/err.h"

struct walk;

struct walk_file {
	int fd;           /* read-only, the caller's; -1: there are no more */
	const char *path; /* beneath the folder; until the next call */
	int64_t size;
	int mode; /* rwxrwxrwx */
};

/*
 * ERR_INVALID: it is no folder, or not ours to read; a person has to look at it.
 * ERR_RETRY otherwise.
 */
struct err walk_open(const char *folder, struct walk **out);
/*
 * Errors as above; also ERR_INVALID: more than 100,000 files and folders, 64 folders in
 * each other, a path of more than 4096 bytes.
 */
struct err walk_next(struct walk *w, struct walk_file *out);
int64_t walk_left_out(const struct walk *w);
void walk_close(struct walk *w); /* accepts NULL */

#endif
