/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch script of a container job: a pure function of what the client asks for.
 *
 * The image is taken from where it is ("local.file/PATH": a file of the cluster), or
 * pulled first, once for the job, into the folder that the job begins in; all nodes see
 * it there, because that folder is on shared storage. A pulled image is removed when the
 * script ends, however it ends, but for a kill (SIGKILL) of the script itself. The exit
 * code of the run is that of the job.
 *
 * Texts of the client stand in single quotes: each is one argument, whatever it holds,
 * and no shell interprets it.
 */
#ifndef REDBOX_JOBS_CONTAINER_H
#define REDBOX_JOBS_CONTAINER_H

#include "base/err.h"
#include "base/str.h"
#include "slurm/sbatch/container.h"
#include "wlm/wlm.h"

/* When the configuration has no container_command. */
#define CONTAINER_COMMAND "singularity"

/*
 * The script, appended. command: container_takes_command. file: what a pulled image is
 * called; a name of ours, of letters, digits and "-._". ERR_INVALID: one sentence that
 * begins with the field of the message, and says what would be right.
 */
struct err container_script(const struct wlm_container *c, const char *command, const char *file,
	struct str *out);
/* The name or the absolute path of a program: letters, digits and "-._+/". */
bool container_takes_command(const char *command);

#endif
