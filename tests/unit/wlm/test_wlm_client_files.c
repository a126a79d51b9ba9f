/* SPDX-License-Identifier: Apache-2.0 */
/* Files of red-box as our client reads, lists and writes them. */
#include "lib/wlm_box.h"

static void files_are_read(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	b.answers[1] = "";
	b.answers[2] = "0a0362210a";
	DOES("OpenFile", "0a0161", "0a0161", wlm_open(&me, "a", 0));
	assert_string_equal(str_text(&b.content), "ab!\n");
	assert_int_equal(b.pieces, 2); /* the empty one is none */
	over(&b);
}

static void a_file_is_read_from_an_offset(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	DOES("OpenFile", "0a016110ac02", "0a0161", wlm_open(&me, "a", 300));
	over(&b);
}

static void files_are_listed(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	b.answers[1] = "0a056f75742f61100518a403";
	b.answers[2] = "3002";
	DOES("ListFiles", "0a016f", "0a036f757418ed032001", wlm_list_files(&me, "o"));
	assert_string_equal(str_text(&b.content), "out 0 755 folder\nout/a 5 644\n");
	assert_int_equal(b.left_out, 2);
	over(&b);
}

static void a_list_that_is_not_whole_is_asked_for_again(void **state)
{
	static const struct {
		const char *answers[3], *text;
	} rows[] = {
		{ { NULL }, "ListFiles: the list is incomplete" },
		{ { "0a0161" }, "ListFiles: the list is incomplete" },
		{ { "", "0a0161" }, "ListFiles: a message came after the end of the list" },
		{ { "", "" }, "ListFiles: a message came after the end of the list" },
		{ { "0a022e2e" }, "ListFiles: reading a FileEntry: the path of a file should be" },
	};
	struct box b;
	(void)state;
	given_a_box(&b);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct wlm_caller me = by(&b);
		memcpy(b.answers, rows[i].answers, sizeof(b.answers));
		wlm_list_files(&me, "o");
		when_done(&b);
		assert_int_equal(b.e.kind, ERR_RETRY);
		if (!strstr(b.e.text, rows[i].text))
			fail_msg("%s", b.e.text);
	}
	over(&b);
}

static void a_list_can_be_cancelled_from_one_of_its_files(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	b.answers[0] = b.answers[1] = "0a0161";
	b.hangs = b.cancels = true;
	wlm_list_files(&me, "a");
	while (!b.pieces)
		raw_turn(b.w.loop);
	for (int i = 0; i < 5; i++)
		raw_turn(b.w.loop);
	over(&b);
	assert_int_equal(b.pieces, 1);
	assert_int_equal(b.done, 0);
}

static void a_checksum_is_told(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	DOES("FileChecksum", "0a0161",
		"0a20000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f10051807",
		wlm_checksum(&me, "a"));
	assert_int_equal(b.checksum.size, 5);
	assert_int_equal(b.checksum.modified_ns, 7);
	assert_int_equal(b.checksum.sha256[31], 31);
	over(&b);
}

static void a_tail_goes_on_until_it_is_finished(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	struct wlm_call *c = wlm_tail(&me, "a");
	while (b.asked.len < 3)
		raw_turn(b.w.loop);
	assert_int_equal(b.done, 0);
	wlm_tail_finish(c);
	b.answers[0] = "0a0161";
	when_done(&b);
	assert_false(failed(b.e));
	is_hex(str_text(&b.asked), b.asked.len, "1201610801");
	assert_string_equal(str_text(&b.content), "a");

	/* As the original ends it. */
	me = by(&b);
	b.status = GRPC_UNKNOWN;
	b.text = "EOF";
	wlm_tail_finish(wlm_tail(&me, "a"));
	when_done(&b);
	assert_false(failed(b.e));
	over(&b);
}

/* Acceptance: log-2 */
static void the_last_lines_are_asked_for(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	b.answers[1] = "0a0162";
	DOES("TailLines", "08011201611814", "", wlm_tail_lines(&me, "a", 20, false));
	assert_string_equal(str_text(&b.content), "b");
	assert_int_equal(b.pieces, 2); /* the empty one says that the call is taken */
	struct wlm_caller me = by(&b);
	struct wlm_call *c = wlm_tail_lines(&me, "a", 20, true);
	while (b.asked.len < 5)
		raw_turn(b.w.loop);
	assert_int_equal(b.done, 0);
	wlm_tail_finish(c);
	when_done(&b);
	is_hex(str_text(&b.asked), b.asked.len, "12016118140801");

	me = by(&b); /* an older red-box */
	b.answers[0] = NULL;
	b.status = GRPC_UNIMPLEMENTED;
	wlm_tail_lines(&me, "a", 20, false);
	when_done(&b);
	assert_int_equal(b.e.kind, ERR_INVALID);
	assert_int_equal(b.e.code, GRPC_UNIMPLEMENTED);
	over(&b);
}

static void a_file_is_written(void **state)
{
	enum { SIZE = 200000 };
	struct box b;
	char *bytes = own_alloc(SIZE);
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	struct wlm_call *c = wlm_create(&me, &(struct wlm_new_file){ .path = "a" });
	wlm_create_add(c, bytes, SIZE);
	while (!b.writable)
		raw_turn(b.w.loop);
	wlm_create_add(c, "end", 3);
	wlm_create_finish(c);
	b.answers[0] = "";
	when_done(&b);
	assert_false(failed(b.e));
	is_hex(str_text(&b.asked), 3, "0a0161");
	/* Each piece has a byte before it, and its length: three are of 64 KiB. */
	assert_int_equal(b.asked.len, 3 + SIZE + 3 * (1 + 3) + (1 + 2) + 5);
	free(bytes);
	over(&b);
}

static void a_file_that_pauses_goes_on(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	b.answers[0] = "0a0161";
	struct wlm_call *c = wlm_open(&me, "a", 0);
	wlm_pause(c);
	for (int i = 0; i < 20; i++)
		raw_turn(b.w.loop);
	assert_int_equal(b.pieces + b.done, 0);
	wlm_resume(c);
	when_done(&b);
	assert_int_equal(b.pieces, 1);
	over(&b);
}

static void a_call_can_be_cancelled_from_its_content(void **state)
{
	struct box b;
	(void)state;
	given_a_box(&b);
	struct wlm_caller me = by(&b);
	b.answers[0] = b.answers[1] = "0a0161";
	b.hangs = b.cancels = true;
	wlm_open(&me, "a", 0);
	while (!b.pieces)
		raw_turn(b.w.loop);
	for (int i = 0; i < 5; i++)
		raw_turn(b.w.loop);
	over(&b);
	assert_int_equal(b.pieces, 1);
	assert_int_equal(b.done, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(a_file_is_read_from_an_offset),
		cmocka_unit_test(files_are_listed),
		cmocka_unit_test(a_list_that_is_not_whole_is_asked_for_again),
		cmocka_unit_test(a_list_can_be_cancelled_from_one_of_its_files),
		cmocka_unit_test(a_checksum_is_told),
		cmocka_unit_test(a_tail_goes_on_until_it_is_finished),
		cmocka_unit_test(the_last_lines_are_asked_for),
		cmocka_unit_test(a_file_is_written),
		cmocka_unit_test(a_file_that_pauses_goes_on),
		cmocka_unit_test(a_call_can_be_cancelled_from_its_content),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
