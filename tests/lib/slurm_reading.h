/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of many things, nodes or jobs, that the fake slurmrestd answers: what came of
 * it, as text. start begins the read; each thing that is given out adds a word to
 * seen.text, and its end calls seen_done.
 *
 *     struct setup t;
 *     begin_reading(&t, start, "reading the nodes of Slurm: ");
 *     rest_replays(t.f, "GET /slurm/v0.0.42/nodes/", "24.11/v0.0.42/nodes");
 *     was_read(&t, "n1 n2 ");
 *     end_reading(&t);
 */
#ifndef TESTS_LIB_SLURM_READING_H
#define TESTS_LIB_SLURM_READING_H

#include "lib/fake_slurmrestd.h"

struct seen {
	int calls;
	struct err err;
	bool changed;
	int64_t asked_ms;
	struct str text; /* one word for each thing that was given out */
	struct slurm *free_me;
};

struct setup {
	struct fake_slurmrestd *f;
	struct slurm *s;
	struct seen seen;
	void (*start)(struct setup *t);
	const char *errors_begin;
};

/* The callback for the end of a read */
void seen_done(struct seen *s, struct err err, bool changed, int64_t asked_ms);

/* A client that has asked for its version, and begun to read */
void begin_reading(struct setup *t, void (*start)(struct setup *t), const char *errors_begin);
void read_again(struct setup *t);
void end_reading(struct setup *t);

/* Without an error, once, and these things */
void was_read(const struct setup *t, const char *expected);
/* Once, with such an error, and nothing was given out */
void has_failed(const struct setup *t, enum err_kind kind);

#endif
