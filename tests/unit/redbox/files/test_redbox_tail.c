/* SPDX-License-Identifier: Apache-2.0 */
/* TailFile: a file as it grows, until its client has heard enough. */
#include "lib/tail_world.h"

static int descriptors(void)
{
	int n = 0;
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- as it grows ---- */

/* Acceptance: red-box-8, red-box-22, word-27 */
static void what_is_added_comes(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "one\n");
	struct reply *r = tail(w, folder_path(&w->folder, "f"));
	hears(r, "one\n");
	folder_put(&w->folder, "f", "a", "two\nhalf a li");
	hears(r, "one\ntwo\nhalf a li");
	folder_put(&w->folder, "f", "a", "ne\n");
	hears(r, "one\ntwo\nhalf a line\n");
	say(r, "", true);
	ends(r, 0, "");
	hears(r, "one\ntwo\nhalf a line\n");
}

/* A writer of a line a second is followed line by line, until the client leaves. */
/* Acceptance: word-27 */
static void each_write_comes_once(void **state)
{
	enum { WRITES = 10 };
	struct world *w = *state;
	AUTO(str_free) struct str all = { 0 };
	folder_put(&w->folder, "f", "w", "");
	struct reply *r = tail(w, "f");
	for (int i = 0; i < WRITES; i++) {
		folder_put(&w->folder, "f", "a", "test\n");
		str_add(&all, "test\n");
		hears(r, str_text(&all));
	}
	assert_int_equal(reply_messages(r), WRITES);
	client_cancel(r);
	while (grpc_server_under_way(w->server))
		client_turn(w->client);
	assert_int_equal(reply_messages(r), WRITES);
}

static void a_file_that_is_not_there_is_waited_for(void **state)
{
	struct world *w = *state;
	struct reply *r = tail(w, "d/f");
	for (int i = 0; i < 3; i++)
		client_turn(w->client);
	assert_int_equal(mkdir(folder_path(&w->folder, "d"), 0755), 0);
	folder_put(&w->folder, "d/f", "w", "here");
	hears(r, "here");
	client_end(r);
	ends(r, 0, "");
}

/* Acceptance: red-box-22 */
static void half_closing_reads_to_the_end(void **state)
{
	struct world *w = *state;
	struct str large AUTO(str_free) = { 0 };
	for (int i = 0; i < 50000; i++)
		str_addf(&large, "%09d\n", i);
	folder_put(&w->folder, "f", "w", str_text(&large));
	struct reply *r = tail(w, "f");
	client_end(r);
	ends(r, 0, "");
	hears(r, str_text(&large));
}

/* Acceptance: red-box-22 */
static void the_first_message_may_say_to_the_end(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "all");
	struct reply *r = client_call(w->client, "/api.WorkloadManager/TailFile", NULL);
	say(r, "f", true);
	ends(r, 0, "");
	hears(r, "all");
}

static void other_messages_change_nothing(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "one");
	struct reply *r = tail(w, "f");
	say(r, "f", false);
	say(r, "", false);
	hears(r, "one");
	folder_put(&w->folder, "f", "a", "two");
	say(r, "f", true);
	ends(r, 0, "");
	hears(r, "onetwo");
}

/* Acceptance: red-box-23 */
static void a_truncated_file_begins_anew(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "long text");
	struct reply *r = tail(w, "f");
	hears(r, "long text");
	folder_put(&w->folder, "f", "w", "new");
	hears(r, "long textnew");
	client_end(r);
	ends(r, 0, "");
}

/* Acceptance: red-box-23 */
static void another_file_in_its_place_begins_anew(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "old");
	struct reply *r = tail(w, "f");
	hears(r, "old");
	folder_put(&w->folder, "f", "a", " end");
	folder_put(&w->folder, "g", "w", "a longer text");
	assert_int_equal(rename(folder_path(&w->folder, "g"), folder_path(&w->folder, "f")), 0);
	hears(r, "old enda longer text");
	assert_int_equal(unlink(folder_path(&w->folder, "f")), 0);
	client_end(r);
	ends(r, 0, "");
	hears(r, "old enda longer text");
}

/* ---- what goes wrong ---- */

static void what_is_not_to_be_read_is_refused(void **state)
{
	struct world *w = *state;
	assert_int_equal(mkfifo(folder_path(&w->folder, "fifo"), 0600), 0);
	ends(tail(w, "fifo"), GRPC_INVALID_ARGUMENT, "no regular file");
	ends(tail(w, "/etc/passwd"), GRPC_PERMISSION_DENIED, "");
	ends(tail(w, "../f"), GRPC_PERMISSION_DENIED, "");
	ends(tail(w, ""), GRPC_INVALID_ARGUMENT, "no path");
	struct reply *r = client_call(w->client, "/api.WorkloadManager/TailFile", NULL);
	client_end(r);
	ends(r, GRPC_INVALID_ARGUMENT, "no message");
	r = tail(w, "none");
	client_end(r);
	ends(r, GRPC_NOT_FOUND, "none");
}

/* Acceptance: red-box-18 */
static void a_file_that_turns_into_something_else_ends_the_tail(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "one");
	struct reply *r = tail(w, "f");
	hears(r, "one");
	assert_int_equal(unlink(folder_path(&w->folder, "f")), 0);
	assert_int_equal(symlink("/etc/passwd", folder_path(&w->folder, "f")), 0);
	ends(r, GRPC_PERMISSION_DENIED, "leads out");
}

/* The queued bytes come when it wakes up: the file has nothing more then. */
/* Acceptance: red-box-22 */
static void for_a_reader_that_sleeps_one_piece_waits(void **state)
{
	struct world *w = *state;
	struct str large AUTO(str_free) = { 0 };
	for (int i = 0; i < 200000; i++)
		str_addf(&large, "%09d\n", i);
	folder_put(&w->folder, "f", "w", str_text(&large));
	w->client->reads_nothing = true;
	struct reply *r = tail(w, "f");
	while (r->bytes.len < PIECE_BYTES / 2)
		client_turn(w->client);
	for (int i = 0; i < 50; i++) {
		say(r, "", true);
		client_turn(w->client);
	}
	assert_int_equal(grpc_server_under_way(w->server), 1);
	folder_put(&w->folder, "f", "w", "");
	w->client->reads_nothing = false;
	nghttp2_session_consume(w->client->session, r->stream, r->bytes.len);
	ends(r, 0, "");
	assert_in_range(r->bytes.len, PIECE_BYTES, 2 * PIECE_BYTES);
}

/* Acceptance: red-box-22 */
static void many_tails_leave_no_descriptor(void **state)
{
	enum { TAILS = 60, TIMES = 5 };
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "x");
	client_turn(w->client);
	int before = descriptors();
	for (int time = 0; time < TIMES; time++) {
		struct reply *tails[TAILS];
		for (int i = 0; i < TAILS; i++)
			tails[i] = tail(w, "f");
		for (int i = 0; i < TAILS; i++)
			hears(tails[i], "x");
		assert_in_range(descriptors(), before + TAILS, before + TAILS + 1);
		for (int i = 0; i < TAILS; i++)
			client_cancel(tails[i]);
		while (grpc_server_under_way(w->server))
			client_turn(w->client);
		assert_int_equal(descriptors(), before);
	}
}

/* The clients may all be asleep. */
/* Acceptance: red-box-22 */
static void many_tails_share_what_may_wait(void **state)
{
	enum { TAILS = 199 };
	struct world *w = *state;
	struct str large AUTO(str_free) = { 0 };
	size_t n;
	while (large.len < 2 * PIECE_BYTES)
		str_add(&large, "line\n");
	folder_put(&w->folder, "small", "w", "x");
	folder_put(&w->folder, "large", "w", str_text(&large));
	struct reply *r = tail(w, "large");
	hears(r, str_text(&large));
	reply_message(r, 0, &n);
	assert_in_range(n, PIECE_BYTES, PIECE_BYTES + 16);
	for (int i = 1; i < TAILS; i++)
		hears(tail(w, "small"), "x");
	r = tail(w, "large");
	hears(r, str_text(&large));
	for (size_t i = 0; i < reply_messages(r); i++) {
		reply_message(r, i, &n);
		assert_in_range(n, 1, FILES_BYTES / (TAILS + 1) + 16);
	}
}

/* Acceptance: red-box-24 */
static void the_end_of_the_service_ends_tails(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "x");
	struct reply *r = tail(w, "f"), *waiting = tail(w, "none");
	hears(r, "x");
	grpc_server_finish(w->server);
	service_finish(w->service);
	ends(r, GRPC_UNAVAILABLE, "tail the file again");
	ends(waiting, GRPC_UNAVAILABLE, "tail the file again");
	assert_int_equal(grpc_server_under_way(w->server), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TAIL_TEST(what_is_added_comes),
		TAIL_TEST(each_write_comes_once),
		TAIL_TEST(a_file_that_is_not_there_is_waited_for),
		TAIL_TEST(half_closing_reads_to_the_end),
		TAIL_TEST(the_first_message_may_say_to_the_end),
		TAIL_TEST(other_messages_change_nothing),
		TAIL_TEST(a_truncated_file_begins_anew),
		TAIL_TEST(another_file_in_its_place_begins_anew),
		TAIL_TEST(what_is_not_to_be_read_is_refused),
		TAIL_TEST(a_file_that_turns_into_something_else_ends_the_tail),
		TAIL_TEST(for_a_reader_that_sleeps_one_piece_waits),
		TAIL_TEST(many_tails_leave_no_descriptor),
		TAIL_TEST(many_tails_share_what_may_wait),
		TAIL_TEST(the_end_of_the_service_ends_tails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
