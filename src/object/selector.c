/* SPDX-License-Identifier: Apache-2.0 */
/* Label selectors: parsed, checked, and matched as Kubernetes does. */
#include "object/selector.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"

enum { MAX_NAME = 63, MAX_PREFIX = 253 };

const char *labels_of_json(const void *json_object, const char *key)
{
	return json_str(json_get(json_object, key), NULL);
}

/* ---- label syntax ---- */

static bool alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters and digits at both ends; letters, digits and the extra characters between. */
static bool well_formed(const char *s, size_t n, size_t max, const char *extra)
{
	if (n == 0 || n > max || !alnum(s[0]) || !alnum(s[n - 1]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!alnum(s[i]) && !strchr(extra, s[i]))
			return false;
	return true;
}

static bool good_key(const char *key)
{
	const char *slash = strchr(key, '/');
	if (slash && !well_formed(key, (size_t)(slash - key), MAX_PREFIX, "-."))
		return false;
	const char *name = slash ? slash + 1 : key;
	return well_formed(name, strlen(name), MAX_NAME, "-_.");
}

static bool good_value(const struct json *v)
{
	const char *s = json_str(v, NULL);
	return s && (!*s || well_formed(s, strlen(s), MAX_NAME, "-_."));
}

/* ---- checking ---- */

static bool takes_values(const char *operator)
{
	return str_eq(operator, "In") || str_eq(operator, "NotIn");
}
static bool takes_none(const char *operator)
{
	return str_eq(operator, "Exists") || str_eq(operator, "DoesNotExist");
}

static struct err check_expression(const struct json *e)
{
	const char *key = json_str(json_get(e, "key"), "");
	const char *operator= json_str(json_get(e, "operator"), "");
	const struct json *values = json_get(e, "values");
	if (!good_key(key))
		return err_new(ERR_INVALID,
			"the selector's expression has the key \"%s\", which is no label", key);
	if (!takes_values(operator) && !takes_none(operator))
		return err_new(ERR_INVALID,
			"the selector's operator \"%s\" for %s is unknown; it should be In, NotIn, Exists or DoesNotExist",
			operator, key);
	if (takes_values(operator) && json_count(values) == 0)
		return err_new(ERR_INVALID,
			"the selector's operator %s for %s needs values", operator, key);
	if (takes_none(operator) && json_count(values) > 0)
		return err_new(ERR_INVALID,
			"the selector's operator %s for %s takes no values", operator, key);
	for (struct json_iter it = json_iter(values); json_next(&it);)
		if (!good_value(it.value))
			return err_new(ERR_INVALID,
				"the selector has \"%s\" for %s, which is no value of a label: up to 63 letters, digits, ., _ and -",
				json_str(it.value, "(no string)"), key);
	return OK;
}

struct err selector_check(const struct json *selector)
{
	const struct json *labels = json_get(selector, "matchLabels"),
			  *expressions = json_get(selector, "matchExpressions");
	if (!json_is_null(selector) && !json_is_obj(selector))
		return err_new(ERR_INVALID,
			"the selector should be an object with matchLabels or matchExpressions");
	if ((!json_is_null(labels) && !json_is_obj(labels)) ||
		(!json_is_null(expressions) && !json_is_arr(expressions)))
		return err_new(ERR_INVALID,
			"the selector's matchLabels should be an object and its matchExpressions a list");
	for (struct json_iter it = json_iter(labels); json_next(&it);) {
		if (!good_key(it.key))
			return err_new(ERR_INVALID,
				"the selector has the key \"%s\", which is no label", it.key);
		if (!good_value(it.value))
			return err_new(ERR_INVALID,
				"the selector has \"%s\" for %s, which is no value of a label: up to 63 letters, digits, ., _ and -",
				json_str(it.value, "(no string)"), it.key);
	}
	for (struct json_iter it = json_iter(expressions); json_next(&it);) {
		struct err e = check_expression(it.value);

		if (failed(e))
			return e;
	}
	return OK;
}

bool selector_empty(const struct json *selector)
{
	return json_count(json_get(selector, "matchLabels")) == 0 &&
		json_count(json_get(selector, "matchExpressions")) == 0;
}

/* ---- matching ---- */

static bool one_of(const struct json *values, const char *value)
{
	for (struct json_iter it = json_iter(values); json_next(&it);)
		if (str_eq(json_str(it.value, NULL), value))
			return true;
	return false;
}

static bool expression_matches(const struct json *e, const char *value)
{
	const char *operator= json_str(json_get(e, "operator"), "");
	const struct json *values = json_get(e, "values");
	if (str_eq(operator, "In"))
		return value && one_of(values, value);
	if (str_eq(operator, "NotIn"))
		return !value || !one_of(values, value);
	if (str_eq(operator, "Exists"))
		return value;
	return str_eq(operator, "DoesNotExist") && !value;
}

bool selector_matches(const struct json *selector, label_lookup *lookup, const void *labels)
{
	if (json_is_null(selector))
		return false; /* an absent selector selects nothing; an empty one, everything */
	for (struct json_iter it = json_iter(json_get(selector, "matchLabels")); json_next(&it);) {
		const char *value = lookup(labels, it.key), *wanted = json_str(it.value, NULL);

		if (!value || !wanted || strcmp(value, wanted) != 0)
			return false;
	}
	for (struct json_iter it = json_iter(json_get(selector, "matchExpressions"));
		json_next(&it);)
		if (!expression_matches(it.value,
			    lookup(labels, json_str(json_get(it.value, "key"), ""))))
			return false;
	return true;
}

/* ---- as text ---- */

struct term {
	const char *key, *text;
};

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct term *)a)->key, ((const struct term *)b)->key);
}
static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *sorted_values(struct arena *a, const struct json *values)
{
	size_t n = 0;
	const char **list = arena_array(a, const char *, json_count(values) + 1);
	AUTO(str_free) struct str text = { 0 };
	for (struct json_iter it = json_iter(values); json_next(&it);)
		list[n++] = json_str(it.value, "");
	qsort(list, n, sizeof(*list), by_text);
	for (size_t i = 0; i < n; i++)
		str_addf(&text, "%s%s", i ? "," : "", list[i]);
	return arena_strdup(a, str_text(&text));
}

static const char *expression_text(struct arena *a, const struct json *e)
{
	const char *key = json_str(json_get(e, "key"), ""),
		   *operator= json_str(json_get(e, "operator"), "");
	if (takes_values(operator))
		return arena_printf(a, "%s %s (%s)", key, str_eq(operator, "In") ? "in" : "notin",
			sorted_values(a, json_get(e, "values")));
	return arena_printf(a, "%s%s", str_eq(operator, "DoesNotExist") ? "!" : "", key);
}

const char *selector_text(struct arena *a, const struct json *selector)
{
	const struct json *labels = json_get(selector, "matchLabels"),
			  *expressions = json_get(selector, "matchExpressions");
	struct term *terms = arena_array(a, struct term,
		json_count(labels) + json_count(expressions) + 1);
	AUTO(str_free) struct str text = { 0 };
	size_t n = 0;
	for (struct json_iter it = json_iter(labels); json_next(&it);)
		terms[n++] = (struct term){ it.key,
			arena_printf(a, "%s=%s", it.key, json_str(it.value, "")) };
	for (struct json_iter it = json_iter(expressions); json_next(&it);)
		terms[n++] = (struct term){ json_str(json_get(it.value, "key"), ""),
			expression_text(a, it.value) };
	qsort(terms, n, sizeof(*terms), by_key);
	for (size_t i = 0; i < n; i++)
		str_addf(&text, "%s%s", i ? "," : "", terms[i].text);
	return arena_strdup(a, str_text(&text));
}
