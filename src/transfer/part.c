/* SPDX-License-Identifier: Apache-2.0 */
/* A part: the copy of a file that is not complete, in the folder of the file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "transfer/tree_parts.h"

enum {
	PIECE_BYTES = 256 << 10,
	PIECES_AT_ONCE = 16,
	/* Maximum number of unsynced bytes, which a crash of the machine loses */
	UNSYNCED_BYTES = 64 << 20,
};

static const int64_t NS = 1000000000;

struct part {
	struct place place;
	char *path; /* of the file; place.name points into it */
	int fd, mode;
	int64_t modified_ns;
	int64_t bytes, hashed, synced;
	struct sha256 *sum;
};

static struct err error_of(const struct part *p, const char *doing)
{
	return tree_error(doing, p->path);
}

int64_t part_bytes(const struct part *p) { return p->bytes; }

struct err part_begin(struct part *p)
{
	sha256_free(TAKE(p->sum));
	p->bytes = p->hashed = p->synced = 0;
	if (ftruncate(p->fd, 0) != 0)
		return error_of(p, "writing");
	return sha256_new(&p->sum);
}

static struct err take_what_is_there(struct part *p)
{
	struct stat st;
	if (fstat(p->fd, &st) != 0)
		return error_of(p, "looking at");
	p->bytes = p->synced = st.st_size;
	return sha256_new(&p->sum);
}

static int open_once(const struct place *p, int flags)
{
	return openat(p->folder, p->part, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

/*
 * If a collector died right before it moved the part, the part has the permissions of its
 * file, which may deny writing to its owner. If they deny reading as well, remove the
 * part.
 */
static int open_to_write(const struct place *p)
{
	int fd = open_once(p, O_RDWR | O_CREAT);
	if (fd >= 0 || errno != EACCES)
		return fd;
	int old = open_once(p, O_RDONLY);
	if (old < 0 || fchmod(old, 0600) != 0)
		unlinkat(p->folder, p->part, 0);
	if (old >= 0)
		close(old);
	return open_once(p, O_RDWR | O_CREAT);
}

struct err part_open(struct tree *t, const struct results_entry *e, struct part **out)
{
	struct part *p = own_alloc(sizeof(*p));
	const struct results_entry copy = { .path = p->path = own_strdup(e->path),
		.size = e->size,
		.modified_ns = e->modified_ns };
	p->fd = -1;
	p->mode = e->mode;
	p->modified_ns = e->modified_ns;
	struct err err = place_open(t, &copy, O_PATH, &p->place);
	if (!failed(err)) {
		p->fd = open_to_write(&p->place);
		err = p->fd >= 0 ? take_what_is_there(p) : error_of(p, "writing");
	}
	if (failed(err))
		part_close(p);
	else
		*out = p;
	return err;
}

void part_close(struct part *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	place_close(&p->place);
	sha256_free(p->sum);
	free(p->path);
	free(p);
}

void part_drop(struct part *p)
{
	unlinkat(p->place.folder, p->place.part, 0);
	part_close(p);
}

struct err part_hash(struct part *p, bool *more)
{
	AUTO(own_free) char *piece = own_alloc(PIECE_BYTES);
	for (int i = 0; i < PIECES_AT_ONCE && p->hashed < p->bytes; i++) {
		int64_t left = p->bytes - p->hashed;
		ssize_t n = pread(p->fd, piece, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES,
			p->hashed);
		if (n <= 0)
			return error_of(p, "reading the part of");
		sha256_add(p->sum, piece, (size_t)n);
		p->hashed += n;
	}
	*more = p->hashed < p->bytes;
	return OK;
}

/* Syncs during the copy, so that the last sync is short. */
static struct err sync_some(struct part *p)
{
	if (p->bytes - p->synced < UNSYNCED_BYTES)
		return OK;
	p->synced = p->bytes;
	return fdatasync(p->fd) == 0 ? OK : error_of(p, "writing");
}

struct err part_add(struct part *p, const void *bytes, size_t n)
{
	const char *at = bytes;
	for (size_t left = n; left > 0;) {
		ssize_t did = pwrite(p->fd, at, left, p->bytes);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return error_of(p, "writing");
		sha256_add(p->sum, at, (size_t)did);
		at += did;
		left -= (size_t)did;
		p->bytes += did;
		p->hashed += did;
	}
	return sync_some(p);
}

struct err part_sum(struct part *p, uint8_t out[static SHA256_BYTES])
{
	return sha256_end(p->sum, out);
}

/* Some volumes have no owners, or do not let this process be the owner. */
static bool is_not_had(int code)
{
	return code != 0 &&
		(errno == EPERM || errno == EACCES || errno == ENOTSUP || errno == ENOSYS);
}

static struct err dress(struct part *p)
{
	int64_t over = p->modified_ns % NS, down = over < 0 ? over + NS : over;
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
		{ (time_t)((p->modified_ns - down) / NS), (long)down } };
	int code = fchmod(p->fd, (mode_t)p->mode);
	if (code != 0 && !is_not_had(code))
		return error_of(p, "setting the permissions of");
	code = futimens(p->fd, times);
	return code == 0 || is_not_had(code) ? OK : error_of(p, "setting the time of");
}

struct err part_finish(struct part *p)
{
	struct err e = dress(p);
	if (!failed(e) && fsync(p->fd) != 0)
		e = error_of(p, "writing");
	if (!failed(e) &&
		renameat(p->place.folder, p->place.part, p->place.folder, p->place.name) != 0)
		e = error_of(p, "moving into its place");
	if (!failed(e))
		part_close(p);
	return e;
}
