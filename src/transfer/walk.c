/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through a tree of folders. */
#include "transfer/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "plan/results/list.h"

enum { DEPTH_MOST = 64 };
#define OF_THE_FILE_SYSTEM "lost+found"

struct level {
	DIR *dir;
	size_t path_bytes; /* length of its path */
};

struct walk {
	struct level levels[DEPTH_MOST];
	int depth;
	struct str path;
	int64_t entries, left_out;
};

static struct err error_of(const char *path)
{
	int why = errno;
	bool for_good = why == EACCES || why == EPERM || why == ENOTDIR || why == ENOENT;
	AUTO(str_free) struct str shown = { 0 };
	str_add_foreign(&shown, path, 120);
	return err_new(for_good ? ERR_INVALID : ERR_RETRY, "reading %s: %s%s", str_text(&shown),
		strerror(why),
		why == EACCES
			? "; let the user or the group of this pod read it (--results-user of the manager)"
			: "");
}

/* Enters a folder. Owns the descriptor. */
static struct err go_down(struct walk *w, int fd)
{
	if (w->depth == DEPTH_MOST) {
		close(fd);
		return err_new(ERR_INVALID, "%.300s: folders are nested more than %d deep",
			str_text(&w->path), DEPTH_MOST);
	}
	DIR *dir = fdopendir(fd);
	if (!dir) {
		struct err e = error_of(str_text(&w->path));
		close(fd);
		return e;
	}
	w->levels[w->depth++] = (struct level){ dir, w->path.len };
	return OK;
}

struct err walk_open(const char *folder, struct walk **out)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_of(folder);
	struct walk *w = own_alloc(sizeof(*w));
	struct err e = go_down(w, fd);
	if (failed(e))
		walk_close(w);
	else
		*out = w;
	return e;
}

void walk_close(struct walk *w)
{
	if (!w)
		return;
	while (w->depth)
		closedir(w->levels[--w->depth].dir);
	str_free(&w->path);
	free(w);
}

int64_t walk_left_out(const struct walk *w) { return w->left_out; }

static bool is_utf8(const char *s)
{
	size_t n = 1;
	for (; n && *s; s += n)
		n = str_utf8(s);
	return n;
}

static void call_it(struct walk *w, const char *leaf)
{
	size_t above = w->levels[w->depth - 1].path_bytes;
	if (w->path.len > above) {
		w->path.len = above;
		w->path.text[above] = '\0';
	}
	str_addf(&w->path, "%s%s", above ? "/" : "", leaf);
}

static struct err count(struct walk *w)
{
	if (++w->entries <= RESULTS_ENTRIES)
		return results_path_check(str_text(&w->path));
	return err_new(ERR_INVALID,
		"there are more than %d files and folders: put them into an archive",
		RESULTS_ENTRIES);
}

/* A file that was removed meanwhile is skipped. */
static struct err open_it(struct walk *w, const char *leaf, int *fd, struct stat *st)
{
	int folder = dirfd(w->levels[w->depth - 1].dir);
	*fd = openat(folder, leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0 && errno == ENOENT)
		return OK;
	if (*fd >= 0 && fstat(*fd, st) == 0)
		return OK;
	struct err e = error_of(str_text(&w->path));
	if (*fd >= 0)
		close(*fd);
	return e;
}

/* Opens a file, or enters a folder; out->fd stays -1 if leaf is no file. */
static struct err take(struct walk *w, const char *leaf, struct walk_file *out)
{
	struct stat st;
	int fd;
	call_it(w, leaf);
	bool there = fstatat(dirfd(w->levels[w->depth - 1].dir), leaf, &st, AT_SYMLINK_NOFOLLOW) ==
		0;
	bool known = there && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && is_utf8(leaf);
	w->left_out += there && !known;
	if (!known)
		return OK;
	struct err e = count(w);
	if (!failed(e))
		e = open_it(w, leaf, &fd, &st);
	if (failed(e) || fd < 0)
		return e;
	if (S_ISDIR(st.st_mode))
		return go_down(w, fd);
	*out = (struct walk_file){ fd, str_text(&w->path), st.st_size, (int)(st.st_mode & 0777) };
	return OK;
}

static bool is_skipped(const struct walk *w, const char *leaf)
{
	return str_eq(leaf, ".") || str_eq(leaf, "..") ||
		(w->depth == 1 && str_eq(leaf, OF_THE_FILE_SYSTEM));
}

struct err walk_next(struct walk *w, struct walk_file *out)
{
	struct err e = OK;
	*out = (struct walk_file){ .fd = -1, .path = "" };
	while (w->depth && out->fd < 0 && !failed(e)) {
		errno = 0;
		const struct dirent *d = readdir(w->levels[w->depth - 1].dir);
		if (!d && errno)
			e = error_of(str_text(&w->path));
		else if (!d)
			closedir(w->levels[--w->depth].dir);
		else if (!is_skipped(w, d->d_name))
			e = take(w, d->d_name, out);
	}
	return e;
}
