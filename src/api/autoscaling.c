/* SPDX-License-Identifier: Apache-2.0 */
/* Reads spec.autoscaling: a row for each number. */
#include "api/autoscaling.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/nodeset.h"
#include "base/own.h"
#include "base/str.h"

#define DELAY_DEFAULT_MS (INT64_C(5) * 60 * 1000)
#define DELAY_MOST_MS (INT64_C(366) * 24 * 3600 * 1000)

static const struct row {
	const char *key;
	size_t at;
	int64_t unset, most;
} rows[] = {
	{ "minReplicas", offsetof(struct autoscaling, min), 0, NODESET_MAX_REPLICAS },
	{ "maxReplicas", offsetof(struct autoscaling, max), -1, NODESET_MAX_REPLICAS },
	{ "buffer", offsetof(struct autoscaling, buffer), 0, NODESET_MAX_REPLICAS },
	{ "weight", offsetof(struct autoscaling, weight), 1, INT32_MAX },
};

static const struct json *block_of(const struct json *object)
{
	const struct json *block = json_at(object, "spec", "autoscaling");
	return json_is_null(block) ? NULL : block;
}

/* Parses "1h30m", "300s" or "0": a duration of Kubernetes, with whole numbers only. */
static bool duration_ms(const char *text, int64_t *out)
{
	enum { DIGITS_MOST = 12 };
	static const struct {
		const char *word;
		int64_t ms;
	} units[] = { { "ms", 1 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 } };
	*out = 0;
	if (str_eq(text, "0"))
		return true;
	bool any = false;
	for (; *text; any = true) {
		size_t digits = strspn(text, "0123456789"), unit = 0;
		if (!digits || digits > DIGITS_MOST)
			return false;
		int64_t n = strtoll(text, NULL, 10);
		text += digits;
		while (unit < LENGTH(units) && !str_has_prefix(text, units[unit].word))
			unit++;
		if (unit == LENGTH(units) || n > DELAY_MOST_MS / units[unit].ms)
			return false;
		*out += n * units[unit].ms;
		text += strlen(units[unit].word);
	}
	return any && *out <= DELAY_MOST_MS;
}

static struct err read_number(const struct json *block, const struct row *row,
	struct autoscaling *out)
{
	const struct json *v = json_get(block, row->key);
	int64_t n = json_is_null(v) ? row->unset : json_i64(v, -1);
	*(int64_t *)(void *)((char *)out + row->at) = n;
	if (json_is_null(v) && n < 0)
		return err_new(ERR_INVALID,
			"spec.autoscaling.%s is not set; set it to the maximum number of pods",
			row->key);
	if ((!json_is_null(v) && !json_is_int(v)) || n < 0 || n > row->most)
		return err_new(ERR_INVALID,
			"spec.autoscaling.%s must be a whole number from 0 to %lld", row->key,
			(long long)row->most);
	return OK;
}

static struct err read_delay(const struct json *block, struct autoscaling *out)
{
	const struct json *v = json_get(block, "scaleDownDelay");
	out->delay_ms = DELAY_DEFAULT_MS;
	if (json_is_null(v) || duration_ms(json_str(v, ""), &out->delay_ms))
		return OK;
	return err_new(ERR_INVALID,
		"spec.autoscaling.scaleDownDelay is \"%.40s\"; it must be a duration such as \"5m\" or \"1h30m\", at most 8784h",
		json_str(v, "(no string)"));
}

static struct err read_all(const struct json *block, struct autoscaling *out)
{
	struct err e = OK;
	if (!json_is_obj(block))
		return err_new(ERR_INVALID, "spec.autoscaling is not an object");
	for (size_t i = 0; i < LENGTH(rows) && !failed(e); i++)
		e = read_number(block, &rows[i], out);
	if (!failed(e) && out->max < out->min)
		e = err_new(ERR_INVALID,
			"spec.autoscaling.maxReplicas is %lld, which is less than minReplicas, %lld",
			(long long)out->max, (long long)out->min);
	return failed(e) ? e : read_delay(block, out);
}

struct autoscaling autoscaling_read(const struct json *object)
{
	const struct json *block = block_of(object);
	struct autoscaling a = { 0 };
	a.on = block && !failed(read_all(block, &a));
	return a;
}

struct err autoscaling_check(const struct json *object)
{
	const struct json *block = block_of(object);
	struct autoscaling a = { 0 };
	return block ? read_all(block, &a) : OK;
}
