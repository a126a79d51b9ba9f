/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that are unpacked: hostile ones leave nothing, good ones are there whole. */
#include "lib/archive_world.h"

#include <signal.h>
#include <sys/resource.h>

/* ---- steps ---- */

static void given(struct world *w, struct zip_said file) { zip_put(&w->zip, file); }

/* The given entries become the archive in.zip. */
static void given_archive(struct world *w)
{
	zip_end(&w->zip);
	FILE *f = fopen(folder_path(&w->folder, "files/in.zip"), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(w->zip.all.text, 1, w->zip.all.len, f), w->zip.all.len);
	assert_int_equal(fclose(f), 0);
	zip_free(&w->zip);
	w->zip = (struct zip_bytes){ 0 };
}

static struct err when_unpacked(struct world *w)
{
	given_archive(w);
	return unzip_tree(w->folders, "in.zip", "out", &w->stop);
}

static void unpacks(struct world *w)
{
	struct err e = when_unpacked(w);
	if (failed(e))
		fail_msg("%s", e.text);
}

/* With this sentence, and nothing of it is there. */
static void refuses(struct world *w, enum err_kind kind, const char *sentence)
{
	struct err e = when_unpacked(w);
	if (e.kind != kind || !strstr(e.text, sentence))
		fail_msg("not \"%s\" but kind %d: %s", sentence, e.kind, e.text);
	if (access(folder_path(&w->folder, "files/out"), F_OK) == 0)
		assert_int_equal(folder_count(&w->folder, "files/out"), 0);
	assert_int_not_equal(access(folder_path(&w->folder, "x"), F_OK), 0);
}

static void holds(struct world *w, const char *name, const char *wanted)
{
	AUTO(own_free) char *got = folder_get(&w->folder, name);
	assert_non_null(got);
	assert_string_equal(got, wanted);
}

static unsigned mode_of(struct world *w, const char *name)
{
	struct stat st;
	assert_int_equal(lstat(folder_path(&w->folder, name), &st), 0);
	return st.st_mode & 07777;
}

/* ---- good ones ---- */

/* Acceptance: red-box-14 */
static void files_come_with_their_permissions(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "a/", .mode = S_IFDIR | 0500 });
	given(w, (struct zip_said){ "a/run", "#!", .mode = S_IFREG | 04755 });
	given(w, (struct zip_said){ "a/secret", "s", .mode = S_IFREG | 0400 });
	given(w, (struct zip_said){ "plain", "p" });
	given(w, (struct zip_said){ "b/c/deep", "d", .mode = S_IFREG | 0666 });
	unpacks(w);
	holds(w, "files/out/a/secret", "s");
	holds(w, "files/out/b/c/deep", "d");
	assert_int_equal(mode_of(w, "files/out/a"), 0700);
	assert_int_equal(mode_of(w, "files/out/a/run"), 0755); /* never setuid */
	assert_int_equal(mode_of(w, "files/out/a/secret"), 0400);
	assert_int_equal(mode_of(w, "files/out/plain"), 0644);
	assert_int_equal(mode_of(w, "files/out/b/c/deep"), 0644); /* our umask */
	assert_int_equal(folder_count(&w->folder, "files/out"), 3);
}

static void a_folder_of_the_same_name_gets_what_is_more(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "a/one", "1" });
	given(w, (struct zip_said){ "a/two", "2" });
	unpacks(w);
	given(w, (struct zip_said){ "a/two", "two" });
	given(w, (struct zip_said){ "a/three/x", "3" });
	unpacks(w);
	holds(w, "files/out/a/one", "1");
	holds(w, "files/out/a/two", "two");
	holds(w, "files/out/a/three/x", "3");
	assert_int_equal(folder_count(&w->folder, "files/out"), 1);
}

/* Acceptance: red-box-17 */
static void what_is_in_the_way_stays_and_nothing_else_comes(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "b/c", "file" });
	unpacks(w);
	given(w, (struct zip_said){ "a", "new" });
	given(w, (struct zip_said){ "b", "no folder" });
	struct err e = when_unpacked(w);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "b is there already, and is no regular file"));
	given(w, (struct zip_said){ "a", "new" });
	given(w, (struct zip_said){ "b/c/d", "no file" });
	e = when_unpacked(w);
	assert_non_null(strstr(e.text, "c is there already, and is no folder"));
	holds(w, "files/out/b/c", "file");
	assert_int_equal(folder_count(&w->folder, "files/out"), 1);
}

static void an_empty_archive_gives_nothing(void **state)
{
	struct world *w = *state;
	unpacks(w);
	assert_int_equal(folder_count(&w->folder, "files/out"), 0);
}

/* ---- ways out ---- */

/* Acceptance: red-box-15 */
static void names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const names[] = { "/x", "../x", "a/../../x", "..", ".", "./x", "a/./x",
		"a//x", "//", "/", "a\\..\\x", "..\\x", "C:\\x", "../" };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(names); i++) {
		given(w, (struct zip_said){ "good", "g" });
		given(w, (struct zip_said){ names[i], "x" });
		refuses(w, ERR_INVALID, "has a name that is not accepted");
	}
}

static void an_entry_without_a_name_is_refused(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "", "x" });
	refuses(w, ERR_INVALID, "in.zip");
}

/* "a\0b" does not become "a". */
/* Acceptance: red-box-15 */
static void a_nul_byte_in_a_name_cuts_nothing_off(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "a\0/../../x", "x", .name_bytes = 11 });
	refuses(w, ERR_INVALID, "has a name that is not accepted");
	given(w, (struct zip_said){ "a\0b", "x", .name_bytes = 3 });
	unpacks(w);
	holds(w, "files/out/a b", "x");
}

/* Acceptance: red-box-15 */
static void links_and_devices_in_an_archive_are_refused(void **state)
{
	static const unsigned kinds[] = { S_IFLNK, S_IFIFO, S_IFSOCK, S_IFCHR, S_IFBLK, S_IFDIR };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		given(w, (struct zip_said){ "good", "g" });
		given(w, (struct zip_said){ "l", "/etc/passwd", .mode = kinds[i] | 0777 });
		refuses(w, ERR_INVALID, "is a link, or neither a file nor a folder");
	}
	given(w, (struct zip_said){ "l/", .mode = S_IFLNK | 0777 });
	refuses(w, ERR_INVALID, "is a link, or neither a file nor a folder");
	given(w, (struct zip_said){ "l/", "target", .mode = S_IFDIR | 0777 });
	refuses(w, ERR_INVALID, "is a link, or neither a file nor a folder");
}

/* Acceptance: red-box-15 */
static void names_that_are_there_twice_are_refused(void **state)
{
	static const char *const pairs[][2] = { { "a", "a" }, { "a", "a/" }, { "a/", "a" },
		{ "a", "a/b" }, { "a/b", "a" }, { "a/b/", "a/b" } };
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(pairs); i++) {
		given(w, (struct zip_said){ pairs[i][0] });
		given(w, (struct zip_said){ pairs[i][1] });
		refuses(w, ERR_INVALID, "twice, or as a file and as a folder");
	}
}

/* Acceptance: red-box-15 */
static void links_in_the_folder_lead_nowhere(void **state)
{
	struct world *w = *state;
	assert_int_equal(mkdir(folder_path(&w->folder, "beside"), 0755), 0);
	assert_int_equal(mkdir(folder_path(&w->folder, "files/out"), 0755), 0);
	assert_int_equal(symlink("../../beside", folder_path(&w->folder, "files/out/l")), 0);
	given(w, (struct zip_said){ "l/x", "x" });
	struct err e = when_unpacked(w);
	assert_non_null(strstr(e.text, "l is there already, and is no folder"));
	given(w, (struct zip_said){ "l", "x" });
	e = when_unpacked(w);
	assert_non_null(strstr(e.text, "l is there already, and is no regular file"));
	given(w, (struct zip_said){ "y", "y" });
	given_archive(w);
	e = unzip_tree(w->folders, "in.zip", "out/l", &w->stop);
	assert_int_equal(e.kind, ERR_DENIED);
	e = unzip_tree(w->folders, "in.zip", "out/../../beside", &w->stop);
	assert_int_equal(e.kind, ERR_INVALID);
	e = unzip_tree(w->folders, "in.zip", folder_path(&w->folder, "beside"), &w->stop);
	assert_int_equal(e.kind, ERR_DENIED);
	e = unzip_tree(w->folders, "/etc/passwd", "out", &w->stop);
	assert_int_equal(e.kind, ERR_DENIED);
	assert_int_equal(folder_count(&w->folder, "beside"), 0);
	assert_int_equal(folder_count(&w->folder, "files/out"), 1);
}

/* ---- what is not as it says ---- */

/* Acceptance: red-box-16 */
static void sizes_and_sums_that_are_wrong_are_refused(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "good", "g" });
	given(w, (struct zip_said){ "a", "hello", .bytes = 4 });
	refuses(w, ERR_INVALID, "\"a\"");
	given(w, (struct zip_said){ "a", "hello", .bytes = 600 });
	refuses(w, ERR_INVALID, "\"a\"");
	given(w, (struct zip_said){ "a", "hello", .crc_is_wrong_by = 1 });
	refuses(w, ERR_INVALID, "CRC error");
	given(w, (struct zip_said){ "a", "hello", .method = 8 });
	refuses(w, ERR_INVALID, "\"a\"");
}

static void other_methods_and_encryption_are_refused(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "a", "hello", .method = 12 });
	refuses(w, ERR_INVALID, "is not compressed with deflate");
	given(w, (struct zip_said){ "a", "hello hello hello", .flags = 1 });
	refuses(w, ERR_INVALID, "is encrypted");
}

static void what_is_no_archive_is_refused(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "files/in.zip", "w", "PK, but nothing more than that is in it");
	struct err e = unzip_tree(w->folders, "in.zip", "out", &w->stop);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "unpacking in.zip: Not a zip archive"));
	folder_put(&w->folder, "files/in.zip", "w", "");
	assert_true(failed(unzip_tree(w->folders, "in.zip", "out", &w->stop)));
	e = unzip_tree(w->folders, "none.zip", "out", &w->stop);
	assert_int_equal(e.kind, ERR_NOT_FOUND);
	assert_int_not_equal(access(folder_path(&w->folder, "files/out"), F_OK), 0);
}

/* Cut anywhere it is refused. */
/* Acceptance: red-box-17 */
static void a_part_of_an_archive_is_refused(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "a", "hello" });
	given(w, (struct zip_said){ "b", "world" });
	zip_end(&w->zip);
	for (size_t n = 0; n < w->zip.all.len; n++) {
		FILE *f = fopen(folder_path(&w->folder, "files/in.zip"), "w");
		assert_int_equal(fwrite(w->zip.all.text, 1, n, f), n);
		fclose(f);
		assert_true(failed(unzip_tree(w->folders, "in.zip", "out", &w->stop)));
	}
	assert_int_equal(folder_count(&w->folder, "files"), 1);
}

/* ---- limits ---- */

/* Acceptance: red-box-16 */
static void a_zip_bomb_is_refused_before_it_is_unpacked(void **state)
{
	struct world *w = *state;
	given(w, (struct zip_said){ "a", "x", .bytes = 2000000000 });
	refuses(w, ERR_TOO_LARGE, "a zip bomb");
	for (int i = 0; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d", i);
		given(w, (struct zip_said){ name, "x", .bytes = 2000000000 });
	}
	refuses(w, ERR_TOO_LARGE, "more than 64 GiB");
}

/* Acceptance: red-box-16 */
static void too_many_entries_are_refused(void **state)
{
	struct world *w = *state;
	for (int i = 0; i <= ARCHIVE_ENTRIES; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d", i);
		given(w, (struct zip_said){ name });
	}
	refuses(w, ERR_TOO_LARGE, "more than 100000 files and folders");
}

/* The long form of the end says so many entries that their list would fill the memory. */
/* Acceptance: red-box-16 */
static void a_claim_of_many_entries_costs_no_memory(void **state)
{
	struct world *w = *state;
	struct str *all = &w->zip.all;
	const uint64_t hole = UINT64_C(1) << 33;
	str_add_bytes(all, "PK\6\6", 4);
	zip_number(all, 44, 8);
	zip_number(all, 45 << 16 | 45, 4);
	zip_number(all, 0, 8);
	zip_number(all, hole / 46, 8);
	zip_number(all, hole / 46, 8);
	zip_number(all, hole, 8);
	zip_number(all, 0, 8);
	str_add_bytes(all, "PK\6\7", 4);
	zip_number(all, 0, 4);
	zip_number(all, hole, 8);
	zip_number(all, 1, 4);
	str_add_bytes(all, "PK\5\6", 4);
	zip_number(all, 0, 4);
	zip_number(all, UINT64_MAX, 4);
	zip_number(all, UINT64_MAX, 8);
	zip_number(all, 0, 2);
	FILE *f = fopen(folder_path(&w->folder, "files/in.zip"), "w");
	assert_int_equal(fseek(f, (long)hole, SEEK_SET), 0);
	assert_int_equal(fwrite(all->text, 1, all->len, f), all->len);
	assert_int_equal(fclose(f), 0);
	struct err e = unzip_tree(w->folders, "in.zip", "out", &w->stop);
	assert_int_equal(e.kind, ERR_TOO_LARGE);
	assert_non_null(strstr(e.text, "more than 100000 files and folders"));
}

/* Acceptance: red-box-16 */
static void long_names_have_a_bound_together(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str name = { 0 };
	for (int i = 0; i < 250; i++)
		str_add(&name, "x/");
	for (int i = 0; i < 40000; i++) {
		size_t len = name.len;
		str_addf(&name, "%d", i);
		given(w, (struct zip_said){ name.text });
		name.len = len;
		name.text[len] = '\0';
	}
	refuses(w, ERR_TOO_LARGE, "its list of files has more than 16 MiB");
}

/* Acceptance: red-box-16 */
static void deep_folders_are_refused(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str name = { 0 };
	for (int i = 0; i < ARCHIVE_DEPTH; i++)
		str_add(&name, "d/");
	str_add(&name, "x");
	given(w, (struct zip_said){ name.text, "x" });
	unpacks(w);
	str_add(&name, "/y");
	given(w, (struct zip_said){ name.text, "y" });
	struct err e = when_unpacked(w);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "has a name that is not accepted"));
}

/* ---- ends ---- */

static void a_disk_that_is_full_leaves_nothing(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str large = { 0 };
	for (int i = 0; i < 10000; i++)
		str_addf(&large, "%09d\n", i);
	given(w, (struct zip_said){ "a", "small" });
	given(w, (struct zip_said){ "b", large.text });
	given_archive(w);
	signal(SIGXFSZ, SIG_IGN);
	const struct rlimit few = { 50000, RLIM_INFINITY }, all = { RLIM_INFINITY, RLIM_INFINITY };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	struct err e = unzip_tree(w->folders, "in.zip", "out", &w->stop);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	assert_int_equal(e.kind, ERR_TOO_LARGE);
	assert_non_null(strstr(e.text, "writing b"));
	assert_int_equal(folder_count(&w->folder, "files/out"), 0);
}

static void what_nobody_waits_for_leaves_nothing(void **state)
{
	struct world *w = *state;
	atomic_store(&w->stop, true);
	given(w, (struct zip_said){ "a", "hello" });
	refuses(w, ERR_CANCELLED, "its caller has gone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ARCHIVE_TEST(files_come_with_their_permissions),
		ARCHIVE_TEST(a_folder_of_the_same_name_gets_what_is_more),
		ARCHIVE_TEST(what_is_in_the_way_stays_and_nothing_else_comes),
		ARCHIVE_TEST(an_empty_archive_gives_nothing),
		ARCHIVE_TEST(names_that_lead_elsewhere_are_refused),
		ARCHIVE_TEST(an_entry_without_a_name_is_refused),
		ARCHIVE_TEST(a_nul_byte_in_a_name_cuts_nothing_off),
		ARCHIVE_TEST(links_and_devices_in_an_archive_are_refused),
		ARCHIVE_TEST(names_that_are_there_twice_are_refused),
		ARCHIVE_TEST(links_in_the_folder_lead_nowhere),
		ARCHIVE_TEST(sizes_and_sums_that_are_wrong_are_refused),
		ARCHIVE_TEST(other_methods_and_encryption_are_refused),
		ARCHIVE_TEST(what_is_no_archive_is_refused),
		ARCHIVE_TEST(a_part_of_an_archive_is_refused),
		ARCHIVE_TEST(a_zip_bomb_is_refused_before_it_is_unpacked),
		ARCHIVE_TEST(too_many_entries_are_refused),
		ARCHIVE_TEST(a_claim_of_many_entries_costs_no_memory),
		ARCHIVE_TEST(long_names_have_a_bound_together),
		ARCHIVE_TEST(deep_folders_are_refused),
		ARCHIVE_TEST(a_disk_that_is_full_leaves_nothing),
		ARCHIVE_TEST(what_nobody_waits_for_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
