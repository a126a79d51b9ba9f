/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the host lists of partitions without expanding them. */
#include "plan/autoscale/alone.h"

#include <string.h>

#include "base/str.h"

/* Length of the first item of "a[0-2,5],b1;". */
static size_t item(const char *list)
{
	size_t n = 0;
	for (bool inside = false; list[n] && list[n] != ';'; n++) {
		inside = (inside || list[n] == '[') && list[n] != ']';
		if (list[n] == ',' && !inside)
			break;
	}
	return n;
}

/* True for "debug-7" and "debug-[0-2,5]" if the prefix is "debug-". */
static bool is_of(const char *name, size_t bytes, const char *prefix)
{
	size_t n = strlen(prefix);
	return bytes > n && strncmp(name, prefix, n) == 0 &&
		strspn(name + n, "0123456789-,[]") >= bytes - n;
}

/* True if each item of "a[0-2],b1;" has one of the prefixes; also for an empty list. */
static bool all_of(const char *list, const char *const *prefixes, size_t n)
{
	for (size_t bytes = item(list); bytes; bytes = item(list)) {
		bool one = false;
		for (size_t i = 0; i < n && !one; i++)
			one = is_of(list, bytes, prefixes[i]);
		if (!one)
			return false;
		list += bytes + (list[bytes] == ',');
	}
	return true;
}

bool partition_alone(const struct node_features *f, const char *sets, const char *nodes,
	const char *const *prefixes, size_t n)
{
	for (const char *at = nodes; *at;) {
		size_t name = strcspn(at, "=");
		if (!at[name])
			return false;
		const char *list = at + name + 1, *end = list + strcspn(list, ";");
		if (serves_one(f, at, name, sets) && all_of(list, prefixes, n))
			return true;
		at = end + (*end == ';');
	}
	return false;
}
