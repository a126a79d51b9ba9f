/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host lists: every name that is given out is sound and not longer than it may be, and a
 * refused list gives none.
 */
#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "slurm/hostlist.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void each(void *ctx, const char *name)
{
	size_t *seen = ctx, len = strlen(name);
	if (len == 0 || len > 255 || strpbrk(name, "[], \n"))
		abort();
	++*seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(own_free) char *list = own_strndup((const char *)bytes, n);
	size_t seen = 0;
	struct err e = hostlist_expand(list, each, &seen);
	if (seen > HOSTLIST_MAX || (failed(e) && seen) || (!failed(e) && *list && !seen))
		abort();
	return 0;
}
