/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of GRES as Slurm writes them: those that a node has ("gpu:a100:2(S:0-1),fpga"),
 * those of it that jobs have ("gpu:a100:1(IDX:0,2)"), those of a job on a node
 * ("gpu(CNT:3)"), and those that a job asks for ("gres/gpu:2,gres/gpu:a100=1"). Pure.
 *
 *     for (struct gres g; gres_next(&text, &g);)
 */
#ifndef SLURM_GRES_H
#define SLURM_GRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Higher counts become this one. */
#define GRES_COUNT_MOST 1000000000000000

struct gres {
	const char *name, *type; /* point into the list */
	size_t name_n, type_n;   /* type_n 0: the list names no type */
	int64_t count;           /* 1 when the list has none */
	bool marked;             /* "gres/" or "gres:" stands before the name */
};

/* The next entry of the list at *at, which moves behind it. False: there is none. */
bool gres_next(const char **at, struct gres *out);

#endif
