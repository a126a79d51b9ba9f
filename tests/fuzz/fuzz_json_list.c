/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long array that is read item by item: the same is refused, and the same comes out, as
 * when the text is parsed at once.
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(json_auto) struct json_doc *whole = NULL, *rest = NULL;
	struct expected e = {
		.refused = failed(json_parse((const char *)bytes, n, SIZE_MAX, &whole)),
	};
	const struct json *list = json_get(json_root(whole), "n");
	e.it = json_iter(json_is_arr(list) ? list : NULL);
	struct err err = json_parse_list((const char *)bytes, n, SIZE_MAX, "n", compare, &e, &rest);
	if (failed(err) != e.refused || failed(err) == (rest != NULL))
		abort();
	if (!failed(err) &&
		(e.it.left || json_is_arr(list) != json_is_arr(json_get(json_root(rest), "n"))))
		abort();
	return 0;
}
