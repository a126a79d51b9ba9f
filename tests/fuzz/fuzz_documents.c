/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON and YAML of any client: what is read can be written and read again as the same,
 * whatever walks through it, and what is built from it is a document as well. The first
 * byte chooses: 'y' YAML, everything else JSON.
 */
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "json/yaml.h"
#include "object/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Every getter on every value. */
static size_t walk(const struct json *v)
{
	size_t seen = 1, counted = 0;
	struct json_iter it = json_iter(v);
	while (json_next(&it)) {
		if (!it.key || !it.value)
			abort();
		counted++;
		seen += walk(it.value);
	}
	if (counted != json_count(v))
		abort();
	(void)json_i64(v, -1), (void)json_bool(v, false), (void)json_str(v, ""),
		(void)json_get(v, "a"), (void)json_item(v, 1);
	return seen;
}

/* NaN and numbers beyond a double have no text: what came from text has none of them. */
static void same_again(const struct json *v)
{
	size_t n = 0;
	AUTO(own_free) char *text = json_text(v, &n);
	AUTO(json_auto) struct json_doc *again = NULL;
	if (!text || failed(json_parse(text, n, n, &again)) || walk(json_root(again)) != walk(v))
		abort();
	AUTO(json_auto) struct json_doc *copy = json_copy(v);
	if (!json_equal(json_root(copy), v))
		abort();
}

static void built_from(const struct json *v)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *o = j_obj(d);
	j_set(d, j_child(d, o, "in"), "it", j_copy(d, v));
	j_set_str(d, o, "text", json_str(v, "none"));
	const char *text = j_text_sorted(d, o);
	AUTO(json_auto) struct json_doc *again = NULL;
	if (!text || failed(json_parse(text, strlen(text), SIZE_MAX, &again)))
		abort();
}

static void as_selector(const struct json *v)
{
	struct arena a AUTO(arena_free) = { 0 };
	bool good = !failed(selector_check(v));
	const char *text = selector_text(&a, v);
	if (!text || (good && !selector_empty(v) && str_empty(text)))
		abort();
	(void)selector_matches(v, labels_of_json, json_get(v, "matchLabels"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 1)
		return 0;
	AUTO(own_free) char *text = own_alloc(n); /* exact, so that a read behind it shows */
	memcpy(text, bytes + 1, n - 1);
	AUTO(json_auto) struct json_doc *doc = NULL;
	struct err e = bytes[0] == 'y' ? yaml_to_json(text, n - 1, &doc)
				       : json_parse(text, n - 1, 1 << 20, &doc);
	if (failed(e) != !doc || (failed(e) && !e.text[0]))
		abort();
	if (!doc)
		return 0;
	same_again(json_root(doc));
	built_from(json_root(doc));
	as_selector(json_root(doc));
	return 0;
}
