/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys of Secrets are missing, and what is written then. */
#include "lib/test.h"

#include "plan/keys/keys.h"

#define WISH                                                        \
	"[{\"name\":\"jwt\",\"labels\":{\"a\":\"b\"},"              \
	"\"annotations\":{\"server\":\"http://s\",\"users\":null}," \
	"\"keys\":{\"one\":\"text:7\",\"two\":\"rsa\"}}]"

struct world {
	struct arena memory;
	struct secret_wishes wishes;
	struct err wrong;
	const struct json *there;
	struct secret_step step;
};

static void world_end(struct world *w) { arena_free(&w->memory); }

static const struct json *parsed(struct world *w, const char *text)
{
	const struct json *v = json_parse_in(&w->memory, text, strlen(text), SIZE_MAX);
	assert_non_null(v);
	return v;
}

static void given_wishes(struct world *w, const char *text)
{
	w->wrong = secret_wishes_read(parsed(w, text), &w->wishes);
}

/* there NULL: no Secret */
static void when_decided(struct world *w, const char *there)
{
	w->there = there ? parsed(w, there) : NULL;
	w->step = secret_decide(&w->wishes.of[0], w->there);
}

static const struct json *then_written(struct world *w)
{
	char one[] = "MQ==", two[] = "Mg==", *values[KEYS_EACH] = { one, two };
	return parsed(w, secret_body(&w->memory, &w->wishes.of[0], &w->step, w->there, values));
}

static const char *text_at(const struct json *v, const char *a, const char *b)
{
	return json_str(json_at(v, a, b), "");
}

static void test_a_secret_that_is_not_there_is_made_whole(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_wishes(&w, WISH);
	assert_false(failed(w.wrong));
	when_decided(&w, NULL);
	assert_int_equal(w.step.verb, SECRET_CREATE);
	const struct json *s = then_written(&w);
	assert_string_equal(text_at(s, "data", "one"), "MQ==");
	assert_string_equal(text_at(s, "data", "two"), "Mg==");
	assert_string_equal(text_at(s, "metadata", "name"), "jwt");
	assert_string_equal(json_str(json_at(s, "metadata", "labels", "a"), ""), "b");
	const struct json *notes = json_at(s, "metadata", "annotations");
	assert_string_equal(json_str(json_get(notes, "server"), ""), "http://s");
	assert_int_equal(json_count(notes), 1);
}

static void test_a_secret_with_all_its_keys_is_left_alone(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_wishes(&w, WISH);
	when_decided(&w,
		"{\"metadata\":{\"annotations\":{\"server\":\"http://s\",\"mine\":\"x\"}},"
		"\"data\":{\"one\":\"b2xk\",\"two\":\"\",\"three\":\"eA==\"}}");
	assert_int_equal(w.step.verb, SECRET_LEAVE);
}

static void test_a_missing_key_is_added_and_no_other_is_written(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_wishes(&w, WISH);
	when_decided(&w,
		"{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"7\","
		"\"annotations\":{\"server\":\"http://s\"}},\"data\":{\"one\":\"b2xk\"}}");
	assert_int_equal(w.step.verb, SECRET_PATCH);
	const struct json *p = then_written(&w);
	assert_int_equal(json_count(json_get(p, "data")), 1);
	assert_string_equal(text_at(p, "data", "two"), "Mg==");
	/* of this very version: another client may have added one meanwhile */
	assert_string_equal(text_at(p, "metadata", "resourceVersion"), "7");
	assert_string_equal(text_at(p, "metadata", "uid"), "u");
	assert_null(json_at(p, "metadata", "annotations"));
}

static void test_annotations_follow_the_wish_and_keys_do_not(void **state)
{
	struct world w AUTO(world_end) = { 0 };
	(void)state;
	given_wishes(&w, WISH);
	when_decided(&w,
		"{\"metadata\":{\"annotations\":{\"server\":\"http://old\",\"users\":\"eve\"}},"
		"\"data\":{\"one\":\"b2xk\",\"two\":\"b2xk\"}}");
	assert_int_equal(w.step.verb, SECRET_PATCH);
	const struct json *p = then_written(&w);
	assert_null(json_get(p, "data"));
	const struct json *notes = json_at(p, "metadata", "annotations");
	assert_string_equal(json_str(json_get(notes, "server"), ""), "http://s");
	/* null in a merge patch takes it away */
	assert_non_null(json_get(notes, "users"));
	assert_true(json_is_null(json_get(notes, "users")));
}

static void test_a_wish_that_cannot_be_read_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *wishes, *why;
	} rows[] = {
		{ "{}", "a list of 1 to 16 Secrets" },
		{ "[]", "a list of 1 to 16 Secrets" },
		{ "[{\"keys\":{\"a\":\"rsa\"}}]", "Secret 1 of the list needs \"name\"" },
		{ "[{\"name\":\"x\",\"keys\":{}}]", "needs \"name\" and \"keys\"" },
		{ "[{\"name\":\"x\",\"keys\":{\"a\":\"dsa\"}}]",
			"Secret x, key a: \"dsa\" must be text:N, ecdsa, ed25519 or rsa" },
		{ "[{\"name\":\"x\",\"keys\":{\"a\":\"text:0\"}}]", "\"text:0\" must be text:N" },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct world w AUTO(world_end) = { 0 };
		given_wishes(&w, rows[i].wishes);
		assert_int_equal(w.wrong.kind, ERR_INVALID);
		if (!strstr(w.wrong.text, rows[i].why))
			fail_msg("%s: %s", rows[i].wishes, w.wrong.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_secret_that_is_not_there_is_made_whole),
		cmocka_unit_test(test_a_secret_with_all_its_keys_is_left_alone),
		cmocka_unit_test(test_a_missing_key_is_added_and_no_other_is_written),
		cmocka_unit_test(test_annotations_follow_the_wish_and_keys_do_not),
		cmocka_unit_test(test_a_wish_that_cannot_be_read_is_refused_with_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
