/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the requests of a container job (a WlmJob): for red-box, which builds its
 * script, and for the code that validates the object before. Pure.
 *
 * Each function returns ERR_INVALID with one sentence, which begins with the field and
 * states a valid value.
 */
#ifndef SLURM_SBATCH_CONTAINER_H
#define SLURM_SBATCH_CONTAINER_H

#include <stdint.h>

#include "base/err.h"

/* The prefix of an image that is a file on the nodes of Slurm. */
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

/*
 * From 0 (not requested) to the largest number that sbatch can use without an overflow.
 */
struct err container_check_number(enum container_number which, const char *field, int64_t value);
/* No control character, and at most CONTAINER_TEXT_BYTES; may be empty. */
struct err container_check_text(const char *field, const char *text);
/* An image such as library://lolcow, or CONTAINER_LOCAL and an absolute path. */
struct err container_check_image(const char *field, const char *image);
/* SOURCE[:PLACE[:OPTIONS]], not empty. Singularity checks the rest. */
struct err container_check_bind(const char *field, const char *bind);

#endif
