/* SPDX-License-Identifier: Apache-2.0 */
/* The folders that clients may see: what is below them, and that nothing else is. */
#include "lib/redbox_folder.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "redbox/files/folders.h"

struct world {
	struct test_folder all; /* holds: seen, other, secret */
	char seen[64], other[64];
	struct folders *folders;
};

static int given_two_folders(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	w->all = folder_make();
	snprintf(w->seen, sizeof(w->seen), "%s/seen", w->all.path);
	snprintf(w->other, sizeof(w->other), "%s/other", w->all.path);
	assert_int_equal(mkdir(w->seen, 0755), 0);
	assert_int_equal(mkdir(w->other, 0755), 0);
	folder_put(&w->all, "secret", "w", "secret");
	folder_put(&w->all, "seen/file", "w", "hello");
	folder_put(&w->all, "other/file", "w", "other");
	const char *const paths[] = { w->seen, w->other };
	assert_false(failed(folders_new(paths, 2, &w->folders)));
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	folders_free(w->folders);
	folder_remove(&w->all);
	free(w);
	return 0;
}

static void opens(struct world *w, const char *path, const char *text)
{
	char bytes[64] = "";
	int fd;
	struct err e = folders_open(w->folders, path, &fd);
	if (failed(e))
		fail_msg("%s", e.text);
	assert_int_equal(read(fd, bytes, sizeof(bytes) - 1), strlen(text));
	assert_string_equal(bytes, text);
	close(fd);
}

static void opens_not(struct world *w, const char *path, enum err_kind kind)
{
	int fd;
	struct err e = folders_open(w->folders, path, &fd);
	assert_string_equal(err_kind_name(e.kind), err_kind_name(kind));
	assert_int_equal(fd, -1);
}

static const char *path_of(struct world *w, const char *name) { return folder_path(&w->all, name); }

static void in_folder(struct world *w, const char *target, const char *name)
{
	assert_int_equal(symlink(target, path_of(w, name)), 0);
}

/* ---- reading ---- */

static void files_below_are_opened(void **state)
{
	struct world *w = *state;
	opens(w, "file", "hello");
	opens(w, "./file", "hello");
	opens(w, path_of(w, "seen/file"), "hello");
	opens(w, path_of(w, "seen//file"), "hello");
	opens(w, path_of(w, "other/file"), "other");
	opens_not(w, "", ERR_INVALID);
	opens_not(w, "none", ERR_NOT_FOUND);
	opens_not(w, "file/none", ERR_NOT_FOUND);
}

/* Acceptance: red-box-29 */
static void nothing_beside_them_is_opened(void **state)
{
	struct world *w = *state;
	opens_not(w, "/etc/passwd", ERR_DENIED);
	opens_not(w, "../secret", ERR_DENIED);
	opens_not(w, path_of(w, "secret"), ERR_DENIED);
	opens_not(w, path_of(w, "seen/../secret"), ERR_DENIED);
	opens_not(w, path_of(w, "seen/../other/file"), ERR_DENIED);
	assert_int_equal(mkdir(path_of(w, "seen2"), 0755), 0);
	folder_put(&w->all, "seen2/file", "w", "beside");
	opens_not(w, path_of(w, "seen2/file"), ERR_DENIED);
}

/* Acceptance: red-box-29 */
static void a_link_leads_nowhere_else(void **state)
{
	struct world *w = *state;
	in_folder(w, "../secret", "seen/up");
	in_folder(w, "/etc", "seen/etc");
	in_folder(w, "/proc/self/root", "seen/magic");
	in_folder(w, "loop", "seen/loop");
	opens_not(w, "up", ERR_DENIED);
	opens_not(w, "etc/passwd", ERR_DENIED);
	opens_not(w, "magic/etc/passwd", ERR_DENIED);
	opens_not(w, "loop", ERR_INVALID);
	in_folder(w, "file", "seen/within");
	opens(w, "within", "hello");
}

/* Acceptance: red-box-29 */
static void only_regular_files_are_opened(void **state)
{
	struct world *w = *state;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/seen/s", w->all.path);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(mkfifo(path_of(w, "seen/fifo"), 0600), 0);
	opens_not(w, "fifo", ERR_INVALID); /* and no call waits for a writer */
	opens_not(w, "s", ERR_INVALID);
	opens_not(w, ".", ERR_INVALID);
	opens_not(w, w->seen, ERR_INVALID);
	close(fd);
}

static void a_folder_may_be_named_by_where_it_leads(void **state)
{
	struct world *w = *state;
	struct folders *f = NULL;
	in_folder(w, w->seen, "alias");
	const char *alias = path_of(w, "alias");
	assert_false(failed(folders_new(&alias, 1, &f)));
	struct folders *before = w->folders;
	w->folders = f;
	opens(w, path_of(w, "alias/file"), "hello");
	opens(w, path_of(w, "seen/file"), "hello");
	w->folders = before;
	folders_free(f);
}

static void what_is_no_folder_is_none(void **state)
{
	struct world *w = *state;
	struct folders *f = NULL;
	const char *path = path_of(w, "secret");
	assert_int_equal(folders_new(&path, 1, &f).kind, ERR_INVALID);
	path = path_of(w, "none");
	assert_int_equal(folders_new(&path, 1, &f).kind, ERR_INVALID);
}

/* ---- writing ---- */

static struct new_file *begun(struct world *w, const char *path)
{
	struct new_file *n = NULL;
	struct err e = new_file_begin(w->folders, path, 0666, &n);
	if (failed(e))
		fail_msg("%s", e.text);
	assert_false(failed(new_file_add(n, "new ", 4)));
	assert_false(failed(new_file_add(n, "text", 4)));
	return n;
}

static void holds(struct world *w, const char *name, const char *text)
{
	AUTO(own_free) char *now = folder_get(&w->all, name);
	assert_non_null(now);
	assert_string_equal(now, text);
}

static void a_new_file_appears_whole(void **state)
{
	struct world *w = *state;
	struct new_file *n = begun(w, "a/b/c");
	assert_null(folder_get(&w->all, "seen/a/b/c"));
	assert_false(failed(new_file_finish(n)));
	holds(w, "seen/a/b/c", "new text");
	assert_int_equal(folder_count(&w->all, "seen/a/b"), 1);
	n = begun(w, path_of(w, "other/file"));
	holds(w, "other/file", "other");
	assert_false(failed(new_file_finish(n)));
	holds(w, "other/file", "new text");
}

static void a_file_that_is_given_up_leaves_nothing(void **state)
{
	struct world *w = *state;
	new_file_drop(begun(w, "file"));
	holds(w, "seen/file", "hello");
	assert_int_equal(folder_count(&w->all, "seen"), 1);
}

/* Acceptance: red-box-29 */
static void no_file_is_made_elsewhere(void **state)
{
	static const struct {
		const char *path;
		enum err_kind kind;
	} rows[] = {
		{ "../new", ERR_INVALID },
		{ "a/../../new", ERR_INVALID },
		{ "/etc/new", ERR_DENIED },
		{ "up/new", ERR_DENIED },
		{ "a/", ERR_INVALID },
		{ ".", ERR_INVALID },
		{ "", ERR_INVALID },
		{ "file/new", ERR_NOT_FOUND },
	};
	struct world *w = *state;
	in_folder(w, "..", "seen/up");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct new_file *n = NULL;
		struct err e = new_file_begin(w->folders, rows[i].path, 0666, &n);
		assert_string_equal(err_kind_name(e.kind), err_kind_name(rows[i].kind));
		assert_null(n);
	}
	assert_int_equal(folder_count(&w->all, "."), 3);
}

/* Acceptance: red-box-29 */
static void a_link_in_its_place_is_replaced_and_not_followed(void **state)
{
	struct world *w = *state;
	in_folder(w, "../secret", "seen/link");
	assert_false(failed(new_file_finish(begun(w, "link"))));
	holds(w, "secret", "secret");
	holds(w, "seen/link", "new text");
}

static void a_folder_in_its_place_stays(void **state)
{
	struct world *w = *state;
	assert_int_equal(mkdir(path_of(w, "seen/d"), 0755), 0);
	struct err e = new_file_finish(begun(w, "d"));
	assert_int_equal(e.kind, ERR_INVALID);
	assert_int_equal(folder_count(&w->all, "seen"), 2);
}

#define FOLDERS_TEST(f) cmocka_unit_test_setup_teardown(f, given_two_folders, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDERS_TEST(files_below_are_opened),
		FOLDERS_TEST(nothing_beside_them_is_opened),
		FOLDERS_TEST(a_link_leads_nowhere_else),
		FOLDERS_TEST(only_regular_files_are_opened),
		FOLDERS_TEST(a_folder_may_be_named_by_where_it_leads),
		FOLDERS_TEST(what_is_no_folder_is_none),
		FOLDERS_TEST(a_new_file_appears_whole),
		FOLDERS_TEST(a_file_that_is_given_up_leaves_nothing),
		FOLDERS_TEST(no_file_is_made_elsewhere),
		FOLDERS_TEST(a_link_in_its_place_is_replaced_and_not_followed),
		FOLDERS_TEST(a_folder_in_its_place_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
