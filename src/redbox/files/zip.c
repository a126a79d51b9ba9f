/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a file or a tree. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/own.h"
#include "base/str.h"
#include "redbox/files/archives.h"
#include "redbox/files/folders_parts.h"

struct packing {
	int top; /* what the path points to */
	bool is_folder;
	size_t top_name; /* bytes of the name of top; all names start with it */
	struct new_file *target;
	struct archive_writer *writer;
	struct zip_told *told;
};

/* ---- contents of files, read when the archive needs them ---- */

static struct err open_packed(void *ctx, const char *name, int *fd)
{
	struct packing *p = ctx;
	struct stat st;
	if (!p->is_folder)
		*fd = fcntl(p->top, F_DUPFD_CLOEXEC, 0);
	else
		*fd = open_beneath(p->top, name + p->top_name + 1,
			O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (*fd < 0 || fstat(*fd, &st) != 0)
		return folders_error("opening", name);
	return S_ISREG(st.st_mode) ? OK : err_new(ERR_CONFLICT, "%s was a file a moment ago", name);
}

/* ---- the tree ---- */

static struct err add(struct packing *p, const char *name, const struct stat *st)
{
	if (strlen(name) > ARCHIVE_NAME_BYTES)
		return err_new(ERR_INVALID, "%.100s...: the name is too long", name);
	return archive_add(p->writer,
		&(struct archive_entry){
			.name = name,
			.folder = S_ISDIR(st->st_mode),
			.mode = st->st_mode & 0777,
			.time_s = st->st_mtime,
		});
}

static void leave_out(struct packing *p, const char *name)
{
	if (p->told->left_out++ == 0)
		snprintf(p->told->example, sizeof(p->told->example), "%s", name);
}

static struct err add_folder(struct packing *p, int folder, struct str *name, int depth);

/* Adds one entry of parent. name: its name in the archive, with all folders above. */
static struct err add_one(struct packing *p, int parent, const char *leaf, struct str *name,
	int depth)
{
	struct stat st;
	if (fstatat(parent, leaf, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? OK : folders_error("looking at", str_text(name));
	if (S_ISREG(st.st_mode) && new_file_is(p->target, &st))
		return OK;
	if (S_ISREG(st.st_mode))
		return add(p, str_text(name), &st);
	if (!S_ISDIR(st.st_mode)) {
		leave_out(p, str_text(name));
		return OK;
	}
	struct err e = add(p, str_text(name), &st);
	if (failed(e))
		return e;
	int folder = openat(parent, leaf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return folder >= 0 ? add_folder(p, folder, name, depth + 1)
			   : folders_error("opening", str_text(name));
}

/* Closes folder. */
static struct err add_folder(struct packing *p, int folder, struct str *name, int depth)
{
	size_t len = name->len;
	const struct dirent *entry;
	struct err e = OK;
	DIR *d = fdopendir(folder);
	if (!d) {
		e = folders_error("reading", str_text(name));
		close(folder);
		return e;
	}
	if (depth >= ARCHIVE_DEPTH)
		e = err_new(ERR_TOO_LARGE, "folders are nested more than %d deep", ARCHIVE_DEPTH);
	while (!failed(e) && (errno = 0, entry = readdir(d))) {
		if (str_eq(entry->d_name, ".") || str_eq(entry->d_name, ".."))
			continue;
		str_addf(name, "/%s", entry->d_name);
		e = add_one(p, dirfd(d), entry->d_name, name, depth);
		name->len = len;
		name->text[len] = '\0';
	}
	if (!failed(e) && errno != 0)
		e = folders_error("reading", str_text(name));
	closedir(d);
	return e;
}

/* ---- the file or folder at path ---- */

static struct err pack(struct packing *p, const struct stat *st, struct str *name,
	const atomic_bool *stop)
{
	if (new_file_is(p->target, st))
		return err_new(ERR_INVALID, "the target is the file itself");
	struct err e = archive_begin(new_file_fd(p->target), stop, open_packed, p, &p->writer);
	if (!failed(e))
		e = add(p, str_text(name), st);
	if (!failed(e) && p->is_folder)
		e = add_folder(p, fcntl(p->top, F_DUPFD_CLOEXEC, 0), name, 0);
	if (!failed(e))
		e = archive_finish(p->writer);
	archive_drop(TAKE(p->writer));
	return e;
}

struct err zip_tree(const struct folders *f, const char *path, const char *target,
	const atomic_bool *stop, struct zip_told *told)
{
	AUTO(str_free) struct str name = { 0 };
	struct packing p = { .top = -1, .told = told };
	struct stat st = { 0 };
	*told = (struct zip_told){ 0 };
	struct err e = folders_open_any(f, path, &p.top, &st);
	if (!failed(e))
		e = folders_last_part(f, path, &name);
	p.is_folder = S_ISDIR(st.st_mode);
	p.top_name = name.len;
	if (!failed(e))
		e = new_file_begin(f, target, 0666, &p.target);
	if (!failed(e)) {
		e = pack(&p, &st, &name, stop);
		if (failed(e))
			new_file_drop(p.target);
		else
			e = new_file_finish(p.target);
	}
	if (p.top >= 0)
		close(p.top);
	return failed(e) ? err_wrap(e, "packing %s", path) : OK;
}
