/* SPDX-License-Identifier: Apache-2.0 */
/* Files that clients upload: written next to their place, then renamed into it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "redbox/files/folders_parts.h"

enum { NAME_BYTES = 255, OURS_BYTES = 30 };

struct new_file {
	char *path;          /* the client's path */
	char *name, *beside; /* names in folder */
	int folder, fd;
};

/* ---- the path ---- */

/* Refuses ".." in a path, and a path that does not end with a name. */
static struct err check_path(const char *path, const char *below)
{
	size_t n = strlen(path);
	const char *name = strrchr(below, '/');
	name = name ? name + 1 : below;
	struct err e = folders_no_way_up(path, below);
	if (failed(e))
		return e;
	if (!*name || str_eq(name, ".") || path[n - 1] == '/')
		return err_new(ERR_INVALID, "%s names no file", path);
	if (strlen(name) > NAME_BYTES - OURS_BYTES)
		return err_new(ERR_INVALID, "%s: the name of the file is too long", path);
	return OK;
}

/* ---- the file ---- */

static struct err open_beside(struct new_file *w, const char *name, int mode)
{
	uint64_t any = 0;
	struct str beside = { 0 };
	if (getrandom(&any, sizeof(any), 0) != (ssize_t)sizeof(any))
		return folders_error("writing", w->path);
	str_addf(&beside, ".%s.red-box-%016" PRIx64, name, any);
	w->name = own_strdup(name);
	w->beside = str_take(&beside);
	w->fd = openat(w->folder, w->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		(mode_t)(mode & 0777));
	if (w->fd >= 0)
		return OK;
	struct err e = folders_error("writing", w->path);
	free(TAKE(w->beside)); /* not created by us, so never removed */
	return e;
}

struct err new_file_begin(const struct folders *f, const char *path, int mode,
	struct new_file **out)
{
	const char *below;
	int root;
	struct err e = folders_root_of(f, path, &root, &below);
	if (!failed(e))
		e = check_path(path, below);
	if (failed(e)) {
		if (root >= 0)
			close(root);
		return e;
	}
	const char *slash = strrchr(below, '/');
	AUTO(own_free) char *folder = own_strndup(below, slash ? (size_t)(slash - below) : 0);
	struct new_file *w = own_alloc(sizeof(*w));
	*w = (struct new_file){ .path = own_strdup(path), .fd = -1 };
	w->folder = folders_make(root, folder);
	e = w->folder >= 0 ? open_beside(w, slash ? slash + 1 : below, mode)
			   : folders_error("making the folder of", path);
	close(root);
	if (failed(e))
		new_file_drop(w);
	else
		*out = w;
	return e;
}

struct err new_file_add(struct new_file *w, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n > 0) {
		ssize_t did = write(w->fd, at, n);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return folders_error("writing", w->path);
		at += did;
		n -= (size_t)did;
	}
	return OK;
}

struct err new_file_check(struct new_file *w, const uint8_t wanted[SHA256_BYTES],
	const atomic_bool *stop)
{
	uint8_t is[SHA256_BYTES];
	struct sha256 *sum = NULL;
	int64_t bytes;
	struct err e = sha256_new(&sum);
	if (!failed(e) && lseek(w->fd, 0, SEEK_SET) != 0)
		e = folders_error("reading", w->path);
	if (!failed(e))
		e = file_sum(w->fd, w->path, INT64_MAX, stop, sum, &bytes);
	if (!failed(e))
		e = sha256_end(sum, is);
	sha256_free(sum);
	if (!failed(e) && memcmp(is, wanted, sizeof(is)) != 0)
		e = err_new(ERR_CONFLICT,
			"the received content has another checksum than requested: the file is not created");
	return e;
}

int new_file_fd(const struct new_file *w) { return w->fd; }

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool new_file_is(const struct new_file *w, const struct stat *st)
{
	struct stat ours, there;
	return (fstat(w->fd, &ours) == 0 && is_same(&ours, st)) ||
		(fstatat(w->folder, w->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
			is_same(&there, st));
}

struct err new_file_finish(struct new_file *w)
{
	struct err e = OK;
	if (fsync(w->fd) != 0)
		e = folders_error("writing", w->path);
	if (close(w->fd) != 0 && !failed(e))
		e = folders_error("writing", w->path);
	w->fd = -1;
	if (!failed(e) && renameat(w->folder, w->beside, w->folder, w->name) != 0)
		e = folders_error("writing", w->path);
	if (!failed(e))
		free(TAKE(w->beside));
	new_file_drop(w);
	return e;
}

void new_file_drop(struct new_file *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->beside)
		unlinkat(w->folder, w->beside, 0);
	if (w->folder >= 0)
		close(w->folder);
	free(w->beside);
	free(w->name);
	free(w->path);
	free(w);
}
