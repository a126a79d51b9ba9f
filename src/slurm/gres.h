/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads GRES lists of Slurm: of a node ("gpu:a100:2(S:0-1),fpga"), in use on a node
 * ("gpu:a100:1(IDX:0,2)"), of a job on a node ("gpu(CNT:3)"), and requested by a job
 * ("gres/gpu:2,gres/gpu:a100=1"). Pure.
 *
 *     for (struct gres g; gres_next(&text, &g);)
 */
#ifndef SLURM_GRES_H
#define SLURM_GRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limit of a count; larger counts are set to it. */
#define GRES_COUNT_MOST 1000000000000000

struct gres {
	const char *name, *type; /* point into the list */
	size_t name_n, type_n;   /* type_n 0: the list names no type */
	int64_t count;           /* 1 when the list has none */
	bool marked;             /* the name has the prefix "gres/" or "gres:" */
};

/* Reads the next entry of the list, and moves *at past it. False: the list has ended. */
bool gres_next(const char **at, struct gres *out);

#endif
