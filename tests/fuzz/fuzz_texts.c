/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small texts that come from objects of others: times, numbers, percentages, base64,
 * addresses, names, comments, words of Slurm.
 */
#include <string.h>

#include "api/cluster.h"
#include "api/nodeset.h"
#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "children/pod.h"
#include "object/query.h"
#include "object/resource.h"
#include "plan/nodeset/worksheet.h"
#include "slurm/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void as_time(const char *text)
{
	char again[TIME_RFC3339_BYTES];
	int64_t ms, ms2;
	if (!time_parse(text, &ms))
		return;
	time_format_micro(ms, again);
	if (ms >= 0 && ms < INT64_C(253402300800000) && (!time_parse(again, &ms2) || ms2 != ms))
		abort();
	time_duration(ms, again);
}

static void as_number(struct arena *a, const char *text)
{
	int64_t v;
	if (str_to_i64(text, INT32_MIN, INT32_MAX, &v) &&
		!str_eq(arena_printf(a, "%lld", (long long)v), text))
		abort();
	struct jdoc *d = jdoc_new(a);
	const char *quoted = j_text(d, j_str(d, text));
	AUTO(json_auto) struct json_doc *doc = NULL;
	if (!quoted || failed(json_parse(quoted, strlen(quoted), SIZE_MAX, &doc)))
		abort();
	if (int_or_percent(json_root(doc), 65536, &v) && v < 0)
		abort();
}

static void as_base64(const char *text, size_t n)
{
	AUTO(own_free) char *out = NULL;
	size_t used;
	if (!base64_decode(text, n, &out, &used))
		return;
	if (used > n || out[used])
		abort();
	AUTO(own_free) char *again = base64url_encode(out, used);
	if (strlen(again) > n)
		abort();
}

static void as_name(struct arena *a, const char *text)
{
	int64_t ordinal = pod_ordinal("foo", text);
	if (ordinal >= 0 && !str_eq(arena_printf(a, "foo-%lld", (long long)ordinal), text))
		abort();
	const char *path = resource_path(a, RES_POD, text, text, "status");
	static const char in_paths[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%/";
	if (strspn(path, in_paths) != strlen(path) || strstr(path, "/../") || strstr(path, "/./"))
		abort();
	(void)node_state_bit(text);
	struct arena arena = { 0 };
	(void)comment_wanted(&arena, text, "{\"namespace\":\"ns\",\"podName\":\"foo-0\"}", "ns",
		"foo-0");
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a AUTO(arena_free) = { 0 };
	AUTO(own_free) char *text = own_strndup((const char *)bytes, n);
	as_time(text);
	as_number(&a, text);
	as_base64(text, strlen(text));
	as_name(&a, text);
	struct err e = server_url_check(text);
	if (failed(e) && !strstr(e.text, "slurmrestd") && !strstr(e.text, "http"))
		abort(); /* the sentence says what would be right, however long the URL is */
	return 0;
}
