/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides to which servers a token may be sent, by patterns of hosts and by the Secret.
 */
#include "link/consent.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"

/* A part of a text. */
struct part {
	const char *at;
	size_t n;
};

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* If the rest does not fit, the last * takes one character more. */
static bool fits(const char *pattern, struct part host)
{
	const char *star = NULL;
	size_t i = 0, taken = 0;
	while (i < host.n) {
		if (*pattern == '*') {
			star = ++pattern;
			taken = i;
		} else if (*pattern && is_same(*pattern, host.at[i])) {
			pattern++;
			i++;
		} else if (star) {
			pattern = star;
			i = ++taken;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static struct part host_of(const char *url)
{
	const char *at = strstr(url, "://");
	at = at ? at + 3 : url;
	if (*at == '[')
		return (struct part){ at + 1, strcspn(at + 1, "]") };
	size_t n = strcspn(at, ":/");
	return (struct part){ at, n && at[n - 1] == '.' ? n - 1 : n };
}

bool server_allowed(const char *const *patterns, const char *url)
{
	struct part host = host_of(url);
	if (!patterns)
		return true;
	for (; *patterns; patterns++)
		if (fits(*patterns, host))
			return true;
	return false;
}

static struct part without_slash(struct part p)
{
	while (p.n && p.at[p.n - 1] == '/')
		p.n--;
	return p;
}

/* Reads the next item of a list, without blanks around it; false: no item is left. */
static bool next_of_list(const char **list, struct part *out)
{
	static const char blanks[] = " \t\r\n";
	const char *at = *list + strspn(*list, ", \t\r\n");
	size_t n = strcspn(at, ",");
	*list = at + n;
	while (n && strchr(blanks, at[n - 1]))
		n--;
	*out = (struct part){ at, n };
	return n;
}

enum consent consent_of(const struct json *secret, const char *server, bool required)
{
	const struct json *said = json_at(secret, "metadata", "annotations", ANNOTATION_SERVERS);
	const char *list = json_str(said, "");
	struct part wanted = without_slash((struct part){ server, strlen(server) }), named;
	if (json_is_null(said))
		return required ? CONSENT_REFUSED : CONSENT_UNSAID;
	while (next_of_list(&list, &named)) {
		named = without_slash(named);
		if (named.n == wanted.n && memcmp(named.at, wanted.at, wanted.n) == 0)
			return CONSENT_GIVEN;
	}
	return CONSENT_REFUSED;
}

bool list_names(const char *list, const char *name)
{
	struct part named;
	while (list && next_of_list(&list, &named))
		if (named.n == strlen(name) && memcmp(named.at, name, named.n) == 0)
			return true;
	return false;
}
