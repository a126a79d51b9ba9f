/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder with a folder "files" that clients of red-box may use, for tests of archives.
 * For one test program, which includes this once.
 */
#ifndef TESTS_LIB_ARCHIVE_WORLD_H
#define TESTS_LIB_ARCHIVE_WORLD_H

#include "lib/redbox_folder.h"
#include "lib/zip_bytes.h"

#include "archive/archive.h"
#include "redbox/files/archives.h"

struct world {
	struct test_folder folder;
	struct folders *folders;
	struct zip_bytes zip; /* that a test writes byte by byte */
	struct zip_told told;
	atomic_bool stop;
};

static inline int given_a_folder(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->folder = folder_make();
	assert_int_equal(mkdir(folder_path(&w->folder, "files"), 0755), 0);
	const char *files = folder_path(&w->folder, "files");
	assert_false(failed(folders_new(&files, 1, &w->folders)));
	umask(022);
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	zip_free(&w->zip);
	folders_free(w->folders);
	folder_remove(&w->folder);
	free(w);
	return 0;
}

#define ARCHIVE_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_folder, free_world)

#endif
