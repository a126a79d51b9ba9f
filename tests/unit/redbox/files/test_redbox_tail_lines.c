/* SPDX-License-Identifier: Apache-2.0 */
/* TailLines: the last lines of a file, which is never read as a whole. */
#include "lib/tail_world.h"

/* Acceptance: log-2 */
static void the_last_lines_come(void **state)
{
	static const struct {
		const char *text;
		int64_t lines;
		const char *wanted;
	} rows[] = {
		{ "one\ntwo\nthree\n", 2, "two\nthree\n" },
		{ "one\ntwo\nhalf", 1, "half" },
		{ "one\n", 20, "one\n" },
		{ "one\n", 0, "" },
		{ "", 5, "" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		folder_put(&w->folder, "f", "w", rows[i].text);
		struct reply *r = tail_lines(w, "f", rows[i].lines, false);
		ends(r, 0, "");
		hears(r, rows[i].wanted);
		r = tail_lines(w, folder_path(&w->folder, "f"), rows[i].lines, true);
		hears(r, rows[i].wanted);
		client_end(r);
		ends(r, 0, "");
		hears(r, rows[i].wanted);
	}
}

/* Acceptance: log-2 */
static void what_is_added_comes_behind_the_last_lines(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "one\ntwo\n");
	struct reply *r = tail_lines(w, "f", 1, true), *none = tail_lines(w, "f", 0, true);
	hears(r, "two\n");
	while (!reply_messages(none))
		client_turn(w->client);
	folder_put(&w->folder, "f", "a", "three\n");
	hears(r, "two\nthree\n");
	hears(none, "three\n");
	say(r, "", true);
	ends(r, 0, "");
	hears(r, "two\nthree\n");
}

static void given_large(struct world *w, const char *name, off_t bytes, const char *end)
{
	folder_put(&w->folder, name, "w", "");
	assert_int_equal(truncate(folder_path(&w->folder, name), bytes), 0);
	folder_put(&w->folder, name, "a", end);
}

/* Bytes that this process has read, sockets included. */
static int64_t bytes_read(void)
{
	long long n = -1;
	FILE *io = fopen("/proc/self/io", "r");
	assert_non_null(io);
	assert_int_equal(fscanf(io, "rchar: %lld", &n), 1);
	fclose(io);
	return n;
}

/* Acceptance: log-2 */
static void the_beginning_of_a_large_file_is_not_read(void **state)
{
	struct world *w = *state;
	given_large(w, "f", (off_t)5 << 30, "\none\ntwo\n");
	int64_t before = bytes_read();
	struct reply *r = tail_lines(w, "f", 2, false);
	ends(r, 0, "");
	hears(r, "one\ntwo\n");
	assert_in_range(r->bytes.len, 8, 100);
	assert_in_range(bytes_read() - before, 1, 200000);
}

/* The search takes many turns: others are served, and the call may end. */
/* Acceptance: log-2 */
static void a_long_search_stops_nobody(void **state)
{
	struct world *w = *state;
	given_large(w, "f", (off_t)1 << 40, "\none\n");
	folder_put(&w->folder, "g", "w", "small\n");
	struct reply *r = tail_lines(w, "f", 3, false);
	while (!reply_messages(r)) /* the empty one: it has begun */
		client_turn(w->client);
	struct reply *other = tail_lines(w, "g", 1, false);
	ends(other, 0, "");
	hears(other, "small\n");
	assert_false(r->closed);
	client_cancel(r);
	while (grpc_server_under_way(w->server))
		client_turn(w->client);
}

/* Acceptance: log-2 */
static void a_file_that_shrinks_during_the_search_is_an_error(void **state)
{
	struct world *w = *state;
	given_large(w, "f", (off_t)1 << 40, "\none\n");
	struct reply *r = tail_lines(w, "f", 3, false), *follows = tail_lines(w, "f", 3, true);
	while (!reply_messages(r) || !reply_messages(follows))
		client_turn(w->client);
	folder_put(&w->folder, "f", "w", "new\n");
	ends(r, GRPC_ABORTED, "became shorter while it was read: read it again");
	hears(follows, "new\n"); /* as of a tail: from its beginning */
	client_end(follows);
	ends(follows, 0, "");
}

/* The open file is read: no line of its replacement is among the lines. */
/* Acceptance: log-2 */
static void a_file_that_is_replaced_is_read_to_its_end(void **state)
{
	struct world *w = *state;
	AUTO(str_free) struct str large = { 0 };
	while (large.len < 20 * PIECE_BYTES)
		str_add(&large, "old\n");
	folder_put(&w->folder, "f", "w", str_text(&large));
	w->client->reads_nothing = true;
	struct reply *r = tail_lines(w, "f", INT64_MAX, false);
	while (r->bytes.len < PIECE_BYTES / 2)
		client_turn(w->client);
	folder_put(&w->folder, "f", "a", "appended\n");
	folder_put(&w->folder, "g", "w", "new\n");
	assert_int_equal(rename(folder_path(&w->folder, "g"), folder_path(&w->folder, "f")), 0);
	w->client->reads_nothing = false;
	nghttp2_session_consume(w->client->session, r->stream, r->bytes.len);
	ends(r, 0, "");
	hears(r, str_text(&large));
}

/* Acceptance: log-2 */
static void a_file_that_comes_later_is_sent_from_its_beginning(void **state)
{
	struct world *w = *state;
	ends(tail_lines(w, "none", 1, false), GRPC_NOT_FOUND, "none");
	struct reply *r = tail_lines(w, "late", 1, true);
	while (!reply_messages(r))
		client_turn(w->client);
	for (int i = 0; i < 3; i++)
		client_turn(w->client);
	folder_put(&w->folder, "late", "w", "one\ntwo\n");
	hears(r, "one\ntwo\n");
	client_end(r);
	ends(r, 0, "");
}

/* Acceptance: log-2 */
static void wrong_calls_for_last_lines_are_refused(void **state)
{
	struct world *w = *state;
	folder_put(&w->folder, "f", "w", "one\n");
	ends(tail_lines(w, "f", -1, false), GRPC_INVALID_ARGUMENT, "lines should be 0 or more");
	ends(tail_lines(w, "", 1, false), GRPC_INVALID_ARGUMENT, "no path");
	ends(tail_lines(w, "/etc/passwd", 1, true), GRPC_PERMISSION_DENIED, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TAIL_TEST(the_last_lines_come),
		TAIL_TEST(what_is_added_comes_behind_the_last_lines),
		TAIL_TEST(the_beginning_of_a_large_file_is_not_read),
		TAIL_TEST(a_long_search_stops_nobody),
		TAIL_TEST(a_file_that_shrinks_during_the_search_is_an_error),
		TAIL_TEST(a_file_that_is_replaced_is_read_to_its_end),
		TAIL_TEST(a_file_that_comes_later_is_sent_from_its_beginning),
		TAIL_TEST(wrong_calls_for_last_lines_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
