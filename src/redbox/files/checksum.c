/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checksum of a file, a part of the file at a time, and the state of the file that it
 * is for.
 */
#include <errno.h>
#include <unistd.h>

#include "base/own.h"
#include "redbox/files/folders_parts.h"
#include "redbox/files/listing.h"
#include "net/sha256.h"

enum { PIECE_BYTES = 1 << 20 };

struct checksum {
	char *path;
	int fd;
	struct sha256 *sum;
	struct stat before;
	int64_t bytes;
};

struct err file_sum(int fd, const char *path, int64_t most, const atomic_bool *stop,
	struct sha256 *sum, int64_t *bytes)
{
	AUTO(own_free) char *piece = own_alloc(PIECE_BYTES);
	*bytes = 0;
	while (*bytes < most) {
		if (atomic_load(stop))
			return err_new(ERR_CANCELLED, "its caller has gone");
		ssize_t n = read(fd, piece, PIECE_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return folders_error("reading", path);
		if (n == 0)
			return OK;
		sha256_add(sum, piece, (size_t)n);
		*bytes += n;
	}
	return OK;
}

void checksum_free(struct checksum *c)
{
	if (!c)
		return;
	sha256_free(c->sum);
	if (c->fd >= 0)
		close(c->fd);
	free(c->path);
	free(c);
}

struct err checksum_begin(const struct folders *f, const char *path, struct checksum **out)
{
	struct checksum *c = own_alloc(sizeof(*c));
	*c = (struct checksum){ .path = own_strdup(path), .fd = -1 };
	struct err e = folders_open(f, path, &c->fd);
	if (!failed(e) && fstat(c->fd, &c->before) != 0)
		e = folders_error("looking at", path);
	if (!failed(e))
		e = sha256_new(&c->sum);
	if (failed(e))
		checksum_free(c);
	else
		*out = c;
	return e;
}

/* The checksum counts only if the file is the same before and after it was read. */
static struct err finish(struct checksum *c, struct wlm_checksum *out)
{
	struct stat after;
	_Static_assert(sizeof(out->sha256) == SHA256_BYTES, "the message has room for it");
	if (fstat(c->fd, &after) != 0)
		return folders_error("looking at", c->path);
	out->size = c->bytes;
	out->modified_ns = file_modified_ns(&after);
	if (after.st_size != c->bytes || out->modified_ns != file_modified_ns(&c->before))
		return err_new(ERR_CONFLICT, "%s changed while it was read: ask again", c->path);
	return sha256_end(c->sum, out->sha256);
}

struct err checksum_go_on(struct checksum *c, const atomic_bool *stop, bool *ended,
	struct wlm_checksum *out)
{
	int64_t n;
	struct err e = file_sum(c->fd, c->path, CHECKSUM_PART_BYTES, stop, c->sum, &n);
	c->bytes += n;
	*ended = failed(e) || n < CHECKSUM_PART_BYTES;
	return failed(e) || !*ended ? e : finish(c, out);
}
