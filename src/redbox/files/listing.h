/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists what is at a path: the file, or the folder and all that is beneath it; and makes
 * the checksum of a file. Both block, and are for a thread (net/work.h). The limits are
 * those of archives (archive/archive.h): entries, bytes of all names, folders in each
 * other.
 *
 * A list has regular files and folders, a folder before what is in it, and siblings by
 * the bytes of their names. No link is followed beneath the path. Other entries are
 * counted, and so are names that are no UTF-8: no client could ask for them.
 */
#ifndef REDBOX_FILES_LISTING_H
#define REDBOX_FILES_LISTING_H

#include <stdatomic.h>

#include "base/arena.h"
#include "redbox/files/folders.h"
#include "wlm/wlm.h"

struct listing {
	struct wlm_file *files;
	size_t n;
	int64_t left_out;
	char example[200]; /* one of them */
	/* Private: */
	size_t cap, seen, bytes;
	struct arena a;
};

/*
 * Errors as of folders_open. ERR_INVALID: there is too much for one list; ERR_CANCELLED.
 * To be freed in any case.
 */
struct err listing_read(const struct folders *f, const char *path, const atomic_bool *stop,
	struct listing *out);
void listing_free(struct listing *l);

/* Bytes of a file that are read before the next file has its turn. */
enum { CHECKSUM_PART_BYTES = 16 << 20 };
struct checksum;
/* Errors as of folders_open. */
struct err checksum_begin(const struct folders *f, const char *path, struct checksum **out);
/*
 * Reads the next part. ended: it is the last one, or has failed; out is filled with the
 * last one. ERR_CANCELLED; ERR_CONFLICT: the file changed meanwhile.
 */
struct err checksum_go_on(struct checksum *c, const atomic_bool *stop, bool *ended,
	struct wlm_checksum *out);
void checksum_free(struct checksum *c); /* accepts NULL */

#endif
