/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and changes the folder of results. */
#include "transfer/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/codec.h"
#include "base/own.h"
#include "transfer/tree_parts.h"

static const int64_t NS = 1000000000;

/* ---- errors ---- */

static const char *advice(int why)
{
	return why == ELOOP ? "; a symbolic link is in the way, and links are not followed"
		: why == ENOTDIR || why == EEXIST || why == EISDIR
		? "; something else has its place: remove it, or collect into another folder"
		: why == ENOSPC || why == EDQUOT ? "; give the volume more room"
		: why == ENOSYS                  ? "; it needs openat2 (Linux 5.6)"
						 : "";
}

struct err tree_error(const char *doing, const char *path)
{
	int why = errno;
	AUTO(str_free) struct str shown = { 0 };
	bool in_the_way = why == ELOOP || why == ENOTDIR || why == EEXIST || why == EISDIR ||
		why == ENAMETOOLONG || why == EXDEV || why == EFBIG || why == EILSEQ;
	str_add_foreign(&shown, path, 120);
	return err_new(in_the_way ? ERR_INVALID : ERR_RETRY, "%s %s: %s%s", doing, str_text(&shown),
		strerror(why), advice(why));
}

/* ---- places ---- */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static uint32_t hash_of_source(const struct results_entry *e)
{
	uint32_t h = fnv1_32(FNV1_START, e->path, strlen(e->path) + 1);
	h = fnv1_32(h, &e->size, sizeof(e->size));
	return fnv1_32(h, &e->modified_ns, sizeof(e->modified_ns));
}

/*
 * Length of the prefix that fits. It ends with a whole character, because some volumes
 * accept only UTF-8.
 */
static int begin_of(const char *name)
{
	size_t n = 0, more;
	while (name[n]) {
		more = str_utf8(name + n);
		more = more ? more : 1;
		if (n + more > PART_NAME_BYTES)
			break;
		n += more;
	}
	return (int)n;
}

struct err place_open(const struct tree *t, const struct results_entry *e, int flags,
	struct place *out)
{
	const char *name = name_of(e->path);
	AUTO(own_free) char *above = name == e->path ? own_strdup(".")
					     : own_strndup(e->path, (size_t)(name - e->path) - 1);
	*out = (struct place){ .name = name };
	out->folder = beneath_open(t->root, above, flags | O_DIRECTORY, BENEATH_NO_LINKS);
	if (out->folder < 0)
		return tree_error("opening the folder", above);
	snprintf(out->part, sizeof(out->part), ".%.*s" PART_MARK "%08x%08x", begin_of(name), name,
		t->who, hash_of_source(e));
	return OK;
}

void place_close(struct place *p)
{
	if (p->folder >= 0)
		close(p->folder);
	p->folder = -1;
}

/* ---- folders ---- */

struct err tree_folder(struct tree *t, const struct results_entry *e)
{
	struct place p;
	struct stat st;
	struct err err = place_open(t, e, O_PATH, &p);
	if (failed(err))
		return err;
	/* The owner gets all rights, to write the files into the folder */
	if (mkdirat(p.folder, p.name, (mode_t)e->mode | S_IRWXU) != 0 && errno != EEXIST)
		err = tree_error("making the folder", e->path);
	else if (fstatat(p.folder, p.name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		err = tree_error("looking at", e->path);
	else if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		err = tree_error("making the folder", e->path);
	}
	place_close(&p);
	return err;
}

/* Saturates, because a file may have any time. */
static int64_t ns_of(const struct timespec *t)
{
	int64_t ns;
	if (__builtin_mul_overflow((int64_t)t->tv_sec, NS, &ns) ||
		__builtin_add_overflow(ns, (int64_t)t->tv_nsec, &ns))
		return t->tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

static void look_at_file(const struct place *p, struct results_file_view *out)
{
	struct stat st;
	if (fstatat(p->folder, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		out->there = S_ISREG(st.st_mode) ? RESULTS_FILE : RESULTS_OTHER;
		out->there_size = st.st_size;
		out->there_modified_ns = ns_of(&st.st_mtim);
	}
	if (fstatat(p->folder, p->part, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
		out->part_bytes = st.st_size;
}

struct err tree_look(struct tree *t, const struct results_entry *e, struct results_file_view *out)
{
	struct place p;
	*out = (struct results_file_view){ e->size, e->modified_ns, RESULTS_NOTHING, 0, 0, -1,
		t->step_ns };
	struct err err = place_open(t, e, O_PATH, &p);
	if (failed(err))
		return err;
	look_at_file(&p, out);
	place_close(&p);
	return OK;
}

static bool is_part_of(const struct tree *t, const char *name)
{
	char mark[sizeof(PART_MARK) + 8];
	size_t n = strlen(name), tail = strlen(PART_MARK) + 16;
	snprintf(mark, sizeof(mark), PART_MARK "%08x", t->who);
	return name[0] == '.' && n > tail && str_has_prefix(name + n - tail, mark);
}

void tree_sweep(struct tree *t, const char *path)
{
	int fd = beneath_open(t->root, path ? path : ".", O_RDONLY | O_DIRECTORY, BENEATH_NO_LINKS);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (fd >= 0 && !dir)
		close(fd);
	for (const struct dirent *d; dir && (d = readdir(dir));)
		if (is_part_of(t, d->d_name))
			unlinkat(fd, d->d_name, 0);
	if (dir)
		closedir(dir);
}

/* ---- the folder itself ---- */

/* Resolution of times in the volume; 1 ns when it cannot be measured. */
static int64_t time_step(int fd)
{
	const struct timespec odd = { RESULTS_PROBE_NS / NS, RESULTS_PROBE_NS % NS };
	struct stat st;
	bool seen = futimens(fd, (const struct timespec[]){ odd, odd }) == 0 && fstat(fd, &st) == 0;
	return results_time_step(seen ? ns_of(&st.st_mtim) : RESULTS_PROBE_NS);
}

struct err tree_scratch(struct tree *t, FILE **out)
{
	char name[sizeof(SCRATCH_MARK) + 8];
	snprintf(name, sizeof(name), SCRATCH_MARK "%08x", t->who);
	unlinkat(t->root, name, 0); /* left by a killed process */
	int fd = openat(t->root, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return tree_error("making the file", name);
	t->step_ns = time_step(fd);
	unlinkat(t->root, name, 0);
	*out = fdopen(fd, "r+");
	return *out ? OK : tree_error("opening", name);
}

struct err tree_sync(struct tree *t)
{
	return syncfs(t->root) == 0 ? OK : tree_error("writing", "to the volume");
}

struct err tree_open(const char *to, const char *who, struct tree **out)
{
	if (mkdir(to, 0777) != 0 && errno != EEXIST)
		return tree_error("making the folder", to);
	int root = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (root < 0)
		return tree_error("opening the folder", to);
	*out = own_alloc(sizeof(**out));
	**out = (struct tree){ root, fnv1_32(FNV1_START, who, strlen(who)), 1 };
	return OK;
}

void tree_close(struct tree *t)
{
	if (!t)
		return;
	close(t->root);
	free(t);
}
