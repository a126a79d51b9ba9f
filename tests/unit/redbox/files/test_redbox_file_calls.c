/* SPDX-License-Identifier: Apache-2.0 */
/* OpenFile and CreateFile as a client sees them. */
#include "lib/redbox_world.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include "net/work.h"
#include "wlm/wlm.pb-c.h"

enum { DESCRIPTORS = 80 };

/* ---- files ---- */

static struct reply *path_call(struct world *w, const char *method, const char *path)
{
	PACKED(Api__OpenFileRequest, API__OPEN_FILE_REQUEST__INIT,
		m_.path = (char *)(uintptr_t)path);
	struct reply *r = call(w, method, request.text, request.len);
	str_free(&request);
	return r;
}

static struct reply *tail_call(struct world *w, const char *path)
{
	PACKED(Api__TailFileRequest, API__TAIL_FILE_REQUEST__INIT,
		m_.path = (char *)(uintptr_t)path);
	struct reply *r = call(w, "TailFile", request.text, request.len);
	str_free(&request);
	return r;
}

/* Asserts the bytes of the chunks, without the field around each. */
static void holds(struct reply *r, const char *text)
{
	struct str all = { 0 };
	for (size_t i = 0; i < reply_messages(r); i++) {
		size_t n;
		const void *bytes = reply_message(r, i, &n);
		Api__Chunk *c = api__chunk__unpack(NULL, n, bytes);
		assert_non_null(c);
		str_add_bytes(&all, c->content.data, c->content.len);
		api__chunk__free_unpacked(c, NULL);
	}
	assert_int_equal(all.len, strlen(text));
	assert_memory_equal(str_text(&all), text, all.len);
	str_free(&all);
}

/* Acceptance: red-box-8, word-26 */
static void a_file_is_read_to_its_end(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str large = { 0 };
	for (int i = 0; i < 100000; i++)
		str_addf(&large, "%09d\n", i);
	folder_put(&w->folder, "files/large", "w", str_text(&large));
	folder_put(&w->folder, "files/empty", "w", "");
	struct reply *r = path_call(w, "OpenFile", "large");
	client_end(r);
	ends(r, GRPC_OK, "");
	holds(r, str_text(&large));
	assert_int_equal(reply_messages(r), (large.len + PIECE_BYTES - 1) / PIECE_BYTES);
	r = path_call(w, "OpenFile", folder_path(&w->folder, "files/empty"));
	ends(r, GRPC_OK, "");
	assert_int_equal(reply_messages(r), 0);
}

static struct reply *open_call(struct world *w, const char *path, int64_t offset)
{
	PACKED(Api__OpenFileRequest, API__OPEN_FILE_REQUEST__INIT,
		m_.path = (char *)(uintptr_t)path, m_.offset = offset);
	struct reply *r = whole_call(w, "OpenFile", request.text, request.len);
	str_free(&request);
	return r;
}

static void a_file_is_read_from_an_offset(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "files/out", "w", "hello");
	struct reply *r = open_call(w, "out", 2);
	ends(r, GRPC_OK, "");
	holds(r, "llo");
	r = open_call(w, "out", 5);
	ends(r, GRPC_OK, "");
	holds(r, "");
	ends(open_call(w, "out", 6), GRPC_INVALID_ARGUMENT,
		"out has 5 bytes, and the offset should be from 0 to that, not 6");
	ends(open_call(w, "out", -1), GRPC_INVALID_ARGUMENT, "not -1");
}

/* Acceptance: red-box-8, word-26 */
static void what_is_no_file_of_ours_is_not_read(void **state)
{
	struct world *w = *state;
	ends(path_call(w, "OpenFile", "none"), GRPC_NOT_FOUND, "none");
	ends(path_call(w, "OpenFile", "/etc/passwd"), GRPC_PERMISSION_DENIED, "/etc/passwd");
	ends(path_call(w, "OpenFile", "."), GRPC_INVALID_ARGUMENT, "no regular file");
	ends(call(w, "OpenFile",
		     "\x0a\x02"
		     "a\0",
		     4),
		GRPC_INVALID_ARGUMENT, "NUL byte");
}

static void a_file_is_made(void **state)
{
	struct world *w = *state;
	struct reply *r = path_call(w, "CreateFile", "in/put");
	client_send(r,
		"\x12\x03"
		"one",
		5);
	client_send(r,
		"\x12\x03"
		"two",
		5);
	client_end(r);
	answers(r, "", 0);
	AUTO(own_free) char *text = folder_get(&w->folder, "files/in/put");
	assert_string_equal(text, "onetwo");
}

/* SHA-256 of "onetwo" */
#define SUM                                                                \
	"\x25\xb6\x74\x6d\x51\x72\xed\x63\x52\x96\x6a\x01\x3d\x93\xac\x84" \
	"\x6e\x11\x10\xd5\xa2\x5e\x8f\x18\x3b\x59\x31\xf4\x68\x88\x42\xa1"

static struct reply *put_of(struct world *w, const char *text)
{
	static const char head[] = "\x0a\x03put\x18\xe8\x03\x22\x20" SUM; /* mode 0750 */
	struct reply *r = call(w, "CreateFile", head, sizeof(head) - 1);
	AUTO(str_free) struct str content = { 0 };
	str_addf(&content, "\x12%c%s", (int)strlen(text), text);
	client_send(r, str_text(&content), content.len);
	client_end(r);
	return r;
}

/* Acceptance: input-8 */
static void a_file_is_made_only_with_the_checksum_that_was_said(void **state)
{
	struct world *w = *state;
	struct stat st;
	ends(put_of(w, "onetw"), GRPC_ABORTED, "another checksum");
	assert_int_equal(folder_count(&w->folder, "files"), 0);
	answers(put_of(w, "onetwo"), "", 0);
	assert_int_equal(stat(folder_path(&w->folder, "files/put"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	/* what is there stays when the next one is none */
	ends(put_of(w, "other"), GRPC_ABORTED, "another checksum");
	AUTO(own_free) char *text = folder_get(&w->folder, "files/put");
	assert_string_equal(text, "onetwo");
	ends(call(w, "CreateFile", "\x0a\x03put\x22\x01x", 8), GRPC_INVALID_ARGUMENT,
		"sha256 has 1 bytes");
}

/* ---- beside the loop ---- */

struct blocked {
	struct work *works[4];
	int left;
};

static void until_stopped(void *ctx, const atomic_bool *stop)
{
	(void)ctx;
	while (!atomic_load(stop))
		sched_yield();
}

static void unblocked(void *ctx) { ((struct blocked *)ctx)->left--; }

/* Both take seconds for a gigabyte, in which no other client would be served. */
static void a_file_is_summed_and_synced_beside_the_loop(void **state)
{
	struct world *w = *state;
	struct blocked b = { .left = LENGTH(b.works) };
	folder_put(&w->folder, "files/other", "w", "hello");
	for (size_t i = 0; i < LENGTH(b.works); i++) /* each thread */
		b.works[i] = work_start(w->loop, until_stopped, unblocked, &b);
	struct reply *made = put_of(w, "onetwo"), *read = path_call(w, "OpenFile", "other");
	client_end(read);
	ends(read, GRPC_OK, "");
	holds(read, "hello");
	assert_int_equal(grpc_server_under_way(w->server), 1); /* it waits for a thread */
	for (size_t i = 0; i < LENGTH(b.works); i++)
		work_stop(b.works[i]);
	answers(made, "", 0);
	for (int i = 0; i < 1000 && b.left; i++)
		client_turn(w->client);
	assert_int_equal(b.left, 0);
}

/* The file is being written down already. */
static void a_client_may_leave_while_its_file_is_written_down(void **state)
{
	struct world *w = *state;
	struct blocked b = { .left = LENGTH(b.works) };
	for (size_t i = 0; i < LENGTH(b.works); i++)
		b.works[i] = work_start(w->loop, until_stopped, unblocked, &b);
	struct reply *made = put_of(w, "onetwo");
	for (int i = 0; i < 100; i++)
		client_turn(w->client);
	client_cancel(made);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	for (size_t i = 0; i < LENGTH(b.works); i++)
		work_stop(b.works[i]);
	for (int i = 0; i < 1000 && (b.left || folder_count(&w->folder, "files")); i++)
		client_turn(w->client);
	assert_int_equal(folder_count(&w->folder, "files"), 0);
}

/* ---- checksums ---- */

enum { LONG_BYTES = 2000000000 };

static struct reply *sum_call(struct world *w, const char *path)
{
	PACKED(Api__FileChecksumRequest, API__FILE_CHECKSUM_REQUEST__INIT,
		m_.path = (char *)(uintptr_t)path);
	struct reply *r = whole_call(w, "FileChecksum", request.text, request.len);
	str_free(&request);
	return r;
}

/* Long checksums take seconds each, or hours. */
static void long_checksums_hold_up_neither_lists_nor_short_ones(void **state)
{
	enum { MANY = 8 };
	struct world *w = *state;
	struct reply *sums[MANY];
	folder_put(&w->folder, "files/short", "w", "hello");
	folder_put(&w->folder, "files/long", "w", "");
	assert_int_equal(truncate(folder_path(&w->folder, "files/long"), LONG_BYTES), 0);
	for (int i = 0; i < MANY; i++)
		sums[i] = sum_call(w, "long");
	PACKED(Api__ListFilesRequest, API__LIST_FILES_REQUEST__INIT,
		m_.path = (char *)(uintptr_t)".");
	ends(whole_call(w, "ListFiles", request.text, request.len), GRPC_OK, "");
	str_free(&request);
	ends(sum_call(w, "short"), GRPC_OK, "");
	assert_int_equal(grpc_server_under_way(w->server), MANY); /* not one has ended */
	for (int i = 0; i < MANY; i++)
		client_cancel(sums[i]);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
}

static void a_file_whose_client_leaves_is_not_made(void **state)
{
	struct world *w = *state;
	struct reply *r = path_call(w, "CreateFile", "put");
	client_send(r,
		"\x12\x03"
		"one",
		5);
	for (int i = 0; i < 1000 && folder_count(&w->folder, "files") == 0; i++)
		client_turn(w->client);
	client_cancel(r);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	assert_int_equal(folder_count(&w->folder, "files"), 0);
	ends(path_call(w, "CreateFile", "../put"), GRPC_INVALID_ARGUMENT, "..");
}

/* A file may grow to so many bytes: as on a disk that is full. */
static void room_for(rlim_t bytes)
{
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY }), 0);
}

/* Acceptance: red-box-18 */
static void a_file_that_does_not_fit_ends_its_call_only(void **state)
{
	struct world *w = *state;
	signal(SIGXFSZ, SIG_IGN);
	struct reply *r = path_call(w, "CreateFile", "put");
	room_for(2);
	client_send(r,
		"\x12\x03"
		"one",
		5);
	ends(r, GRPC_RESOURCE_EXHAUSTED, "put");
	room_for(RLIM_INFINITY);
	for (int i = 0; i < 1000 && grpc_server_under_way(w->server); i++)
		client_turn(w->client);
	assert_int_equal(folder_count(&w->folder, "files"), 0);
	r = path_call(w, "CreateFile", "put");
	client_end(r);
	answers(r, "", 0);
}

/* 80 descriptors leave room for 40 files, of which one client has half. */
static void restart_with_few_descriptors(struct world *w, struct rlimit *before)
{
	assert_int_equal(getrlimit(RLIMIT_NOFILE, before), 0);
	const struct rlimit few = { DESCRIPTORS, before->rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	restart(w, 0);
	for (int i = 0; i < DESCRIPTORS / 4; i++) /* wait for a file that never comes */
		tail_call(w, "none");
}

/* Acceptance: red-box-22 */
static void files_leave_descriptors_for_slurms_tools(void **state)
{
	struct world *w = *state;
	struct rlimit before;
	restart_with_few_descriptors(w, &before);
	ends(tail_call(w, "none"), GRPC_RESOURCE_EXHAUSTED, "too many files are open for you");
	assert_int_equal(grpc_server_under_way(w->server), DESCRIPTORS / 4);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Acceptance: vnode-18 */
static void the_files_of_a_client_leave_room_for_others(void **state)
{
	struct world *w = *state;
	struct rlimit before;
	if (geteuid() != 0)
		skip();
	restart_with_few_descriptors(w, &before);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	for (int i = 0; i < DESCRIPTORS; i++)
		tail_call(w, "none");
	struct grpc_client *mine = w->client, *other = another_user(w);
	w->client = other;
	ends(path_call(w, "OpenFile", "none"), GRPC_NOT_FOUND, "none");
	w->client = mine;
	ends(tail_call(w, "none"), GRPC_RESOURCE_EXHAUSTED, "too many files are open for you");
	client_close(other);
}

/* Pieces get smaller for the client with many files, and for no other. */
/* Acceptance: vnode-18 */
static void many_files_of_a_client_leave_the_pieces_of_others_large(void **state)
{
	enum { MANY = 400, BYTES = 60000 };
	struct world *w = *state;
	if (geteuid() != 0)
		skip();
	AUTO(own_free) char *large = own_alloc(BYTES + 1);
	memset(large, 'x', BYTES);
	folder_put(&w->folder, "files/large", "w", large);
	for (int i = 0; i < MANY; i++)
		tail_call(w, "none");
	struct reply *r = path_call(w, "OpenFile", "large");
	client_end(r);
	ends(r, GRPC_OK, "");
	assert_in_range(reply_messages(r), BYTES * MANY / FILES_BYTES, BYTES);
	struct grpc_client *mine = w->client, *other = another_user(w);
	w->client = other;
	r = path_call(w, "OpenFile", "large");
	client_end(r);
	ends(r, GRPC_OK, "");
	assert_int_equal(reply_messages(r), 1);
	w->client = mine;
	client_close(other);
}

#define CALLS_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_service, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALLS_TEST(a_file_is_read_to_its_end),
		CALLS_TEST(a_file_is_read_from_an_offset),
		CALLS_TEST(what_is_no_file_of_ours_is_not_read),
		CALLS_TEST(a_file_is_made),
		CALLS_TEST(a_file_is_made_only_with_the_checksum_that_was_said),
		CALLS_TEST(a_file_is_summed_and_synced_beside_the_loop),
		CALLS_TEST(a_client_may_leave_while_its_file_is_written_down),
		CALLS_TEST(long_checksums_hold_up_neither_lists_nor_short_ones),
		CALLS_TEST(a_file_whose_client_leaves_is_not_made),
		CALLS_TEST(a_file_that_does_not_fit_ends_its_call_only),
		CALLS_TEST(files_leave_descriptors_for_slurms_tools),
		CALLS_TEST(the_files_of_a_client_leave_room_for_others),
		CALLS_TEST(many_files_of_a_client_leave_the_pieces_of_others_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
