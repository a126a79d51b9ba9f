/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a report as lines or as JSON. */
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "redbox/check/judge.h"

static const char *const words[] = {
	[CHECK_OK] = "ok",
	[CHECK_WRONG] = "WRONG",
	[CHECK_UNKNOWN] = "unknown",
};

const char *check_text(const struct check_report *r, struct arena *a)
{
	AUTO(str_free) struct str out = { 0 };
	for (size_t i = 0; i < r->n; i++) {
		const struct check_line *l = &r->lines[i];
		str_addf(&out, "%-8s %-11s %s\n", words[l->verdict], l->what, l->text);
	}
	return arena_strdup(a, str_text(&out));
}

const char *check_json(const struct check_report *r, struct arena *a)
{
	struct jdoc *d = jdoc_new(a);
	struct jval *root = j_obj(d);
	j_set_bool(d, root, "well", check_is_well(r));
	struct jval *checks = j_set(d, root, "checks", j_arr(d));
	for (size_t i = 0; i < r->n; i++) {
		struct jval *one = j_push(d, checks, j_obj(d));
		j_set_str(d, one, "what", r->lines[i].what);
		j_set_str(d, one, "verdict", words[r->lines[i].verdict]);
		j_set_str(d, one, "text", r->lines[i].text);
	}
	return arena_printf(a, "%s\n", j_text(d, root));
}
