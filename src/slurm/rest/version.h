/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of the REST interface that we speak, and what differs between them. */
#ifndef SLURM_REST_VERSION_H
#define SLURM_REST_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"

struct slurm_version {
	const char *name;        /* as in paths: "v0.0.42" */
	const char *time_prefix; /* update_time takes this and the seconds since 1970 */
	/*
	 * jobs/state names the tasks of an array by the id of the array, not by their own
	 */
	bool array_ids;
	/* The Slurm takes jobs for a partition without nodes, as 26.05.5, not 24.11.5 */
	bool takes_empty;
};

/* Newest first; the name of the one behind the last is NULL. */
extern const struct slurm_version slurm_versions[];

/*
 * The newest of ours for which the paths of an /openapi/v3 document have "nodes/"; NULL:
 * none.
 */
const struct slurm_version *slurm_version_choose(const struct json *openapi);

#endif
