/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the folder of a path, and opens files below it. */
#include "redbox/files/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/own.h"
#include "base/str.h"
#include "redbox/files/folders_parts.h"

struct folder {
	char *path;
	char *real; /* path without links */
};

struct folders {
	struct folder *rows;
	size_t n;
	int shares; /* references besides the first */
};

struct err folders_error(const char *doing, const char *path)
{
	int why = errno;
	enum err_kind kind = ERR_INTERNAL;
	if (why == EXDEV)
		return err_new(ERR_DENIED, "%s %s: it leads out of the folder that it is in", doing,
			path);
	if (why == ENOSYS)
		return err_new(ERR_INTERNAL,
			"%s %s: there is no openat2: Linux is older than 5.6, or the unit has RestrictSUIDSGID=yes",
			doing, path);
	if (why == ENOENT || why == ENOTDIR)
		kind = ERR_NOT_FOUND;
	else if (why == EACCES || why == EPERM || why == EROFS)
		kind = ERR_DENIED;
	else if (why == EISDIR || why == ELOOP || why == ENAMETOOLONG || why == ENXIO)
		kind = ERR_INVALID;
	/* a limit on file sizes, of the process or the file system */
	else if (why == EFBIG)
		kind = ERR_TOO_LARGE;
	else if (why == ENOSPC || why == EDQUOT || why == EMFILE || why == ENFILE || why == EAGAIN)
		kind = ERR_RETRY;
	struct err e = err_new(kind, "%s %s: %s", doing, path, strerror(why));
	e.code = why;
	return e;
}

int open_beneath(int root, const char *below, int flags)
{
	return beneath_open(root, below, flags, BENEATH_LINKS);
}

/* The part of path below folder; NULL: path is outside of folder. */
static const char *below_of(const char *folder, const char *path)
{
	size_t n = strlen(folder);
	while (n > 0 && folder[n - 1] == '/')
		n--;
	if (strncmp(path, folder, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	path += n;
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

static const struct folder *folder_of(const struct folders *f, const char *path, const char **below)
{
	*below = path;
	if (path[0] != '/')
		return &f->rows[0];
	for (size_t i = 0; i < f->n; i++) {
		*below = below_of(f->rows[i].path, path);
		if (!*below)
			*below = below_of(f->rows[i].real, path);
		if (*below)
			return &f->rows[i];
	}
	return NULL;
}

/* Opens the folder each time, so that a file system that is mounted later is used. */
struct err folders_root_of(const struct folders *f, const char *path, int *root, const char **below)
{
	*root = -1;
	if (!*path)
		return err_new(ERR_INVALID, "no path is given");
	const struct folder *folder = folder_of(f, path, below);
	if (!folder)
		return err_new(ERR_DENIED, "%s is in none of the folders that clients may see",
			path);
	*root = open(folder->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *root >= 0 ? OK : folders_error("opening", folder->path);
}

/* ---- folders on the way ---- */

/* A ".." in the path would make folders in unexpected places. */
struct err folders_no_way_up(const char *path, const char *below)
{
	for (const char *s = below; s; s = strchr(s, '/')) {
		s += strspn(s, "/");
		size_t part = strcspn(s, "/");
		if (part == 2 && memcmp(s, "..", 2) == 0)
			return err_new(ERR_INVALID, "%s has \"..\" in it", path);
	}
	return OK;
}

static int make_one(int root, const char *above, const char *name)
{
	int at = open_beneath(root, *above ? above : ".", O_PATH | O_DIRECTORY);
	if (at < 0)
		return -1;
	int made = mkdirat(at, name, 0777);
	int why = errno;
	close(at);
	errno = why;
	return made == 0 || why == EEXIST ? 0 : -1;
}

int folders_make(int root, const char *folder)
{
	struct str way AUTO(str_free) = { 0 };
	int at = open_beneath(root, ".", O_PATH | O_DIRECTORY);
	while (at >= 0 && *folder) {
		AUTO(str_free) struct str above = { 0 };
		size_t n = strcspn(folder, "/");
		AUTO(own_free) char *name = own_strndup(folder, n);
		str_add(&above, str_text(&way));
		str_addf(&way, "%s%s", way.len ? "/" : "", name);
		folder += n;
		folder += strspn(folder, "/");
		close(at);
		at = open_beneath(root, str_text(&way), O_PATH | O_DIRECTORY);
		if (at < 0 && errno == ENOENT && make_one(root, str_text(&above), name) == 0)
			at = open_beneath(root, str_text(&way), O_PATH | O_DIRECTORY);
	}
	return at;
}

/* ---- files ---- */

/* Closes *fd if e is an error. */
static struct err closed(struct err e, int *fd)
{
	if (failed(e) && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return e;
}

static struct err open_path(const struct folders *f, const char *path, int *fd, struct stat *st)
{
	const char *below;
	int root;
	*fd = -1;
	struct err e = folders_root_of(f, path, &root, &below);
	if (failed(e))
		return e;
	*fd = open_beneath(root, below, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0 || fstat(*fd, st) != 0)
		e = folders_error("opening", path);
	close(root);
	return closed(e, fd);
}

struct err folders_open(const struct folders *f, const char *path, int *fd)
{
	struct stat st;
	struct err e = open_path(f, path, fd, &st);
	if (!failed(e) && !S_ISREG(st.st_mode))
		e = err_new(ERR_INVALID, "%s is no regular file", path);
	return closed(e, fd);
}

struct err folders_open_any(const struct folders *f, const char *path, int *fd, struct stat *st)
{
	struct err e = open_path(f, path, fd, st);
	if (!failed(e) && !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		e = err_new(ERR_INVALID, "%s is neither a file nor a folder", path);
	return closed(e, fd);
}

struct err folders_last_part(const struct folders *f, const char *path, struct str *out)
{
	const char *whole = str_eq(path, ".") ? folders_first(f) : path;
	size_t end = strlen(whole), begin;
	while (end > 0 && whole[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && whole[begin - 1] != '/';)
		begin--;
	AUTO(own_free) char *part = own_strndup(whole + begin, end - begin);
	if (!*part || str_eq(part, ".") || str_eq(part, ".."))
		return err_new(ERR_INVALID, "%s does not end with the name of a file or folder",
			path);
	str_add(out, part);
	return OK;
}

/* Any process may have set the file's time to any value. */
int64_t file_modified_ns(const struct stat *st)
{
	int64_t s = st->st_mtim.tv_sec, ns;
	if (__builtin_mul_overflow(s, INT64_C(1000000000), &ns) ||
		__builtin_add_overflow(ns, (int64_t)st->st_mtim.tv_nsec, &ns))
		return s < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

/* ---- the set of folders ---- */

struct err folders_new(const char *const *paths, size_t n, struct folders **out)
{
	struct folders *f = own_alloc(sizeof(*f));
	f->rows = own_alloc(n * sizeof(*f->rows));
	for (size_t i = 0; i < n; i++) {
		struct stat st;
		char *real = realpath(paths[i], NULL);
		if (!real || stat(real, &st) != 0 || !S_ISDIR(st.st_mode)) {
			int why = real ? ENOTDIR : errno;
			free(real);
			folders_free(f);
			return err_new(ERR_INVALID, "%s is no folder: %s", paths[i], strerror(why));
		}
		f->rows[f->n++] = (struct folder){ own_strdup(paths[i]), real };
	}
	*out = f;
	return OK;
}

void folders_free(struct folders *f)
{
	if (!f || f->shares-- > 0)
		return;
	for (size_t i = 0; i < f->n; i++) {
		free(f->rows[i].path);
		free(f->rows[i].real);
	}
	free(f->rows);
	free(f);
}

struct folders *folders_share(struct folders *f)
{
	f->shares++;
	return f;
}

const char *folders_first(const struct folders *f) { return f->rows[0].path; }
