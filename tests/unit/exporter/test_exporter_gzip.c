/* SPDX-License-Identifier: Apache-2.0 */
/* The page as gzip: what is packed, when, and for whom. */
#include "lib/test.h"

#include <zlib.h>

#include "archive/gzip.h"
#include "base/own.h"
#include "exporter/packed.h"
#include "net/loop.h"

/* All members, as a client reads them; the text is empty when it is no gzip. */
static void unpack(const char *packed, size_t bytes, struct str *out)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)bytes };
	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	while (z.avail_in) {
		char piece[5000];
		z.next_out = (Bytef *)piece;
		z.avail_out = sizeof(piece);
		int code = inflate(&z, Z_NO_FLUSH);
		str_add_bytes(out, piece, sizeof(piece) - z.avail_out);
		if (code == Z_STREAM_END)
			inflateReset(&z);
		else if (code != Z_OK)
			break;
	}
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
}

static void add_lines(struct str *s, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		str_addf(s, "%s%zu\n", line, i * i * 7919);
}

/* Acceptance: exporter-10 */
static void members_behind_each_other_are_one_text(void **state)
{
	(void)state;
	/* shorter and longer than a piece, and exactly one */
	static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, 131072, 1000000 };
	AUTO(str_free) struct str text = { 0 };
	add_lines(&text, "slurm_node_cpus{node=\"a\"} ", 40000);
	for (size_t i = 0; i < LENGTH(lengths); i++) {
		AUTO(str_free) struct str packed = { 0 }, got = { 0 }, want = { 0 };
		gzip_add(&packed, text.text, lengths[i]);
		gzip_add(&packed, "up 1\n", 5);
		unpack(packed.text, packed.len, &got);
		str_add_bytes(&want, text.text, lengths[i]);
		str_add(&want, "up 1\n");
		assert_int_equal(got.len, want.len);
		assert_memory_equal(got.text, want.text, want.len);
		assert_true(packed.len < lengths[i] / 3 + 100);
	}
}

/* ---- when ---- */

struct world {
	struct loop *loop;
	struct packed_page *packed;
	struct http_shared *got;
	int looks;
};

static struct http_shared *page_of(const char *line)
{
	struct str text = { 0 };
	add_lines(&text, line, 1000);
	return http_shared_new(&text);
}

static void look(void *ctx)
{
	struct world *w = ctx;
	w->got = packed_page_ask(w->packed);
	if (w->got || ++w->looks > 1000)
		loop_uv_stop(w->loop);
	else
		timer_start(w->loop, 5, look, w);
}

static void until_packed(struct world *w, const char *line)
{
	AUTO(str_free) struct str want = { 0 }, got = { 0 };
	size_t n;
	w->looks = 0;
	timer_start(w->loop, 1, look, w);
	loop_uv_run(w->loop);
	assert_non_null(w->got);
	const char *text = http_shared_text(w->got, &n);
	unpack(text, n, &got);
	add_lines(&want, line, 1000);
	assert_string_equal(got.text, want.text);
}

/* Acceptance: exporter-10 */
static void the_page_of_now_is_packed_for_those_who_ask(void **state)
{
	(void)state;
	struct world w = { .loop = loop_uv_new() };
	w.packed = packed_page_new(w.loop);
	assert_null(packed_page_ask(w.packed)); /* there is no page */
	struct http_shared *one = page_of("one "), *two = page_of("two ");
	packed_page_changed(w.packed, one);
	assert_null(packed_page_ask(w.packed)); /* a scrape does not wait */
	until_packed(&w, "one ");
	/* another page: no client gets the old one, and it is packed without a client */
	packed_page_changed(w.packed, two);
	assert_null(packed_page_ask(w.packed));
	until_packed(&w, "two ");
	http_shared_leave(one);
	http_shared_leave(two);
	packed_page_free(w.packed);
	loop_uv_free(w.loop);
}

/* Acceptance: exporter-10 */
static void its_end_waits_for_no_thread(void **state)
{
	(void)state;
	struct loop *loop = loop_uv_new();
	struct packed_page *packed = packed_page_new(loop);
	struct http_shared *page = page_of("one ");
	packed_page_changed(packed, page);
	assert_null(packed_page_ask(packed));
	packed_page_free(packed);
	http_shared_leave(page);
	loop_uv_free(loop); /* LeakSanitizer has the last word */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_behind_each_other_are_one_text),
		cmocka_unit_test(the_page_of_now_is_packed_for_those_who_ask),
		cmocka_unit_test(its_end_waits_for_no_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
