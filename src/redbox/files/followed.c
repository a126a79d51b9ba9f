/* SPDX-License-Identifier: Apache-2.0 */
/* A file that grows: which file has the path now, and what of it is new. */
#include "redbox/files/followed.h"

#include <errno.h>
#include <unistd.h>

#include "redbox/files/folders_parts.h"

int64_t followed_pause_ms(size_t files)
{
	int64_t share_ms = 1000 * (int64_t)files / FOLLOWED_LOOKS;
	return share_ms > FOLLOWED_EVERY_MS ? share_ms : FOLLOWED_EVERY_MS;
}

bool followed_waits(struct err e) { return e.kind == ERR_NOT_FOUND || e.kind == ERR_RETRY; }

void followed_close(struct followed *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* While the old one is open, no other file has its number. */
bool followed_look(struct followed *f, const struct folders *folders, const char *path,
	struct err *e)
{
	struct stat old = { 0 }, now;
	int fd;
	*e = folders_open(folders, path, &fd);
	if (failed(*e))
		return false;
	if (fstat(fd, &now) != 0) {
		*e = folders_error("reading", path);
		close(fd);
		return false;
	}
	bool other = f->fd < 0 || fstat(f->fd, &old) != 0 || old.st_dev != now.st_dev ||
		old.st_ino != now.st_ino;
	followed_close(f);
	f->fd = fd;
	if (other || now.st_size < f->sent)
		f->sent = 0;
	return now.st_size > f->sent;
}

size_t followed_read(struct followed *f, const char *path, void *bytes, size_t most, struct err *e)
{
	ssize_t n = f->fd >= 0 ? pread(f->fd, bytes, most, f->sent) : 0;
	if (n < 0 && errno == ESTALE)
		followed_close(f);
	else if (n < 0)
		*e = folders_error("reading", path);
	if (n <= 0)
		return 0;
	f->sent += n;
	return (size_t)n;
}
