/* SPDX-License-Identifier: Apache-2.0 */
/* Reads spec.prepare, and finds its faults. */
#include "api/job_inputs.h"

#include <string.h>

#include "base/str.h"

enum { TO_MOST = 3000 }; /* bytes; a path of Linux has 4096, with the names in the volume */

struct job_inputs job_inputs_of(const struct job *j)
{
	const struct json *prepare = json_at(j->object, "spec", "prepare");
	bool asked = job_has_script(j->resource) && !json_is_null(prepare);
	return (struct job_inputs){
		.asked = asked,
		.mount = asked ? json_get(prepare, "mount") : NULL,
		.to = asked ? json_str(json_get(prepare, "to"), "") : "",
	};
}

/* True for a path with "..", which red-box refuses. */
static bool leads_up(const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
		if (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/'))
			return true;
	return false;
}

static struct err check(const struct job_inputs *p)
{
	if (!json_is_obj(p->mount))
		return err_new(ERR_INVALID,
			"spec.prepare.mount is missing: name the volume that has the data");
	if (str_empty(p->to) || strlen(p->to) > TO_MOST)
		return err_new(ERR_INVALID,
			"spec.prepare.to has %zu bytes, and should be the path of a folder on the side of Slurm, of at most %d: . is the working directory of red-box",
			strlen(p->to), TO_MOST);
	if (leads_up(p->to))
		return err_new(ERR_INVALID,
			"spec.prepare.to is \"%.200s\", and may not have \"..\" in it", p->to);
	return OK;
}

struct job_fault job_inputs_fault(const struct job *j, const struct job_options *options)
{
	struct job_inputs p = job_inputs_of(j);
	if (!p.asked)
		return (struct job_fault){ 0 };
	struct err e = check(&p);
	if (failed(e))
		return (struct job_fault){ "InvalidPrepare", e };
	e = job_mount_check("prepare", p.mount, options);
	return failed(e) ? (struct job_fault){ "VolumeNotAllowed", e } : (struct job_fault){ 0 };
}

const char *job_inputs_folder(struct arena *a, const struct job_inputs *p)
{
	const char *name = json_str(json_get(p->mount, "name"), "");
	size_t n = strlen(p->to);
	while (n > 1 && p->to[n - 1] == '/')
		n--;
	if (!n || (n == 1 && p->to[0] == '.'))
		return arena_strdup(a, name);
	return arena_printf(a, "%.*s%s%s", (int)n, p->to, p->to[n - 1] == '/' ? "" : "/", name);
}
