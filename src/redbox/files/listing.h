/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists a file, or a folder with everything beneath it; and makes the checksum of a file.
 * Both functions block, so they run in a thread (net/work.h). The limits are those of
 * archives (archive/archive.h): entries, bytes of all names, depth of folders.
 *
 * A list has regular files and folders. A folder comes before its contents, and siblings
 * are sorted by the bytes of their names. No link is followed beneath the path. All other
 * entries are only counted, and so are names that are not UTF-8, because no client could
 * request them.
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
	char example[200]; /* one of the entries left out */
	/* Private: */
	size_t cap, seen, bytes;
	struct arena a;
};

/*
 * Errors are those of folders_open. ERR_INVALID: too much for one list; ERR_CANCELLED.
 * Free *out in any case.
 */
struct err listing_read(const struct folders *f, const char *path, const atomic_bool *stop,
	struct listing *out);
void listing_free(struct listing *l);

/* Bytes of a file that are read before the next file takes its turn. */
enum { CHECKSUM_PART_BYTES = 16 << 20 };
struct checksum;
/* Errors are those of folders_open. */
struct err checksum_begin(const struct folders *f, const char *path, struct checksum **out);
/*
 * Reads the next part. *ended: this was the last part, or an error; the last part sets
 * *out. ERR_CANCELLED; ERR_CONFLICT: the file changed meanwhile.
 */
struct err checksum_go_on(struct checksum *c, const atomic_bool *stop, bool *ended,
	struct wlm_checksum *out);
void checksum_free(struct checksum *c); /* accepts NULL */

#endif
