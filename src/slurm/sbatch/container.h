/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules for the requests of a container job (a WlmJob): for red-box, which makes its
 * script, and for the code that checks them before. Pure.
 *
 * ERR_INVALID, each: one sentence that begins with the field, and says what would be
 * right.
 */
#ifndef SLURM_SBATCH_CONTAINER_H
#define SLURM_SBATCH_CONTAINER_H

#include <stdint.h>

#include "base/err.h"

/* Before the path of an image that is a file on the side of Slurm. */
#define CONTAINER_LOCAL "local.file"

enum {
	CONTAINER_TEXT_BYTES = 4096, /* of the image, the app, the host name, a bind */
	CONTAINER_BINDS = 100,
};

enum container_number {
	CONTAINER_TIME,   /* seconds */
	CONTAINER_MEMORY, /* of each node, MiB */
	CONTAINER_NODES,
	CONTAINER_CPUS, /* of each node */
	CONTAINER_NUMBERS
};

/* 0 (not asked for) up to what sbatch takes, or computes with, without an overflow. */
struct err container_check_number(enum container_number which, const char *field, int64_t value);
/* No control character, and not too long; may be empty. */
struct err container_check_text(const char *field, const char *text);
/* Such as library://lolcow, or CONTAINER_LOCAL and an absolute path. */
struct err container_check_image(const char *field, const char *image);
/* SOURCE[:PLACE[:OPTIONS]]: Singularity judges what it is, but it is not empty. */
struct err container_check_bind(const char *field, const char *bind);

#endif
