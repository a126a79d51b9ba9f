/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a list of results, and the paths in them. */
#include "plan/results/list.h"

#include <string.h>

#include "base/own.h"
#include "json/build.h"

enum { SHOWN_BYTES = 100, MODE_MOST = 0777 };
static const int64_t MOST_NS = INT64_C(9000000000000000000); /* in the year 2255 */

/* ---- paths ---- */

static struct err wrong_path(const char *path, const char *why)
{
	AUTO(str_free) struct str shown = { 0 };
	str_add_foreign(&shown, path, SHOWN_BYTES);
	return err_new(ERR_INVALID, "the path \"%s\" %s", str_text(&shown), why);
}

static const char *fault_of_part(const char *part, size_t n)
{
	if (n == 0)
		return "has an empty part: it should be like \"out/a.txt\"";
	if (n <= 2 && memcmp(part, "..", n) == 0)
		return "has \".\" or \"..\" as a part, and should name its folders";
	return n > RESULTS_NAME_BYTES ? "has a part of more than 255 bytes" : NULL;
}

struct err results_path_check(const char *path)
{
	const char *fault = NULL;
	if (strlen(path) > RESULTS_PATH_BYTES)
		return wrong_path(path, "has more than 4096 bytes");
	for (const char *at = path; at && !fault;) {
		size_t n = strcspn(at, "/");
		fault = fault_of_part(at, n);
		at = at[n] ? at + n + 1 : NULL;
	}
	return fault ? wrong_path(path, fault) : OK;
}

/*
 * "/home/u/out//": *last is the start of its last part, and the result is the end of it.
 */
static size_t last_part(const char *from, size_t *last)
{
	size_t end = strlen(from);
	while (end > 0 && from[end - 1] == '/')
		end--;
	*last = end;
	while (*last > 0 && from[*last - 1] != '/')
		(*last)--;
	return end;
}

struct err results_place(const char *from, const char *path, struct arena *a, const char **out)
{
	size_t last, end = last_part(from, &last), n = end - last;
	struct err e = results_path_check(path);
	if (failed(e))
		return e;
	if (fault_of_part(from + last, n))
		return err_new(ERR_INVALID,
			"spec.results.from is \"%.200s\", and should end with the name of a file or folder",
			from);
	if (strncmp(path, from + last, n) != 0 || (path[n] && path[n] != '/'))
		return wrong_path(path, "is not beneath what the object asks for");
	*out = arena_printf(a, "%.*s%s", (int)last, from, path);
	return OK;
}

/* ---- lines ---- */

static struct err wrong_line(const char *why)
{
	return err_new(ERR_INVALID, "a line of the list of results %s", why);
}

static struct err wrong_entry(const char *path, const char *why)
{
	AUTO(str_free) struct str shown = { 0 };
	str_add_foreign(&shown, path, SHOWN_BYTES);
	return err_new(ERR_INVALID, "\"%s\" in the list of results %s", str_text(&shown), why);
}

static bool is_from_zero(const struct json *v) { return json_is_int(v) && json_i64(v, -1) >= 0; }

/* A file may have any time. A time out of range becomes the nearest one in range. */
static bool read_time(const struct json *v, int64_t *out)
{
	int64_t ns = json_i64(v, 0);
	*out = ns < -MOST_NS ? -MOST_NS : ns > MOST_NS ? MOST_NS : ns;
	return json_is_int(v);
}

static struct err read_entry(const struct json *v, struct arena *a, struct results_entry *out)
{
	const struct json *path = json_get(v, "path"), *folder = json_get(v, "folder");
	const char *text = json_str(path, "");
	if (!json_is_str(path) || strlen(text) != json_str_bytes(path))
		return wrong_line("has no path");
	if (!is_from_zero(json_get(v, "size")))
		return wrong_entry(text, "has no size");
	*out = (struct results_entry){
		.path = arena_strdup(a, text),
		.size = json_i64(json_get(v, "size"), 0),
		.mode = (int)(json_i64(json_get(v, "mode"), 0) & MODE_MOST),
		.folder = json_bool(folder, false),
	};
	if (!read_time(json_get(v, "modifiedNs"), &out->modified_ns))
		return wrong_entry(text, "has no time");
	return results_path_check(out->path);
}

struct err results_line_read(const char *line, size_t n, struct arena *a, struct results_line *out)
{
	const struct json *v = json_parse_in(a, line, n, RESULTS_LINE_BYTES);
	*out = (struct results_line){ 0 };
	if (!json_is_obj(v))
		return wrong_line("is no JSON object");
	out->end = json_bool(json_get(v, "end"), false);
	if (!out->end)
		return read_entry(v, a, &out->entry);
	out->left_out = json_i64(json_get(v, "leftOut"), 0);
	return out->left_out >= 0 ? OK : wrong_line("leaves out less than nothing");
}

void results_line_add(struct str *out, const struct results_line *line)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *o = j_obj(d);
	if (line->end) {
		j_set_bool(d, o, "end", true);
		j_set_int(d, o, "leftOut", line->left_out);
	} else {
		j_set_str(d, o, "path", line->entry.path);
		j_set_int(d, o, "size", line->entry.size);
		j_set_int(d, o, "mode", line->entry.mode);
		j_set_bool(d, o, "folder", line->entry.folder);
		j_set_int(d, o, "modifiedNs", line->entry.modified_ns);
	}
	str_add(out, j_text(d, o));
	str_add(out, "\n");
}

/* ---- checksums ---- */

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool results_sum_hex(const char *text, uint8_t out[static RESULTS_SUM_BYTES])
{
	if (strlen(text) != 2 * (size_t)RESULTS_SUM_BYTES)
		return false;
	for (int i = 0; i < RESULTS_SUM_BYTES; i++) {
		int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

struct err results_sum_read(const char *text, size_t n, struct results_sum *out)
{
	struct arena a AUTO(arena_free) = { 0 };
	const struct json *v = json_parse_in(&a, text, n, RESULTS_LINE_BYTES);
	*out = (struct results_sum){
		.size = json_i64(json_get(v, "size"), -1),
	};
	if (!results_sum_hex(json_str(json_get(v, "sha256"), ""), out->sha256) || out->size < 0 ||
		!read_time(json_get(v, "modifiedNs"), &out->modified_ns))
		return err_new(ERR_INVALID,
			"the answer to the request for a checksum is not valid");
	return OK;
}

void results_sum_add_hex(struct str *out, const uint8_t sum[static RESULTS_SUM_BYTES])
{
	for (int i = 0; i < RESULTS_SUM_BYTES; i++)
		str_addf(out, "%02x", sum[i]);
}

void results_sum_add(struct str *out, const struct results_sum *sum)
{
	str_add(out, "{\"sha256\":\"");
	results_sum_add_hex(out, sum->sha256);
	str_addf(out, "\",\"size\":%lld,\"modifiedNs\":%lld}\n", (long long)sum->size,
		(long long)sum->modified_ns);
}
