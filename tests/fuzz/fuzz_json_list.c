/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long array that is read as it comes, cut anywhere: the same is refused, and the same
 * comes out, as when the text is parsed at once. And what is cut where it is too deep is
 * the same where it is not.
 */
#include <string.h>

#include "base/own.h"
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct expected {
	struct json_iter it; /* of the same array in the whole document */
	bool refused;
};

static void compare(void *ctx, const struct json *item)
{
	struct expected *e = ctx;
	if (!e->refused && (!json_next(&e->it) || !json_equal(e->it.value, item)))
		abort();
}

static void ignore(void *ctx, const struct json *item) { (void)ctx, (void)item; }

/* Cut where the input says: its bytes give the lengths of the pieces. */
static struct err in_pieces(const char *bytes, size_t n, struct expected *e, struct json_doc **rest)
{
	struct json_list *l = json_list_new(&(struct json_list_config){
		.key = "n",
		.max_bytes = SIZE_MAX,
		.max_item_bytes = SIZE_MAX,
		.max_rest_bytes = SIZE_MAX,
		.item = compare,
		.ctx = e,
	});
	for (size_t at = 0, turn = 0, piece; at < n; at += piece, turn++) {
		piece = 1 + ((unsigned char)bytes[turn % n] + n) % 11;
		piece = piece < n - at ? piece : n - at;
		(void)json_list_add(l, bytes + at, piece);
	}
	struct err err = json_list_end(l, rest);
	json_list_free(l);
	return err;
}

static void check_cut(const char *bytes, size_t n, const struct json_doc *whole)
{
	AUTO(json_auto) struct json_doc *cut = NULL, *rest = NULL, *member = NULL, *copy = NULL;
	bool refused = failed(json_parse_cut(bytes, n, SIZE_MAX, &cut));
	if (whole && (refused || !json_equal(json_root(whole), json_root(cut))))
		abort();
	if (!refused && json_is_obj(json_root(cut)))
		copy = json_copy(json_root(cut)); /* recurses */
	if (failed(json_parse_items(bytes, n, SIZE_MAX, "n", ignore, NULL, &rest)) && whole)
		abort();
	if (failed(json_parse_member(bytes, n, "n", &member)) && whole)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(json_auto) struct json_doc *whole = NULL, *rest = NULL;
	struct expected e = {
		.refused = failed(json_parse((const char *)bytes, n, SIZE_MAX, &whole)),
	};
	check_cut((const char *)bytes, n, whole);
	const struct json *list = json_get(json_root(whole), "n");
	e.it = json_iter(json_is_arr(list) ? list : NULL);
	struct err err = in_pieces((const char *)bytes, n, &e, &rest);
	if (failed(err) != e.refused || failed(err) == (rest != NULL))
		abort();
	if (!failed(err) &&
		(e.it.left || json_is_arr(list) != json_is_arr(json_get(json_root(rest), "n"))))
		abort();
	return 0;
}
