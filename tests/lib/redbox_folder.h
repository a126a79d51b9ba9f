/* SPDX-License-Identifier: Apache-2.0 */
/* An empty folder of a test's own, and what is in it. */
#ifndef TESTS_LIB_REDBOX_FOLDER_H
#define TESTS_LIB_REDBOX_FOLDER_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/test.h"

struct test_folder {
	char path[48];
};

static inline struct test_folder folder_make(void)
{
	struct test_folder f = { "/tmp/red-box-XXXXXX" };
	assert_non_null(mkdtemp(f.path));
	return f;
}

static inline int folder_remove_one(const char *path, const struct stat *st, int type,
	struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void folder_remove(const struct test_folder *f)
{
	assert_int_equal(nftw(f->path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The path of name in the folder; valid until the fourth call after this one. */
static inline const char *folder_path(const struct test_folder *f, const char *name)
{
	static char paths[4][256];
	static unsigned at;
	char *path = paths[at++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", f->path, name);
	return path;
}

static inline void folder_put(const struct test_folder *f, const char *name, const char *mode,
	const char *text)
{
	FILE *file = fopen(folder_path(f, name), mode);
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

/* The caller frees it; NULL: there is no such file. */
static inline char *folder_get(const struct test_folder *f, const char *name)
{
	struct str text = { 0 };
	char piece[4096];
	size_t n;
	FILE *file = fopen(folder_path(f, name), "r");
	if (!file)
		return NULL;
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0)
		str_add_bytes(&text, piece, n);
	fclose(file);
	return str_take(&text);
}

/* How many files and folders are in it, hidden ones as well. */
static inline int folder_count(const struct test_folder *f, const char *name)
{
	DIR *d = opendir(folder_path(f, name));
	int n = -2; /* . and .. */
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

#endif
