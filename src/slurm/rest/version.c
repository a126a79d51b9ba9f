/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the REST API, newest first. */
#include "slurm/rest/version.h"

#include <string.h>

#include "base/str.h"

/*
 * Measured with Slurm 24.11.5 and 26.05.5. v0.0.40 and v0.0.41 refuse a plain number as
 * update_time ("Parsing of 5 for timestamp failed") but accept "uts" and the number, as
 * Slurm's command line does.
 */
const struct slurm_version slurm_versions[] = {
	{ "v0.0.45", "", false, true },
	{ "v0.0.44", "", false, false },
	{ "v0.0.43", "", false, false },
	{ "v0.0.42", "", false, false },
	{ "v0.0.41", "uts", false, false },
	{ "v0.0.40", "uts", true, false },
	{ NULL, NULL, false, false },
};

static bool is_nodes_path(const char *path, const char *version)
{
	static const char start[] = "/slurm/";
	size_t n = strlen(version);
	if (!str_has_prefix(path, start) || strncmp(path + sizeof(start) - 1, version, n) != 0)
		return false;
	return str_eq(path + sizeof(start) - 1 + n, "/nodes/") ||
		str_eq(path + sizeof(start) - 1 + n, "/nodes");
}

const struct slurm_version *slurm_version_choose(const struct json *openapi)
{
	const struct json *paths = json_get(openapi, "paths");
	for (const struct slurm_version *v = slurm_versions; v->name; v++)
		for (struct json_iter it = json_iter(json_is_obj(paths) ? paths : NULL);
			json_next(&it);)
			if (is_nodes_path(it.key, v->name))
				return v;
	return NULL;
}
