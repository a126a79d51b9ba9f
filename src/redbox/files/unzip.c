/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks into a temporary folder next to the target, then moves the files to their
 * places. So a bad archive or a full disk is found before anything at the target has
 * changed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/own.h"
#include "base/str.h"
#include "redbox/files/archives.h"
#include "redbox/files/folders_parts.h"

enum { DEPTH = ARCHIVE_DEPTH + 2, FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

struct unpacking {
	struct archive_reader *reader;
	int place;  /* the target folder */
	int staged; /* the temporary folder in it */
	char staged_name[32];
	int fd; /* the current file */
	const char *name;
};

/* ---- one entry ---- */

/* Opens the entry's folder in the temporary folder; *leaf: the entry's name in it. */
static int parent_of(const struct unpacking *u, const char *name, const char **leaf)
{
	const char *slash = strrchr(name, '/');
	AUTO(own_free) char *above = own_strndup(name, slash ? (size_t)(slash - name) : 0);
	*leaf = slash ? slash + 1 : name;
	return folders_make(u->staged, above);
}

/* No other process writes here: a file that is in the way came from the archive. */
static struct err cannot_make(const char *name)
{
	if (errno == EEXIST || errno == ENOTDIR)
		return err_new(ERR_INVALID,
			"the archive has \"%s\" twice, or as a file and as a folder", name);
	return folders_error("writing", name);
}

static struct err add_folder(struct unpacking *u, const struct archive_entry *entry)
{
	const char *leaf;
	int parent = parent_of(u, entry->name, &leaf);
	if (parent < 0)
		return cannot_make(entry->name);
	mode_t mode = entry->mode ? entry->mode | 0700 : 0777;
	int made = mkdirat(parent, leaf, mode);
	struct err e = made == 0 || errno == EEXIST ? OK : cannot_make(entry->name);
	close(parent);
	return e;
}

static struct err write_piece(void *ctx, const void *bytes, size_t n)
{
	struct unpacking *u = ctx;
	const char *at = bytes;
	while (n > 0) {
		ssize_t did = write(u->fd, at, n);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return folders_error("writing", u->name);
		at += did;
		n -= (size_t)did;
	}
	return OK;
}

static struct err add_file(struct unpacking *u, size_t i, const struct archive_entry *entry)
{
	const char *leaf;
	int parent = parent_of(u, entry->name, &leaf);
	if (parent < 0)
		return cannot_make(entry->name);
	u->name = entry->name;
	u->fd = openat(parent, leaf, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		entry->mode ? entry->mode : 0666);
	struct err e = u->fd >= 0 ? archive_read(u->reader, i, write_piece, u)
				  : cannot_make(entry->name);
	/* A network file system may report a full disk only when the file is closed. */
	if (u->fd >= 0 && close(u->fd) != 0 && !failed(e))
		e = folders_error("writing", entry->name);
	close(parent);
	return e;
}

/* Creates folders first: files would create them with other permissions. */
static struct err unpack(struct unpacking *u)
{
	struct err e = OK;
	for (int files = 0; files < 2; files++)
		for (size_t i = 0; !failed(e) && i < archive_count(u->reader); i++) {
			struct archive_entry entry = archive_entry(u->reader, i);
			if (entry.folder && !files)
				e = add_folder(u, &entry);
			else if (!entry.folder && files)
				e = add_file(u, i, &entry);
		}
	if (!failed(e) && syncfs(u->staged) != 0)
		e = folders_error("writing", "the files");
	return e;
}

/* ---- the move ---- */

typedef struct err each_fn(void *ctx, int folder, const char *name, bool is_folder, int depth);

/* Reads the names of all entries, each ended by a NUL byte. */
static struct err names_of(DIR *d, struct str *names)
{
	const struct dirent *entry;
	while ((errno = 0, entry = readdir(d)))
		if (!str_eq(entry->d_name, ".") && !str_eq(entry->d_name, ".."))
			str_add_bytes(names, entry->d_name, strlen(entry->d_name) + 1);
	return errno == 0 ? OK : folders_error("reading", "what was unpacked");
}

/*
 * Calls fn for each entry of folder, and closes folder. Reads all names first: a network
 * file system may skip a name if other entries are removed meanwhile.
 */
static struct err each(int folder, each_fn *fn, void *ctx, int depth)
{
	AUTO(str_free) struct str names = { 0 };
	DIR *d = folder >= 0 ? fdopendir(folder) : NULL;
	if (!d) {
		struct err e = folders_error("reading", "what was unpacked");
		if (folder >= 0)
			close(folder);
		return e;
	}
	struct err e = depth > DEPTH ? err_new(ERR_INTERNAL, "folders without end") : OK;
	if (!failed(e))
		e = names_of(d, &names);
	const char *name = str_text(&names), *end = name + names.len;
	for (; !failed(e) && name < end; name += strlen(name) + 1) {
		struct stat st;
		e = fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) == 0
			? fn(ctx, dirfd(d), name, S_ISDIR(st.st_mode), depth)
			: folders_error("looking at", name);
	}
	closedir(d);
	return e;
}

struct moving {
	int to;
	bool look_only; /* only check whether an entry is in the way */
};

static struct err move_one(void *ctx, int from, const char *name, bool is_folder, int depth)
{
	const struct moving *m = ctx;
	struct stat st;
	bool is_there = fstatat(m->to, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (is_there && (is_folder ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode)))
		return err_new(ERR_INVALID, "%s is there already, and is no %s", name,
			is_folder ? "folder" : "regular file");
	if (is_there && is_folder) {
		struct moving inner = { openat(m->to, name, FOLDER), m->look_only };
		if (inner.to < 0)
			return folders_error("opening", name);
		struct err e = each(openat(from, name, FOLDER), move_one, &inner, depth + 1);
		close(inner.to);
		return e;
	}
	if (m->look_only || renameat(from, name, m->to, name) == 0)
		return OK;
	return folders_error("writing", name);
}

static struct err move_all(const struct unpacking *u, bool look_only)
{
	struct moving m = { u->place, look_only };
	return each(openat(u->staged, ".", FOLDER), move_one, &m, 0);
}

/* ---- the temporary folder ---- */

static struct err remove_one(void *ctx, int folder, const char *name, bool is_folder, int depth)
{
	if (is_folder)
		each(openat(folder, name, FOLDER), remove_one, ctx, depth + 1);
	unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0);
	return OK;
}

static void unstage(struct unpacking *u)
{
	if (u->staged >= 0) {
		each(u->staged, remove_one, NULL, 0);
		unlinkat(u->place, u->staged_name, AT_REMOVEDIR);
	}
	if (u->place >= 0)
		close(u->place);
}

static struct err stage(struct unpacking *u, const struct folders *f, const char *path)
{
	const char *below;
	int root;
	uint64_t any = 0;
	struct err e = folders_root_of(f, path, &root, &below);
	if (!failed(e))
		e = folders_no_way_up(path, below);
	int place = failed(e) ? -1 : folders_make(root, below);
	if (place >= 0) { /* reopened for reading */
		u->place = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(place);
	}
	if (root >= 0)
		close(root);
	if (failed(e))
		return e;
	if (u->place < 0 || getrandom(&any, sizeof(any), 0) != (ssize_t)sizeof(any))
		return folders_error("opening", path);
	snprintf(u->staged_name, sizeof(u->staged_name), ".red-box-%016" PRIx64, any);
	if (mkdirat(u->place, u->staged_name, 0700) != 0)
		return folders_error("writing to", path);
	u->staged = openat(u->place, u->staged_name, FOLDER);
	return u->staged >= 0 ? OK : folders_error("writing to", path);
}

struct err unzip_tree(const struct folders *f, const char *source, const char *path,
	const atomic_bool *stop)
{
	struct unpacking u = { .place = -1, .staged = -1, .fd = -1 };
	int archive;
	struct err e = folders_open(f, source, &archive);
	if (!failed(e))
		e = archive_open(archive, stop, &u.reader);
	if (!failed(e))
		e = stage(&u, f, path);
	if (!failed(e))
		e = unpack(&u);
	if (!failed(e))
		e = move_all(&u, true);
	if (!failed(e))
		e = move_all(&u, false);
	unstage(&u);
	archive_close(u.reader);
	if (archive >= 0)
		close(archive);
	return failed(e) ? err_wrap(e, "unpacking %s", source) : OK;
}
