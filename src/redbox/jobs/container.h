/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch script of a container job: a pure function of the client's request.
 *
 * An image that is a file of the cluster ("local.file/PATH") is used in place. Any other
 * image is pulled first, once for the job, into the folder in which the job starts; all
 * nodes see it there, because that folder is on shared storage. A pulled image is removed
 * when the script ends, except if the script itself is killed (SIGKILL). The job ends
 * with the exit code of the container.
 *
 * Texts of the client are written in single quotes: each text is one argument, and no
 * shell interprets it.
 */
#ifndef REDBOX_JOBS_CONTAINER_H
#define REDBOX_JOBS_CONTAINER_H

#include "base/err.h"
#include "base/str.h"
#include "slurm/sbatch/container.h"
#include "wlm/wlm.h"

/* Used if the configuration has no container_command. */
#define CONTAINER_COMMAND "singularity"

/*
 * Appends the script to out. command: see container_takes_command. file: the file name
 * for a pulled image; a name that red-box makes, of letters, digits and "-._".
 * ERR_INVALID: one sentence that starts with the field of the message, and describes
 * valid values.
 */
struct err container_script(const struct wlm_container *c, const char *command, const char *file,
	struct str *out);
/* True for a name or an absolute path of a program: letters, digits and "-._+/". */
bool container_takes_command(const char *command);

#endif
