/* SPDX-License-Identifier: Apache-2.0 */
/* ListFiles and FileChecksum as a client sees them. */
#include "lib/hex.h"
#include "lib/redbox_world.h"

#include "archive/archive.h"
#include "wlm/answer.h"
#include "wlm/ask.h"

/* So large that its checksum takes seconds; on the disk it has no bytes. */
enum { LONG_BYTES = 2000000000 };

#define NAMED_MTIME_NS INT64_C(1600000000123456789)

/* ---- steps ---- */

static struct reply *path_call(struct world *w, const char *method, const char *path)
{
	AUTO(str_free) struct str message = { 0 };
	wlm_ask_path(&message, path);
	return whole_call(w, method, str_text(&message), message.len);
}

static void given_folder(struct world *w, const char *name)
{
	assert_int_equal(mkdir(folder_path(&w->folder, name), 0755), 0);
	assert_int_equal(chmod(folder_path(&w->folder, name), 0750), 0);
}

static void given_file(struct world *w, const char *name, const char *text)
{
	const struct timespec times[2] = { { 1, 0 }, { 1600000000, 123456789 } };
	folder_put(&w->folder, name, "w", text);
	assert_int_equal(chmod(folder_path(&w->folder, name), 0640), 0);
	assert_int_equal(utimensat(AT_FDCWD, folder_path(&w->folder, name), times, 0), 0);
}

/* One line for each entry; the end of the list is "-" and how many were left out. */
static void lists(struct reply *r, const char *lines)
{
	AUTO(str_free) struct str all = { 0 };
	ends(r, GRPC_OK, "");
	for (size_t i = 0; i < reply_messages(r); i++) {
		AUTO(arena_free) struct arena a = { 0 };
		struct wlm_answer m;
		size_t n;
		const void *bytes = reply_message(r, i, &n);
		assert_false(failed(wlm_answer_read(WLM_ANSWER_FILE, bytes, n, &a, &m)));
		const struct wlm_file *f = &m.file;
		if (!*f->path)
			str_addf(&all, "- %lld\n", (long long)m.left_out);
		else
			str_addf(&all, "%s %o %lld%s\n", f->path, (unsigned)f->mode,
				(long long)f->size, f->folder ? "/" : "");
		if (*f->path && !f->folder)
			assert_int_equal(f->modified_ns, NAMED_MTIME_NS);
	}
	assert_string_equal(str_text(&all), lines);
}

/* ---- lists ---- */

static void a_tree_is_listed_in_order(void **state)
{
	struct world *w = *state;
	given_folder(w, "files/out");
	given_folder(w, "files/out/b");
	given_folder(w, "files/out/b/empty");
	given_file(w, "files/out/b/z", "");
	given_file(w, "files/out/b.txt", "hello");
	given_file(w, "files/out/a", "one\n");
	given_file(w, "files/out/\xc3\xa4 \n", "22");
	lists(path_call(w, "ListFiles", "out"),
		"out 750 0/\n"
		"out/a 640 4\n"
		"out/b 750 0/\n"
		"out/b/empty 750 0/\n"
		"out/b/z 640 0\n"
		"out/b.txt 640 5\n"
		"out/\xc3\xa4 \n 640 2\n"
		"- 0\n");
	lists(path_call(w, "ListFiles", folder_path(&w->folder, "files/out/b/")),
		"b 750 0/\n"
		"b/empty 750 0/\n"
		"b/z 640 0\n"
		"- 0\n");
	lists(path_call(w, "ListFiles", "out/a"), "a 640 4\n- 0\n");
}

/* No link leads anywhere beneath the path; the path itself may be one. */
static void what_is_neither_file_nor_folder_is_counted(void **state)
{
	struct world *w = *state;
	given_folder(w, "files/out");
	given_file(w, "files/out/a", "one\n");
	given_file(w, "files/out/caf\xe9", "latin");
	assert_int_equal(symlink("a", folder_path(&w->folder, "files/out/link")), 0);
	assert_int_equal(symlink("/etc", folder_path(&w->folder, "files/out/etc")), 0);
	assert_int_equal(mkfifo(folder_path(&w->folder, "files/out/fifo"), 0600), 0);
	assert_int_equal(symlink("out", folder_path(&w->folder, "files/same")), 0);
	lists(path_call(w, "ListFiles", "out"), "out 750 0/\nout/a 640 4\n- 4\n");
	lists(path_call(w, "ListFiles", "same"), "same 750 0/\nsame/a 640 4\n- 4\n");
}

static void what_is_not_there_or_not_ours_is_not_listed(void **state)
{
	static const char *const methods[] = { "ListFiles", "FileChecksum" };
	struct world *w = *state;
	assert_int_equal(symlink("/etc", folder_path(&w->folder, "files/etc")), 0);
	assert_int_equal(mkfifo(folder_path(&w->folder, "files/fifo"), 0600), 0);
	for (size_t i = 0; i < LENGTH(methods); i++) {
		ends(path_call(w, methods[i], "none"), GRPC_NOT_FOUND, "opening none");
		ends(path_call(w, methods[i], "/etc"), GRPC_PERMISSION_DENIED, "/etc");
		ends(path_call(w, methods[i], "etc/passwd"), GRPC_PERMISSION_DENIED, "leads out");
		ends(path_call(w, methods[i], "fifo"), GRPC_INVALID_ARGUMENT, "fifo is n");
		ends(path_call(w, methods[i], ""), GRPC_INVALID_ARGUMENT, "no path is given");
	}
	ends(path_call(w, "ListFiles", "a/../.."), GRPC_NOT_FOUND, "a/../..");
	ends(path_call(w, "ListFiles", "./.."), GRPC_PERMISSION_DENIED, "leads out");
	given_folder(w, "files/out");
	ends(path_call(w, "ListFiles", "out/."), GRPC_INVALID_ARGUMENT,
		"does not end with the name");
}

static void folders_too_deep_are_refused(void **state)
{
	struct world *w = *state;
	struct str path = { 0 };
	str_add(&path, "files/out");
	for (int i = 0; i <= ARCHIVE_DEPTH; i++) {
		assert_int_equal(mkdir(folder_path(&w->folder, path.text), 0755), 0);
		str_add(&path, "/d");
	}
	ends(path_call(w, "ListFiles", "out"), GRPC_INVALID_ARGUMENT,
		"more folders in each other than the 64 that a list takes");
	str_free(&path);
}

/* More than is sent in one turn, to a client that reads when it likes. */
static void a_long_list_comes_whole(void **state)
{
	enum { MANY = 1600 };
	struct world *w = *state;
	AUTO(str_free) struct str lines = { 0 };
	given_folder(w, "files/out");
	str_add(&lines, "out 750 0/\n");
	for (int i = 0; i < MANY; i++) {
		char name[32];
		snprintf(name, sizeof(name), "files/out/%04d", i);
		given_file(w, name, "");
		str_addf(&lines, "out/%04d 640 0\n", i);
	}
	str_add(&lines, "- 0\n");
	lists(path_call(w, "ListFiles", "out"), str_text(&lines));
}

/* ---- checksums ---- */

static struct wlm_checksum sum_of(struct world *w, const char *path)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct wlm_answer m;
	size_t n;
	struct reply *r = path_call(w, "FileChecksum", path);
	ends(r, GRPC_OK, "");
	const void *bytes = reply_message(r, 0, &n);
	assert_false(failed(wlm_answer_read(WLM_ANSWER_CHECKSUM, bytes, n, &a, &m)));
	return m.checksum;
}

static void is_sum(const struct wlm_checksum *c, const char *hex)
{
	uint8_t bytes[512];
	assert_int_equal(bytes_of(hex, bytes), WLM_SHA256_BYTES);
	assert_memory_equal(c->sha256, bytes, WLM_SHA256_BYTES);
}

static void the_checksum_of_a_file_is_told(void **state)
{
	struct world *w = *state;
	given_file(w, "files/abc", "abc");
	given_file(w, "files/empty", "");
	struct wlm_checksum c = sum_of(w, "abc");
	is_sum(&c, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(c.size, 3);
	assert_int_equal(c.modified_ns, NAMED_MTIME_NS);
	c = sum_of(w, "empty");
	is_sum(&c, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_int_equal(c.size, 0);
	ends(path_call(w, "FileChecksum", "."), GRPC_INVALID_ARGUMENT, "no regular file");
}

static void given_a_long_file(struct world *w)
{
	folder_put(&w->folder, "files/long", "w", "");
	assert_int_equal(truncate(folder_path(&w->folder, "files/long"), LONG_BYTES), 0);
}

static void other_calls_do_not_wait_for_a_checksum(void **state)
{
	struct world *w = *state;
	given_a_long_file(w);
	struct reply *sum = path_call(w, "FileChecksum", "long");
	struct reply *r = whole_call(w, "WorkloadInfo", "", 0);
	fake_says(tool(w, FAKE_VERSION), OK, &(struct slurm_tools_told){ .version = "24.11.5" });
	ends(r, GRPC_OK, "");
	assert_int_equal(grpc_server_under_way(w->server), 1);
	client_cancel(sum);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	assert_int_equal(grpc_server_under_way(w->server), 0);
}

/* Some of the file has been read: of a descriptor of ours that is it. */
static bool is_read(struct world *w, const char *name)
{
	char file[32], path[256], info[64];
	bool some = false;
	for (int fd = 3; fd < 64 && !some; fd++) {
		snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(file, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		snprintf(file, sizeof(file), "/proc/self/fdinfo/%d", fd);
		FILE *f = str_eq(path, folder_path(&w->folder, name)) ? fopen(file, "r") : NULL;
		some = f && fgets(info, sizeof(info), f) && !str_eq(info, "pos:\t0\n");
		if (f)
			fclose(f);
	}
	return some;
}

static void a_file_that_changes_meanwhile_has_none(void **state)
{
	struct world *w = *state;
	given_a_long_file(w);
	struct reply *r = path_call(w, "FileChecksum", "long");
	for (int i = 0; i < 100000 && !is_read(w, "files/long"); i++)
		client_turn(w->client);
	given_file(w, "files/long", "it is short now");
	ends(r, GRPC_ABORTED, "long changed while it was read");
}

/* ---- how many at a time ---- */

/* The calls come in one turn, in which none of them can be answered. */
static void only_so_many_lists_are_made_at_a_time(void **state)
{
	enum { MOST = 16 };
	struct world *w = *state;
	given_a_long_file(w);
	for (int i = 0; i < MOST; i++)
		path_call(w, "ListFiles", "long");
	ends(path_call(w, "ListFiles", "long"), GRPC_RESOURCE_EXHAUSTED,
		"too many lists are made for you already");
	restart(w, 0);
	ends(path_call(w, "ListFiles", "none"), GRPC_NOT_FOUND, "none");
}

/* A list of more than the windows of the connection take, whose client reads nothing. */
/* Acceptance: vnode-17 */
static void the_lists_of_a_client_leave_room_for_others(void **state)
{
	enum { MANY = 800, MOST = 16 };
	struct world *w = *state;
	if (geteuid() != 0)
		skip();
	given_folder(w, "files/out");
	for (int i = 0; i < MANY; i++) {
		char name[256];
		snprintf(name, sizeof(name), "files/out/%0200d", i);
		given_file(w, name, "");
	}
	w->client->reads_nothing = true;
	for (int i = 0; i < MOST; i++)
		path_call(w, "ListFiles", "out");
	ends(path_call(w, "ListFiles", "none"), GRPC_RESOURCE_EXHAUSTED, "too many lists");
	struct grpc_client *mine = w->client, *other = another_user(w);
	w->client = other;
	ends(path_call(w, "ListFiles", "none"), GRPC_NOT_FOUND, "none");
	assert_int_equal(grpc_server_under_way(w->server), MOST);
	w->client = mine;
	client_close(other);
}

#define LIST_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_service, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIST_TEST(a_tree_is_listed_in_order),
		LIST_TEST(what_is_neither_file_nor_folder_is_counted),
		LIST_TEST(what_is_not_there_or_not_ours_is_not_listed),
		LIST_TEST(folders_too_deep_are_refused),
		LIST_TEST(a_long_list_comes_whole),
		LIST_TEST(the_checksum_of_a_file_is_told),
		LIST_TEST(other_calls_do_not_wait_for_a_checksum),
		LIST_TEST(a_file_that_changes_meanwhile_has_none),
		LIST_TEST(only_so_many_lists_are_made_at_a_time),
		LIST_TEST(the_lists_of_a_client_leave_room_for_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
