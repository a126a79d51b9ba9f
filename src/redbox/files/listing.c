/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a tree of folders; keeps the names of each folder on the current path in memory.
 */
#include "redbox/files/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/own.h"
#include "base/str.h"
#include "redbox/files/folders_parts.h"

struct walk {
	struct listing *out;
	const atomic_bool *stop;
	struct str path; /* path of the current entry */
};

/* The names in one folder. */
struct names {
	struct arena a;
	char **rows;
	size_t n, cap;
};

static struct err too_much(const char *what, int limit)
{
	return err_new(ERR_INVALID, "%s than the %d that a list takes: ask for a part of it", what,
		limit);
}

static struct err add(struct walk *w, const struct stat *st)
{
	struct listing *l = w->out;
	l->bytes += w->path.len;
	if (w->path.len > ARCHIVE_NAME_BYTES)
		return err_new(ERR_INVALID, "%.100s...: the name is too long", w->path.text);
	if (l->bytes > ARCHIVE_LIST_BYTES)
		return too_much("there are more bytes of names", ARCHIVE_LIST_BYTES);
	l->files = arena_grown(&l->a, l->files, l->n, &l->cap, sizeof(*l->files));
	l->files[l->n++] = (struct wlm_file){
		.path = arena_strdup(&l->a, w->path.text),
		.size = S_ISREG(st->st_mode) ? st->st_size : 0,
		.modified_ns = file_modified_ns(st),
		.mode = (int)(st->st_mode & 0777),
		.folder = S_ISDIR(st->st_mode),
	};
	return OK;
}

static void leave_out(struct walk *w)
{
	AUTO(str_free) struct str example = { 0 };
	if (w->out->left_out++ > 0)
		return;
	str_add_foreign(&example, w->path.text, sizeof(w->out->example) / 2);
	snprintf(w->out->example, sizeof(w->out->example), "%s", example.text);
}

static bool is_utf8(const char *s)
{
	size_t n = 1;
	for (; n && *s; s += n)
		n = str_utf8(s);
	return n;
}

/* ---- one folder ---- */

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct err read_names(struct walk *w, DIR *d, struct names *out)
{
	const struct dirent *entry;
	while ((errno = 0, entry = readdir(d))) {
		if (str_eq(entry->d_name, ".") || str_eq(entry->d_name, ".."))
			continue;
		if (atomic_load(w->stop))
			return err_new(ERR_CANCELLED, "its caller has gone");
		if (++w->out->seen > ARCHIVE_ENTRIES)
			return too_much("there are more files and folders", ARCHIVE_ENTRIES);
		out->rows = arena_grown(&out->a, out->rows, out->n, &out->cap, sizeof(*out->rows));
		out->rows[out->n++] = arena_strdup(&out->a, entry->d_name);
	}
	if (errno != 0)
		return folders_error("reading", w->path.text);
	if (out->n)
		qsort(out->rows, out->n, sizeof(*out->rows), by_bytes);
	return OK;
}

static struct err add_folder(struct walk *w, int folder, int depth);

/* An entry that was removed after its name was read is skipped. */
static struct err add_one(struct walk *w, int parent, const char *leaf, int depth)
{
	struct stat st;
	if (fstatat(parent, leaf, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? OK : folders_error("looking at", w->path.text);
	bool listed = (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && is_utf8(leaf);
	if (!listed) {
		leave_out(w);
		return OK;
	}
	if (S_ISREG(st.st_mode))
		return add(w, &st);
	int folder = openat(parent, leaf,
		O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return errno == ENOENT ? OK : folders_error("opening", w->path.text);
	struct err e = add(w, &st);
	if (!failed(e))
		return add_folder(w, folder, depth + 1);
	close(folder);
	return e;
}

/* Closes folder. */
static struct err add_folder(struct walk *w, int folder, int depth)
{
	struct names names = { 0 };
	size_t len = w->path.len;
	DIR *d = fdopendir(folder);
	struct err e = d ? OK : folders_error("reading", w->path.text);
	if (!d) {
		close(folder);
		return e;
	}
	e = depth >= ARCHIVE_DEPTH ? too_much("there are more folders in each other", ARCHIVE_DEPTH)
				   : read_names(w, d, &names);
	for (size_t i = 0; i < names.n && !failed(e); i++) {
		str_addf(&w->path, "/%s", names.rows[i]);
		e = add_one(w, dirfd(d), names.rows[i], depth);
		w->path.len = len;
		w->path.text[len] = '\0';
	}
	closedir(d);
	arena_free(&names.a);
	return e;
}

struct err listing_read(const struct folders *f, const char *path, const atomic_bool *stop,
	struct listing *out)
{
	struct walk w = { .out = out, .stop = stop };
	struct stat st;
	int top;
	*out = (struct listing){ 0 };
	struct err e = folders_open_any(f, path, &top, &st);
	if (failed(e))
		return e;
	e = folders_last_part(f, path, &w.path);
	if (!failed(e) && !is_utf8(str_text(&w.path)))
		e = err_new(ERR_INVALID, "%s: its name is no UTF-8", path);
	if (!failed(e))
		e = add(&w, &st);
	if (!failed(e) && S_ISDIR(st.st_mode))
		e = add_folder(&w, top, 0);
	else
		close(top);
	str_free(&w.path);
	return e;
}

void listing_free(struct listing *l) { arena_free(&l->a); }
