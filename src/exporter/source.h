/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source is read again and again, with its newest answer and the results of its reads.
 * For the files of this folder only.
 */
#ifndef EXPORTER_SOURCE_H
#define EXPORTER_SOURCE_H

#include "exporter/ended.h"
#include "exporter/take.h"
#include "plan/exporter/text.h"
#include "slurm/rest/list.h"

struct source_reader {
	enum exporter_source of;
	struct loop *loop;
	struct slurm *slurm;
	int64_t cache_ms;
	struct exporter_ended *sums; /* of EXPORTER_ACCOUNTING, which adds to them */
	void (*changed)(void *ctx);  /* what it says is something else now */
	void *ctx;

	struct list_memory memory;
	struct slurm_op *op;
	struct ended_reader *ended;
	struct timer *timer;
	struct source_answer *now, *next; /* NULL: nothing is known; nothing is read */
	int64_t began_ms;                 /* the read that is under way, or the last one */
	int64_t asked_ms;                 /* for what it says now */
	int64_t took_ms, pause_ms;        /* of the read that said it, or confirmed it */
	int64_t last_took_ms;             /* of the last read; -1: there was none */
	int failures;                     /* in a row */
	double reads[READ_RESULTS];
};

/* The members up to ctx are given. Begins to read. */
void source_begin(struct source_reader *s);
void source_end(struct source_reader *s);
/* The newest answer; NULL: none, or it is too old to count. */
const struct source_answer *source_says(const struct source_reader *s);

#endif
