/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small texts that come from objects of others: times, numbers, percentages, base64,
 * addresses, names, comments, words of Slurm, servers.
 */
#include <string.h>

#include "api/cluster.h"
#include "api/nodeset.h"
#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "children/pod.h"
#include "json/build.h"
#include "link/consent.h"
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

/* As a pattern of hosts, and as what a Secret says of servers. */
static void as_servers(struct arena *a, const char *text)
{
	const char *const all[] = { "*", NULL }, *const one[] = { text, NULL };
	const char *url = arena_printf(a, "http://%s", text);
	bool plain = !text[strcspn(text, "*:/[]")] && !str_has_prefix(text, ".");
	size_t length = strlen(text);
	if (!server_allowed(all, url) || !server_allowed(all, text))
		abort();
	if (plain && length && text[length - 1] != '.' && !server_allowed(one, url))
		abort();
	struct jdoc *d = jdoc_new(a);
	struct jval *secret = j_obj(d), *m = j_child(d, secret, "metadata");
	j_set_str(d, j_child(d, m, "annotations"), ANNOTATION_SERVERS, text);
	const char *said = j_text(d, secret);
	AUTO(json_auto) struct json_doc *doc = NULL;
	if (!said || failed(json_parse(said, strlen(said), SIZE_MAX, &doc)))
		abort();
	if (consent_of(json_root(doc), "https://a:1", false) == CONSENT_GIVEN &&
		!strstr(text, "https://a:1"))
		abort();
}

/* As a part of a sentence of ours. */
static void as_foreign(const char *text)
{
	AUTO(str_free) struct str s = { 0 };
	AUTO(own_free) char *plain = own_strdup(text);
	str_make_plain(plain);
	str_add_foreign(&s, text, 200);
	for (const char *p = plain; *p; p += str_utf8(p) ? str_utf8(p) : 1)
		if (str_is_control(p))
			abort();
	for (const char *p = str_text(&s); *p; p += str_utf8(p))
		if (str_is_control(p) || !str_utf8(p))
			abort();
	if (strlen(plain) > strlen(text) || s.len > 203)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a AUTO(arena_free) = { 0 };
	AUTO(own_free) char *text = own_strndup((const char *)bytes, n);
	as_time(text);
	as_number(&a, text);
	as_base64(text, strlen(text));
	as_name(&a, text);
	as_servers(&a, text);
	as_foreign(text);
	struct err e = server_url_check(text);
	if (failed(e) && !strstr(e.text, "slurmrestd") && !strstr(e.text, "http"))
		abort(); /* the sentence says what would be right, however long the URL is */
	return 0;
}
