/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the tools, and builds their environments. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/tools/tools_parts.h"

const char *const tool_names[TOOLS] = {
	[TOOL_SACCT] = "sacct",
	[TOOL_SBATCH] = "sbatch",
	[TOOL_SCANCEL] = "scancel",
	[TOOL_SCONTROL] = "scontrol",
	[TOOL_SINFO] = "sinfo",
	[TOOL_SQUEUE] = "squeue",
	[TOOL_SDIAG] = "sdiag",
};

/*
 * Environment variables set options of the tools. The variables of our own environment,
 * which may be that of a Slurm job, are not meant for the jobs of others. Neither are the
 * variables that systemd sets for its services.
 */
static const char *const left_out[] = { "SLURM_", "SBATCH_", "SACCT_", "SCANCEL_", "SCONTROL_",
	"SINFO_", "SQUEUE_", "NOTIFY_SOCKET=", "LISTEN_", "WATCHDOG_",
	"INVOCATION_ID=", "JOURNAL_STREAM=", "SYSTEMD_EXEC_PID=", "CREDENTIALS_DIRECTORY=" };
static const char *const kept[] = { "SLURM_CONF=" };
/*
 * For tools that only read. sbatch keeps our locale, because its environment becomes that
 * of the job; its messages have only one language.
 */
static const char *const to_read[] = {
	"LC_ALL=C", "SLURM_TIME_FORMAT=standard",
	"SLURM_BITSTR_LEN=16384", /* otherwise a long list of tasks is cut */
};

static bool begins_with_one(const char *text, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_has_prefix(text, prefixes[i]))
			return true;
	return false;
}

static const char **make_environment(struct arena *a, bool reads)
{
	size_t all = 0, n = 0;
	while (environ[all])
		all++;
	const char **env = arena_array(a, const char *, all + LENGTH(to_read) + 1);
	for (size_t i = 0; i < all; i++) {
		if (begins_with_one(environ[i], left_out, LENGTH(left_out)) &&
			!begins_with_one(environ[i], kept, LENGTH(kept)))
			continue;
		if (reads && str_has_prefix(environ[i], "LC_ALL="))
			continue;
		env[n++] = arena_strdup(a, environ[i]);
	}
	for (size_t i = 0; reads && i < LENGTH(to_read); i++)
		env[n++] = to_read[i];
	return env;
}

static bool is_program(const char *path)
{
	struct stat about;
	return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/*
 * The first program of this name in the folders, which are separated by ":"; NULL: none.
 */
static const char *find(struct arena *a, const char *folders, const char *name)
{
	for (const char *at = folders, *end;; at = end + 1) {
		end = strchrnul(at, ':');
		const char *path = arena_printf(a, "%.*s/%s", end > at ? (int)(end - at) : 1,
			end > at ? at : ".", name);
		if (is_program(path))
			return path;
		if (!*end)
			return NULL;
	}
}

void slurm_tools_look(const char *folder, struct arena *a,
	struct slurm_tool_found out[static SLURM_TOOLS])
{
	const char *path = getenv("PATH");
	_Static_assert((int)SLURM_TOOLS == (int)TOOLS, "a row for each tool");
	path = path ? path : "/usr/bin:/bin";
	for (int i = 0; i < TOOLS; i++) {
		const char *one = arena_printf(a, "%s/%s", folder ? folder : "", tool_names[i]);
		out[i] = (struct slurm_tool_found){
			.name = tool_names[i],
			.path = !folder           ? find(a, path, tool_names[i])
				: is_program(one) ? one
						  : NULL,
			.needed = i != TOOL_SDIAG,
		};
	}
}

struct err tools_set_up(struct slurm_tools *t, const char *folder)
{
	AUTO(str_free) struct str missing = { 0 };
	struct slurm_tool_found found[TOOLS];
	slurm_tools_look(folder, &t->texts, found);
	for (int i = 0; i < TOOLS; i++) {
		t->paths[i] = found[i].path;
		if (!found[i].path && found[i].needed)
			str_addf(&missing, "%s%s", missing.len ? ", " : "", found[i].name);
	}
	if (missing.len)
		return err_new(ERR_INVALID,
			"tools of Slurm are missing in %s: %s. Install Slurm's client, or name the folder that has it",
			folder ? folder : "the PATH", str_text(&missing));
	t->env_to_read = make_environment(&t->texts, true);
	t->env_of_jobs = make_environment(&t->texts, false);
	return OK;
}
