/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm host lists: "node[0-2,5],rack[1-2]n[01-03],login". */
#ifndef SLURM_HOSTLIST_H
#define SLURM_HOSTLIST_H

#include <stddef.h>

#include "base/err.h"

enum { HOSTLIST_MAX = 65536 }; /* slurm.conf.5: the ceiling of MaxNodeCount */

/*
 * Counts the hosts of a list without building the names. Errors as for hostlist_expand.
 */
struct err hostlist_count(const char *list, size_t *n);
/*
 * Calls each(ctx, name) for every host. ERR_INVALID with the position for a malformed
 * list; ERR_TOO_LARGE for more than HOSTLIST_MAX hosts.
 */
struct err hostlist_expand(const char *list, void (*each)(void *ctx, const char *name), void *ctx);

#endif
