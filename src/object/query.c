/* SPDX-License-Identifier: Apache-2.0 */
/* Percent-encodes text for a URL. */
#include "object/query.h"

#include <string.h>

static bool unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(c && strchr("-._~", c));
}

/* Percent-encodes everything but letters, digits and "-._~". */
static void query_escape(struct str *out, const char *text)
{
	for (; text && *text; text++) {
		if (unreserved((unsigned char)*text))
			str_add_bytes(out, text, 1);
		else
			str_addf(out, "%%%02X", (unsigned char)*text);
	}
}

void query_segment(struct str *out, const char *before, const char *segment)
{
	if (before)
		str_addf(out, "/%s", before);
	str_add(out, "/");
	/* a server would resolve "." and ".." as path segments */
	if (strcmp(segment, ".") == 0 || strcmp(segment, "..") == 0)
		str_add(out, segment[1] ? "%2E%2E" : "%2E");
	else
		query_escape(out, segment);
}

void query_add(struct str *out, const char *name, const char *value)
{
	str_addf(out, "%c%s=", out->text && strchr(out->text, '?') ? '&' : '?', name);
	query_escape(out, value);
}
