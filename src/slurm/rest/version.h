/* SPDX-License-Identifier: Apache-2.0 */
/* The supported versions of the REST API, and the differences between them. */
#ifndef SLURM_REST_VERSION_H
#define SLURM_REST_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"

struct slurm_version {
	const char *name;        /* as in paths: "v0.0.42" */
	const char *time_prefix; /* before the seconds since 1970 in update_time */
	/*
	 * jobs/state lists the tasks of an array by the id of the array, not by their own
	 */
	bool array_ids;
	/*
	 * Slurm accepts jobs for a partition without nodes: 26.05.5 does, 24.11.5 does
	 * not
	 */
	bool takes_empty;
};

/* Newest first; ended by a row without a name. */
extern const struct slurm_version slurm_versions[];

/*
 * The newest supported version with the path "nodes/" in an /openapi/v3 document; NULL:
 * none.
 */
const struct slurm_version *slurm_version_choose(const struct json *openapi);

#endif
