/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees that are packed: what comes out again, here and with others' programs. Needs
 * python3, zip and unzip for those.
 */
#include "lib/archive_world.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* ---- steps ---- */

static void given_folder(struct world *w, const char *name, mode_t mode)
{
	assert_int_equal(mkdir(folder_path(&w->folder, name), mode), 0);
}

static void given_file(struct world *w, const char *name, mode_t mode, const char *text)
{
	folder_put(&w->folder, name, "w", text);
	assert_int_equal(chmod(folder_path(&w->folder, name), mode), 0);
}

/* A file, one that runs, one with an odd name, a folder in a folder, an empty one */
static void given_tree(struct world *w)
{
	given_folder(w, "files/tree", 0755);
	given_folder(w, "files/tree/in", 0750);
	given_folder(w, "files/tree/none", 0700);
	given_file(w, "files/tree/a", 0640, "hello\n");
	given_file(w, "files/tree/in/run", 0755, "#!/bin/sh\n");
	given_file(w, "files/tree/in/\xc3\xa4 \xff\n", 0644, "odd");
	given_file(w, "files/tree/empty", 0600, "");
}

static void is_tree(struct world *w, const char *place)
{
	static const struct {
		const char *name, *text;
		unsigned mode;
	} wanted[] = {
		{ "tree", NULL, 0755 },
		{ "tree/in", NULL, 0750 },
		{ "tree/none", NULL, 0700 },
		{ "tree/a", "hello\n", 0640 },
		{ "tree/in/run", "#!/bin/sh\n", 0755 },
		{ "tree/in/\xc3\xa4 \xff\n", "odd", 0644 },
		{ "tree/empty", "", 0600 },
	};
	for (size_t i = 0; i < LENGTH(wanted); i++) {
		AUTO(str_free) struct str name = { 0 };
		struct stat st;
		str_addf(&name, "%s/%s", place, wanted[i].name);
		assert_int_equal(lstat(folder_path(&w->folder, name.text), &st), 0);
		assert_int_equal(st.st_mode & 07777, wanted[i].mode);
		if (!wanted[i].text)
			continue;
		AUTO(own_free) char *text = folder_get(&w->folder, name.text);
		assert_string_equal(text, wanted[i].text);
	}
}

static void packs(struct world *w, const char *path, const char *target)
{
	struct err e = zip_tree(w->folders, path, target, &w->stop, &w->told);
	if (failed(e))
		fail_msg("%s", e.text);
}

static void unpacks(struct world *w, const char *source, const char *path)
{
	struct err e = unzip_tree(w->folders, source, path, &w->stop);
	if (failed(e))
		fail_msg("%s", e.text);
}

static void refuses(struct world *w, const char *path, const char *target, enum err_kind kind,
	const char *sentence)
{
	struct err e = zip_tree(w->folders, path, target, &w->stop, &w->told);
	if (e.kind != kind || !strstr(e.text, sentence))
		fail_msg("not \"%s\" but kind %d: %s", sentence, e.kind, e.text);
}

/* A program in the folder of clients; its exit code. */
static int run(struct world *w, const char *const *argv)
{
	pid_t child;
	int status;
	posix_spawn_file_actions_t actions;
	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	posix_spawn_file_actions_addchdir_np(&actions, folder_path(&w->folder, "files"));
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	char *const env[] = { (char *)(uintptr_t)"PATH=/usr/bin:/bin",
		(char *)(uintptr_t)"LC_ALL=C.UTF-8", NULL };
	assert_int_equal(posix_spawnp(&child, argv[0], &actions, NULL,
				 (char *const *)(uintptr_t)argv, env),
		0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define RUN(w, ...) assert_int_equal(run(w, (const char *const[]){ __VA_ARGS__, NULL }), 0)

/* ---- trees ---- */

/* Acceptance: red-box-14 */
static void a_tree_comes_out_as_it_went_in(void **state)
{
	struct world *w = *state;
	given_tree(w);
	packs(w, "tree", "to/tree.zip");
	assert_int_equal(w->told.left_out, 0);
	unpacks(w, "to/tree.zip", "out");
	is_tree(w, "files/out");
	assert_int_equal(folder_count(&w->folder, "files/to"), 1);
	assert_int_equal(folder_count(&w->folder, "files/out"), 1);
	assert_int_equal(folder_count(&w->folder, "files/out/tree"), 4);
}

/* Acceptance: red-box-14 */
static void names_begin_with_that_of_the_path(void **state)
{
	struct world *w = *state;
	given_tree(w);
	packs(w, "tree/in//run", "run.zip");
	unpacks(w, "run.zip", "one");
	assert_int_equal(access(folder_path(&w->folder, "files/one/run"), X_OK), 0);
	packs(w, folder_path(&w->folder, "files/tree/"), "tree.zip");
	unpacks(w, "tree.zip", "two");
	is_tree(w, "files/two");
	packs(w, ".", "all.zip");
	unpacks(w, "all.zip", "three");
	is_tree(w, "files/three/files");
}

static void large_files_come_out_as_they_went_in(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str large = { 0 };
	for (uint64_t i = 0, x = 1; i < 200000; i++, x = x * 6364136223846793005 + 1)
		str_addf(&large, "%lx\n", (unsigned long)(i % 3 ? i : x));
	given_file(w, "files/large", 0644, str_text(&large));
	packs(w, "large", "l.zip");
	unpacks(w, "l.zip", "out");
	AUTO(own_free) char *got = folder_get(&w->folder, "files/out/large");
	assert_string_equal(got, str_text(&large));
	struct stat st;
	assert_int_equal(stat(folder_path(&w->folder, "files/l.zip"), &st), 0);
	assert_true((size_t)st.st_size < large.len * 2 / 3); /* deflated */
}

static void what_is_neither_file_nor_folder_is_left_out(void **state)
{
	struct world *w = *state;
	given_tree(w);
	assert_int_equal(symlink("/etc/passwd", folder_path(&w->folder, "files/tree/in/l")), 0);
	assert_int_equal(symlink("in", folder_path(&w->folder, "files/tree/here")), 0);
	assert_int_equal(mkfifo(folder_path(&w->folder, "files/tree/fifo"), 0644), 0);
	packs(w, "tree", "tree.zip");
	assert_int_equal(w->told.left_out, 3);
	assert_true(str_has_prefix(w->told.example, "tree/"));
	unpacks(w, "tree.zip", "out");
	is_tree(w, "files/out");
	assert_int_equal(folder_count(&w->folder, "files/out/tree"), 4);
}

static void an_archive_leaves_itself_out(void **state)
{
	struct world *w = *state;
	given_tree(w);
	for (int i = 0; i < 2; i++) {
		packs(w, "tree", "tree/in/tree.zip");
		unpacks(w, "tree/in/tree.zip", "out");
		assert_int_equal(folder_count(&w->folder, "files/out/tree/in"), 2);
	}
	packs(w, "tree/a", "b");
	refuses(w, "tree/a", "tree/a", ERR_INVALID, "the target is the file itself");
	AUTO(own_free) char *text = folder_get(&w->folder, "files/tree/a");
	assert_string_equal(text, "hello\n");
}

/* ---- others ---- */

/* Acceptance: red-box-14 */
static void others_read_what_is_packed(void **state)
{
	static const char look[] =
		"import zipfile, sys\n"
		"z = zipfile.ZipFile('tree.zip')\n"
		"assert z.testzip() is None\n"
		"m = {i.filename: i.external_attr >> 16 for i in z.infolist()}\n"
		"assert m['tree/in/run'] == 0o100755, m\n"
		"assert m['tree/none/'] == 0o40700, m\n"
		"assert z.read('tree/in/\\u00e4') == b'odd'\n"
		"assert z.getinfo('tree/big').compress_type == zipfile.ZIP_DEFLATED\n"
		"assert z.getinfo('tree/big').date_time[0] >= 2020\n"
		"assert len(m) == 8, m\n";
	struct world *w = *state;
	AUTO(str_free) struct str big = { 0 };
	given_tree(w);
	assert_int_equal(rename(folder_path(&w->folder, "files/tree/in/\xc3\xa4 \xff\n"),
				 folder_path(&w->folder, "files/tree/in/\xc3\xa4")),
		0);
	for (int i = 0; i < 10000; i++)
		str_add(&big, "all the same\n");
	given_file(w, "files/tree/big", 0644, str_text(&big));
	packs(w, "tree", "tree.zip");
	RUN(w, "python3", "-c", look);
	RUN(w, "unzip", "-q", "tree.zip", "-d", "by-unzip");
	RUN(w, "diff", "-r", "tree", "by-unzip/tree");
	assert_int_equal(access(folder_path(&w->folder, "files/by-unzip/tree/in/run"), X_OK), 0);
}

/* Acceptance: red-box-14 */
static void what_others_pack_is_read(void **state)
{
	struct world *w = *state;
	given_tree(w);
	assert_int_equal(unlink(folder_path(&w->folder, "files/tree/in/\xc3\xa4 \xff\n")), 0);
	RUN(w, "zip", "-qr", "a.zip", "tree");
	RUN(w, "sh", "-c", "zip -qr - tree | cat >b.zip"); /* sizes come behind each file */
	RUN(w, "python3", "-c",
		"import shutil; shutil.make_archive('c', 'zip', root_dir='.', base_dir='tree')");
	RUN(w, "python3", "-c",
		"import zipfile; z = zipfile.ZipFile('d.zip', 'w', zipfile.ZIP_DEFLATED)\n"
		"for n in ('tree/a', 'tree/in/run', 'tree/empty', 'tree/none/'): z.write(n)\n"
		"z.close()");
	for (const char *name = "abcd"; *name; name++) {
		char archive[8], place[8];
		snprintf(archive, sizeof(archive), "%c.zip", *name);
		snprintf(place, sizeof(place), "%c", *name);
		unpacks(w, archive, place);
		char one[16];
		snprintf(one, sizeof(one), "%c/tree", *name);
		RUN(w, "diff", "-r", "tree", one);
	}
}

/* ---- what is refused ---- */

/* Acceptance: red-box-15 */
static void nothing_beside_the_folders_is_packed(void **state)
{
	struct world *w = *state;
	given_tree(w);
	assert_int_equal(symlink("/etc", folder_path(&w->folder, "files/etc")), 0);
	refuses(w, "/etc", "x.zip", ERR_DENIED, "in none of the folders");
	refuses(w, "../..", "x.zip", ERR_DENIED, "leads out");
	refuses(w, "etc", "x.zip", ERR_DENIED, "leads out");
	refuses(w, "tree", "/tmp/x.zip", ERR_DENIED, "in none of the folders");
	refuses(w, "tree", "../x.zip", ERR_INVALID, "has \"..\" in it");
	refuses(w, "tree/in/..", "x.zip", ERR_INVALID,
		"does not end with the name of a file or folder");
	refuses(w, "none", "x.zip", ERR_NOT_FOUND, "none");
	refuses(w, "", "x.zip", ERR_INVALID, "no path is given");
	refuses(w, "tree", "", ERR_INVALID, "no path is given");
	refuses(w, "/dev/null", "x.zip", ERR_DENIED, "in none of the folders");
	assert_int_equal(folder_count(&w->folder, "files"), 2);
}

static void too_deep_a_tree_is_refused(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str name = { 0 };
	str_add(&name, "files/d");
	for (int i = 0; i <= ARCHIVE_DEPTH; i++) {
		given_folder(w, str_text(&name), 0755);
		str_add(&name, "/d");
	}
	refuses(w, "d", "x.zip", ERR_TOO_LARGE, "folders are nested more than 64 deep");
	packs(w, "d/d", "x.zip");
	unpacks(w, "x.zip", "out");
	assert_int_equal(folder_count(&w->folder, "files"), 3);
}

static void too_large_a_file_is_refused(void **state)
{
	struct world *w = *state;
	given_file(w, "files/a", 0644, "");
	assert_int_equal(truncate(folder_path(&w->folder, "files/a"), ARCHIVE_BYTES + 1), 0);
	refuses(w, "a", "x.zip", ERR_TOO_LARGE, "more than 64 GiB");
	assert_int_equal(folder_count(&w->folder, "files"), 1);
}

/* ---- ends ---- */

static void a_limit_of_the_process_leaves_nothing(void **state)
{
	const struct rlimit few = { 100, RLIM_INFINITY }, all = { RLIM_INFINITY, RLIM_INFINITY };
	struct world *w = *state;
	given_tree(w);
	given_file(w, "files/x.zip", 0644, "what was there");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	refuses(w, "tree", "x.zip", ERR_TOO_LARGE, "writing: File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	AUTO(own_free) char *text = folder_get(&w->folder, "files/x.zip");
	assert_string_equal(text, "what was there");
	assert_int_equal(folder_count(&w->folder, "files"), 2);
}

/* A disk of 200 KiB: only root can make one. */
/* Acceptance: red-box-17 */
static void a_full_disk_is_told_and_leaves_nothing(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str large = { 0 };
	const char *files = folder_path(&w->folder, "files");
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("none", files, "tmpfs", 0, "size=200k") != 0)
		skip();
	for (uint64_t i = 0, x = 1; i < 10000; i++, x = x * 6364136223846793005 + 1)
		str_addf(&large, "%lx", (unsigned long)x);
	given_file(w, "files/large", 0644, str_text(&large));
	refuses(w, "large", "x.zip", ERR_RETRY, "No space left on device");
	assert_int_equal(folder_count(&w->folder, "files"), 1);
	assert_int_equal(truncate(folder_path(&w->folder, "files/large"), 100000), 0);
	packs(w, "large", "x.zip");
	struct err e = unzip_tree(w->folders, "x.zip", "out", &w->stop);
	assert_int_equal(e.kind, ERR_RETRY);
	assert_non_null(strstr(e.text, "No space left on device"));
	assert_int_equal(folder_count(&w->folder, "files/out"), 0);
	assert_int_equal(umount(folder_path(&w->folder, "files")), 0);
}

static void what_nobody_waits_for_leaves_nothing(void **state)
{
	struct world *w = *state;
	given_tree(w);
	atomic_store(&w->stop, true);
	refuses(w, "tree", "x.zip", ERR_CANCELLED, "its caller has gone");
	assert_int_equal(folder_count(&w->folder, "files"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ARCHIVE_TEST(a_tree_comes_out_as_it_went_in),
		ARCHIVE_TEST(names_begin_with_that_of_the_path),
		ARCHIVE_TEST(large_files_come_out_as_they_went_in),
		ARCHIVE_TEST(what_is_neither_file_nor_folder_is_left_out),
		ARCHIVE_TEST(an_archive_leaves_itself_out),
		ARCHIVE_TEST(others_read_what_is_packed),
		ARCHIVE_TEST(what_others_pack_is_read),
		ARCHIVE_TEST(nothing_beside_the_folders_is_packed),
		ARCHIVE_TEST(too_deep_a_tree_is_refused),
		ARCHIVE_TEST(too_large_a_file_is_refused),
		ARCHIVE_TEST(a_limit_of_the_process_leaves_nothing),
		ARCHIVE_TEST(a_full_disk_is_told_and_leaves_nothing),
		ARCHIVE_TEST(what_nobody_waits_for_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
