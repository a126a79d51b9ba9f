/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of a file, and of which state of it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "daemons/redbox/folders_parts.h"
#include "daemons/redbox/listing.h"
#include "net/sha256.h"

enum { PIECE_BYTES = 1 << 20 };

/* To its end; gives how many bytes these were. */
static struct err read_all(int fd, const char *path, const atomic_bool *stop, struct sha256 *sum,
	int64_t *bytes)
{
	AUTO(own_free) char *piece = own_alloc(PIECE_BYTES);
	ssize_t n;
	while ((n = read(fd, piece, PIECE_BYTES)) != 0) {
		if (atomic_load(stop))
			return err_new(ERR_CANCELLED, "nobody waits for it any more");
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return folders_error("reading", path);
		sha256_add(sum, piece, (size_t)n);
		*bytes += n;
	}
	return OK;
}

/* What was read is the file as it was before, and as it is now. */
static struct err read_unchanged(int fd, const char *path, const atomic_bool *stop,
	struct sha256 *sum, struct wlm_checksum *out)
{
	struct stat before, after;
	int64_t bytes = 0;
	if (fstat(fd, &before) != 0)
		return folders_error("looking at", path);
	struct err e = read_all(fd, path, stop, sum, &bytes);
	if (failed(e))
		return e;
	if (fstat(fd, &after) != 0)
		return folders_error("looking at", path);
	out->size = bytes;
	out->modified_ns = file_modified_ns(&after);
	if (after.st_size != bytes || out->modified_ns != file_modified_ns(&before))
		return err_new(ERR_CONFLICT, "%s changed while it was read: ask again", path);
	return sha256_end(sum, out->sha256);
}

struct err checksum_read(const struct folders *f, const char *path, const atomic_bool *stop,
	struct wlm_checksum *out)
{
	struct sha256 *sum = NULL;
	int fd;
	_Static_assert(sizeof(out->sha256) == SHA256_BYTES, "the message has room for it");
	struct err e = folders_open(f, path, &fd);
	if (failed(e))
		return e;
	e = sha256_new(&sum);
	if (!failed(e))
		e = read_unchanged(fd, path, stop, sum, out);
	sha256_free(sum);
	close(fd);
	return e;
}
