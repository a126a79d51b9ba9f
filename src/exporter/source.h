/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a source periodically, and keeps its newest answer and the results of its reads.
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
	struct exporter_ended *sums; /* EXPORTER_ACCOUNTING adds to these sums */
	void (*changed)(void *ctx);  /* called when the answer differs */
	void *ctx;

	struct list_memory memory;
	struct slurm_op *op;
	struct ended_reader *ended;
	struct timer *timer;
	/* the newest answer; the answer being read; or NULL */
	struct source_answer *now, *next;
	int64_t began_ms;          /* start of the current or last read */
	int64_t asked_ms;          /* when the newest answer was requested */
	int64_t took_ms, pause_ms; /* of the last successful read */
	int64_t last_took_ms;      /* of the last read; -1: none yet */
	int failures;              /* number of failed reads in a row */
	double reads[READ_RESULTS];
};

/* Starts to read. The caller sets the members up to ctx. */
void source_begin(struct source_reader *s);
void source_end(struct source_reader *s);
/* The newest answer; NULL: none, or too old. */
const struct source_answer *source_says(const struct source_reader *s);

#endif
