/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a pod whose volumes are not ready. */
#include "plan/mounts.h"

#include <string.h>

#include "base/str.h"

const char *mounts_sentence(const struct pod_fact *p, struct arena *a)
{
	if (str_empty(p->mounts))
		return NULL;
	return arena_printf(a,
		"the volumes or the network of the pod are not ready, so no container begins; see whether what it mounts exists (kubectl -n %s get %s); if so, kubectl describe pod says what it waits for",
		p->ns, p->mounts);
}

/* Length of the whole names that a table has room for. */
static size_t bytes_shown(const char *names)
{
	enum { MOST = 80 };
	size_t n = strlen(names);
	while (n > MOST) {
		const char *blank = memrchr(names, ' ', n);
		if (!blank)
			return n; /* one name has 253 bytes at most */
		n = (size_t)(blank - names);
	}
	return n;
}

const char *mounts_word(const struct pod_fact *p, struct arena *a)
{
	if (str_empty(p->mounts))
		return NULL;
	size_t n = bytes_shown(p->mounts);
	char *word = arena_printf(a, "VolumesNotReady:%.*s%s", (int)n, p->mounts,
		p->mounts[n] ? ",..." : "");
	for (char *at = strchr(word, ' '); at; at = strchr(at, ' '))
		*at = ',';
	return word;
}
