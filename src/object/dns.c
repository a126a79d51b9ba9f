/* SPDX-License-Identifier: Apache-2.0 */
/* Validates DNS names. */
#include "object/dns.h"

#include <stddef.h>
#include <string.h>

enum { LABEL_MAX = 63, NAME_MAX_BYTES = 253 };

/* Whether the n characters at s are a DNS label. */
static bool is_label(const char *s, size_t n)
{
	static const char inner[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	return n && strspn(s, inner) >= n && s[0] != '-' && s[n - 1] != '-';
}

bool is_dns_label(const char *s)
{
	size_t n = strlen(s);
	return n <= LABEL_MAX && is_label(s, n);
}

bool is_dns_name(const char *s)
{
	if (strlen(s) > NAME_MAX_BYTES)
		return false;
	for (const char *label = s;; label++) {
		size_t used = strcspn(label, ".");
		if (!is_label(label, used))
			return false;
		label += used;
		if (!*label)
			return true;
	}
}
