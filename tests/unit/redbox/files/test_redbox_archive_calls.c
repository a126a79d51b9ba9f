/* SPDX-License-Identifier: Apache-2.0 */
/* Zip and Unzip as a client sees them. */
#include "lib/redbox_world.h"

#include "wlm/wlm.pb-c.h"

/* So large that it takes seconds; on the disk it has no bytes. */
enum { LONG_BYTES = 2000000000 };

static struct reply *zip_call(struct world *w, const char *path, const char *target)
{
	PACKED(Api__ZipRequest, API__ZIP_REQUEST__INIT, m_.path = (char *)(uintptr_t)path,
		m_.target = (char *)(uintptr_t)target);
	struct reply *r = whole_call(w, "Zip", request.text, request.len);
	str_free(&request);
	return r;
}

static struct reply *unzip_call(struct world *w, const char *source, const char *path)
{
	PACKED(Api__UnzipRequest, API__UNZIP_REQUEST__INIT, m_.source = (char *)(uintptr_t)source,
		m_.path = (char *)(uintptr_t)path);
	struct reply *r = whole_call(w, "Unzip", request.text, request.len);
	str_free(&request);
	return r;
}

static void given_a_long_file(struct world *w)
{
	folder_put(&w->folder, "files/long", "w", "");
	assert_int_equal(truncate(folder_path(&w->folder, "files/long"), LONG_BYTES), 0);
}

static void waits_for_files(struct world *w, int n)
{
	for (int i = 0; i < 100000 && folder_count(&w->folder, "files") != n; i++)
		client_turn(w->client);
	assert_int_equal(folder_count(&w->folder, "files"), n);
}

static void a_tree_is_zipped_and_unzipped(void **state)
{
	struct world *w = *state;
	assert_int_equal(mkdir(folder_path(&w->folder, "files/tree"), 0755), 0);
	folder_put(&w->folder, "files/tree/a", "w", "hello");
	answers(zip_call(w, "tree", "tree.zip"), "", 0);
	answers(unzip_call(w, "tree.zip", "out"), "", 0);
	AUTO(own_free) char *text = folder_get(&w->folder, "files/out/tree/a");
	assert_string_equal(text, "hello");
}

/* Acceptance: red-box-17 */
static void other_calls_do_not_wait_for_an_archive(void **state)
{
	struct world *w = *state;
	given_a_long_file(w);
	struct reply *zip = zip_call(w, "long", "long.zip");
	waits_for_files(w, 2); /* it has begun */
	struct reply *r = whole_call(w, "WorkloadInfo", "", 0);
	fake_says(tool(w, FAKE_VERSION), OK, &(struct slurm_tools_told){ .version = "24.11.5" });
	ends(r, GRPC_OK, "");
	assert_int_equal(grpc_server_under_way(w->server), 1);
	client_cancel(zip);
	waits_for_files(w, 1);
}

/* More than run at a time: those that wait in line end, too. */
/* Acceptance: red-box-17 */
static void archives_end_with_their_clients(void **state)
{
	enum { MANY = 8 };
	struct world *w = *state;
	struct reply *calls[MANY];
	given_a_long_file(w);
	for (int i = 0; i < MANY; i++) {
		char target[16];
		snprintf(target, sizeof(target), "%d.zip", i);
		calls[i] = zip_call(w, "long", target);
	}
	waits_for_files(w, 1 + ARCHIVES_AT_ONCE);
	for (int i = 0; i < MANY; i++)
		client_cancel(calls[i]);
	waits_for_files(w, 1);
	assert_int_equal(grpc_server_under_way(w->server), 0);
}

static void the_end_of_the_server_ends_archives(void **state)
{
	struct world *w = *state;
	given_a_long_file(w);
	zip_call(w, "long", "long.zip");
	waits_for_files(w, 2);
	restart(w, 0);
	waits_for_files(w, 1);
}

static void what_cannot_be_done_is_said(void **state)
{
	struct world *w = *state;
	ends(zip_call(w, "none", "x.zip"), GRPC_NOT_FOUND, "packing none: opening none");
	ends(zip_call(w, "/etc", "x.zip"), GRPC_PERMISSION_DENIED, "/etc");
	folder_put(&w->folder, "files/in.zip", "w", "this is none");
	ends(unzip_call(w, "in.zip", "out"), GRPC_INVALID_ARGUMENT,
		"unpacking in.zip: Not a zip archive");
	ends(whole_call(w, "Unzip", "\xff", 1), GRPC_INVALID_ARGUMENT, "no UnzipRequest");
	struct reply *r = client_call(w->client, "/api.WorkloadManager/Zip", NULL);
	client_end(r);
	ends(r, GRPC_INVALID_ARGUMENT, "no message came");
	given_a_long_file(w);
	r = call(w, "Zip", "\x0a\x04long\x12\x01x", 9);
	client_send(r, "\x0a\x04long\x12\x01x", 9);
	ends(r, GRPC_INVALID_ARGUMENT, "a second message came");
	waits_for_files(w, 2);
}

#define ARCHIVE_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_service, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ARCHIVE_TEST(a_tree_is_zipped_and_unzipped),
		ARCHIVE_TEST(other_calls_do_not_wait_for_an_archive),
		ARCHIVE_TEST(archives_end_with_their_clients),
		ARCHIVE_TEST(the_end_of_the_server_ends_archives),
		ARCHIVE_TEST(what_cannot_be_done_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
