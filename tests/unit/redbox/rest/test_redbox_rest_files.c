/* SPDX-License-Identifier: Apache-2.0 */
/* Files by REST: /open and /tail, within the folders that clients may see. */
#include "lib/rest_world.h"

/* The chunks of an answer without a length, so far. */
static const char *streamed(const struct raw *c, struct str *out)
{
	const char *at = strstr(str_text(&c->got), "\r\n\r\n");
	str_clear(out);
	for (at = at ? at + 4 : NULL; at && *at;) {
		char *end;
		size_t n = strtoul(at, &end, 16);
		if (!n || strncmp(end, "\r\n", 2) != 0 || strlen(end + 2) < n)
			break;
		str_add_bytes(out, end + 2, n);
		at = end + 2 + n + 2;
	}
	return str_text(out);
}

static void streams(struct raw *c, const char *text)
{
	AUTO(str_free) struct str all = { 0 };
	while (strlen(streamed(c, &all)) < strlen(text) && !c->ended) {
		raw_turn(c->loop);
		raw_read(c);
	}
	assert_true(str_has_prefix(str_text(&c->got), "HTTP/1.1 200 "));
	assert_string_equal(str_text(&all), text);
}

/* ---- /open ---- */

static void a_file_comes_as_it_is(void **state)
{
	struct rest_world *r = *state;
	folder_put(&r->w->folder, "files/f", "w", "one\ntwo");
	struct raw *c = asks(r, GET("/open?path=f"));
	streams(c, "one\ntwo");
	raw_wait(c, "\r\n0\r\n\r\n");
	char request[400];
	snprintf(request, sizeof(request), GET("/open?path=%s"),
		folder_path(&r->w->folder, "files/f"));
	streams(asks(r, request), "one\ntwo");
	streams(asks(r, GET("/open?a=b&path=%66")), "one\ntwo");
	folder_put(&r->w->folder, "files/none", "w", "");
	c = asks(r, GET("/open?path=none"));
	raw_wait(c, "\r\n\r\n0\r\n\r\n");
}

static void a_long_file_comes_whole(void **state)
{
	AUTO(str_free) struct str text = { 0 };
	struct rest_world *r = *state;
	while (text.len < 3 * PIECE_BYTES)
		str_addf(&text, "line %zu\n", text.len);
	folder_put(&r->w->folder, "files/f", "w", str_text(&text));
	struct raw *c = asks(r, GET("/open?path=f"));
	raw_wait(c, "\r\n0\r\n\r\n");
	streams(c, str_text(&text));
}

/* Acceptance: red-box-43 */
static void a_missing_file_is_404_and_empty(void **state)
{
	struct rest_world *r = *state;
	is_answered(asks(r, GET("/open?path=none")), 404, "");
	is_answered(asks(r, GET("/open?path=no/such/folder")), 404, "");
}

static void a_path_is_needed(void **state)
{
	struct rest_world *r = *state;
	static const char *const requests[] = { GET("/open"), GET("/open?path="), GET("/open?p=f"),
		GET("/tail"), GET("/tail?path="), GET("/tail?path") };
	for (size_t i = 0; i < LENGTH(requests); i++)
		is_refused(asks(r, requests[i]), 400, "no path query parameter is found");
}

/* Neither "..", nor an absolute path, nor a link leads out of the folders. */
/* Acceptance: red-box-45 */
static void no_path_leads_out(void **state)
{
	static const char *const paths[] = { "../out", "a/../../out", "/etc/passwd", "link",
		"%2e%2e/out", "..%2fout", "/", "" };
	struct rest_world *r = *state;
	folder_put(&r->w->folder, "out", "w", "secret");
	assert_int_equal(symlink("../out", folder_path(&r->w->folder, "files/link")), 0);
	assert_int_equal(mkdir(folder_path(&r->w->folder, "files/a"), 0755), 0);
	for (size_t i = 0; *paths[i]; i++)
		for (int tail = 0; tail < 2; tail++) {
			char request[128];
			snprintf(request, sizeof(request), GET("/%s?path=%s"),
				tail ? "tail" : "open", paths[i]);
			struct raw *c = asks(r, request);
			raw_wait(c, "\r\n\r\n");
			if (!str_has_prefix(str_text(&c->got), "HTTP/1.1 500 ") ||
				strstr(str_text(&c->got), "secret"))
				fail_msg("%s: %s", request, str_text(&c->got));
		}
}

/* A folder and a FIFO are no files: nothing waits for them. */
static void only_files_are_opened(void **state)
{
	struct rest_world *r = *state;
	assert_int_equal(mkfifo(folder_path(&r->w->folder, "files/fifo"), 0644), 0);
	raw_wait(asks(r, GET("/open?path=fifo")), "HTTP/1.1 500 ");
	raw_wait(asks(r, GET("/tail?path=fifo")), "HTTP/1.1 500 ");
	raw_wait(asks(r, GET("/open?path=.")), "HTTP/1.1 500 ");
}

/* ---- /tail ---- */

static void a_file_is_followed(void **state)
{
	struct rest_world *r = *state;
	folder_put(&r->w->folder, "files/f", "w", "one\n");
	struct raw *c = asks(r, GET("/tail?path=f"));
	streams(c, "one\n");
	folder_put(&r->w->folder, "files/f", "a", "two, not ended");
	streams(c, "one\ntwo, not ended");
	assert_false(c->ended);
	assert_int_equal(rest_under_way(r->rest), 1);
	raw_close(c);
	while (rest_under_way(r->rest))
		raw_turn(r->w->loop);
}

/* The head comes at once: the original's client waits for it. */
/* Acceptance: red-box-43 */
static void a_file_that_is_not_there_is_waited_for(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = asks(r, GET("/tail?path=f"));
	raw_wait(c, "\r\n\r\n");
	assert_true(str_has_prefix(str_text(&c->got), "HTTP/1.1 200 "));
	folder_put(&r->w->folder, "files/f", "w", "it came\n");
	streams(c, "it came\n");
}

static void a_new_file_is_sent_from_its_beginning(void **state)
{
	struct rest_world *r = *state;
	folder_put(&r->w->folder, "files/f", "w", "a long line\n");
	struct raw *c = asks(r, GET("/tail?path=f"));
	streams(c, "a long line\n");
	folder_put(&r->w->folder, "files/f", "w", "new\n");
	streams(c, "a long line\nnew\n");
}

/* Not as a stream that has ended: its client would take it for all of the output. */
static void the_end_of_red_box_breaks_a_tail(void **state)
{
	struct rest_world *r = *state;
	folder_put(&r->w->folder, "files/f", "w", "one\n");
	struct raw *c = asks(r, GET("/tail?path=f"));
	streams(c, "one\n");
	rest_finish(r->rest);
	raw_wait_end(c);
	assert_null(strstr(str_text(&c->got), "\r\n0\r\n"));
	assert_int_equal(rest_under_way(r->rest), 0);
}

/* red-box does not wait for a client that reads nothing more. */
static void a_tail_that_nobody_reads_holds_up_no_end(void **state)
{
	AUTO(str_free) struct str text = { 0 };
	struct rest_world *r = *state;
	while (text.len < 64 * PIECE_BYTES)
		str_addf(&text, "line %zu\n", text.len);
	folder_put(&r->w->folder, "files/f", "w", str_text(&text));
	struct raw *c = asks(r, GET("/tail?path=f"));
	raw_wait(c, "line 0\n");
	for (int i = 0; i < 20; i++)
		raw_turn(r->w->loop);
	assert_int_equal(rest_under_way(r->rest), 1);
	rest_finish(r->rest);
	assert_int_equal(rest_under_way(r->rest), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REST_TEST(a_file_comes_as_it_is),
		REST_TEST(a_long_file_comes_whole),
		REST_TEST(a_missing_file_is_404_and_empty),
		REST_TEST(a_path_is_needed),
		REST_TEST(no_path_leads_out),
		REST_TEST(only_files_are_opened),
		REST_TEST(a_file_is_followed),
		REST_TEST(a_file_that_is_not_there_is_waited_for),
		REST_TEST(a_new_file_is_sent_from_its_beginning),
		REST_TEST(the_end_of_red_box_breaks_a_tail),
		REST_TEST(a_tail_that_nobody_reads_holds_up_no_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
