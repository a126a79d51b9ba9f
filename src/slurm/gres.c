/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the entries of GRES lists. */
#include "slurm/gres.h"

#include <string.h>

#define COUNTED "(CNT:"
#define IGNORED "no_consume"

static const char digits[] = "0123456789", units[] = "KMGTP";

/* Reads "4" or "4K" (a multiple of 1024, as in slurm.conf). False: not a count. */
static bool take_count(const char *text, size_t n, int64_t *out)
{
	size_t d = strspn(text, digits);
	const char *unit = d + 1 == n ? memchr(units, text[d] & ~0x20, sizeof(units) - 1) : NULL;
	int64_t count = 0;
	if (!d || (d != n && !unit))
		return false;
	for (size_t i = 0; i < d && count < GRES_COUNT_MOST; i++)
		count = 10 * count + (text[i] - '0');
	for (long i = unit ? unit - units : -1; i >= 0 && count < GRES_COUNT_MOST; i--)
		count *= 1024;
	*out = count < GRES_COUNT_MOST ? count : GRES_COUNT_MOST;
	return true;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/*
 * Reads the parts after the name: ":a100", ":no_consume", ":2". A number is a type if a
 * count follows ("gpu:1080:2"). Returns the text after the parts.
 */
static const char *take_parts(const char *text, struct gres *out)
{
	while (*text == ':' || *text == '=') {
		size_t n = strcspn(++text, ":=,(");
		const char *behind = text + n;
		bool last = *behind != ':' && *behind != '=' && !begins(behind, COUNTED);
		bool ignored = n == strlen(IGNORED) && begins(text, IGNORED);
		if (!(last && take_count(text, n, &out->count)) && !ignored && !out->type_n) {
			out->type = text;
			out->type_n = n;
		}
		text = behind;
	}
	return text;
}

bool gres_next(const char **at, struct gres *out)
{
	const char *text = *at + strspn(*at, ",");
	bool marked = begins(text, "gres/") || begins(text, "gres:");
	text += marked ? strlen("gres/") : 0;
	if (!*text)
		return false;
	*out = (struct gres){
		.name = text, .name_n = strcspn(text, ":=,("), .count = 1, .marked = marked
	};
	text = take_parts(text + out->name_n, out);
	if (begins(text, COUNTED)) {
		const char *count = text + strlen(COUNTED);
		take_count(count, strcspn(count, ")"), &out->count);
	}
	text += *text == '(' ? strcspn(text, ")") : 0;
	*at = text + strcspn(text, ",");
	return true;
}
