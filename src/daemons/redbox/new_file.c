/* SPDX-License-Identifier: Apache-2.0 */
/* Files that clients bring: beside their place, then into it. */
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
#include "daemons/redbox/folders_parts.h"

enum { NAME_BYTES = 255, OURS_BYTES = 30 };

struct new_file {
	char *path;          /* as the client says it */
	char *name, *beside; /* in folder */
	int folder, fd;
};

/* ---- the way ---- */

/* "..", which would make folders where nobody looks for them, and no name at the end. */
static struct err check_path(const char *path, const char *below)
{
	size_t n = strlen(path);
	const char *name = strrchr(below, '/');
	name = name ? name + 1 : below;
	for (const char *s = below; s; s = strchr(s, '/')) {
		s += strspn(s, "/");
		size_t part = strcspn(s, "/");
		if (part == 2 && memcmp(s, "..", 2) == 0)
			return err_new(ERR_INVALID, "%s has \"..\" in it", path);
	}
	if (!*name || str_eq(name, ".") || path[n - 1] == '/')
		return err_new(ERR_INVALID, "%s names no file", path);
	if (strlen(name) > NAME_BYTES - OURS_BYTES)
		return err_new(ERR_INVALID, "%s: the name of the file is too long", path);
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

/* The folder "a/b/c" below root; what is missing of it is made. -1: errno says why. */
static int make_folders(int root, const char *folder)
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

/* ---- the file ---- */

static struct err open_beside(struct new_file *w, const char *name)
{
	uint64_t any = 0;
	struct str beside = { 0 };
	if (getrandom(&any, sizeof(any), 0) != (ssize_t)sizeof(any))
		return folders_error("writing", w->path);
	str_addf(&beside, ".%s.red-box-%016" PRIx64, name, any);
	w->name = own_strdup(name);
	w->beside = str_take(&beside);
	w->fd = openat(w->folder, w->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		0666);
	if (w->fd >= 0)
		return OK;
	struct err e = folders_error("writing", w->path);
	free(TAKE(w->beside)); /* it is not ours */
	return e;
}

struct err new_file_begin(const struct folders *f, const char *path, struct new_file **out)
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
	w->folder = make_folders(root, folder);
	e = w->folder >= 0 ? open_beside(w, slash ? slash + 1 : below)
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
