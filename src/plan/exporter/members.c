/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the partitions of a list of names. */
#include "plan/exporter/members.h"

#include <string.h>

static size_t find(const struct exporter_partitions *p, const char *name, size_t n)
{
	size_t low = 0, high = p->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strncmp(p->v[middle].name, name, n);
		if (order == 0 && p->v[middle].name[n] == '\0')
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return p->n;
}

static bool is_member(const struct members *m, size_t index)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i] == index)
			return true;
	return false;
}

static struct members members_of(const char *list, const struct exporter_partitions *p,
	struct arena *a)
{
	struct members m = { .several = strchr(list, ',') };
	size_t names = 1;
	for (const char *at = list; *at; at++)
		names += *at == ',';
	m.v = arena_array(a, size_t, names);
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ","), index = find(p, at, n);
		if (index < p->n && !is_member(&m, index))
			m.v[m.n++] = index;
		at += n + (at[n] == ',');
	}
	return m;
}

struct members *members_of_lists(const struct exporter_names *lists,
	const struct exporter_partitions *p, struct arena *a)
{
	struct members *m = arena_array(a, struct members, lists->n + 1);
	for (size_t i = 0; p && i < lists->n; i++)
		m[i] = members_of(lists->v[i], p, a);
	return m;
}
