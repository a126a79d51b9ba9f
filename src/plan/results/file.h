/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what a collector does with one file of the list. Pure.
 *
 * A file is copied into a part beside its place, compared, and only then moved there. So
 * a file with that name, size and time is the file of the list, and a part is never taken
 * for it. A part that a cut connection or a killed collector left is hashed again, and
 * then continued.
 */
#ifndef PLAN_RESULTS_FILE_H
#define PLAN_RESULTS_FILE_H

#include <stdbool.h>
#include <stdint.h>

enum results_there {
	RESULTS_NOTHING,
	RESULTS_FILE,
	RESULTS_OTHER, /* a folder, a link, ... */
};

/* A time that each step of a file system keeps as another one: an odd second. */
#define RESULTS_PROBE_NS INT64_C(1795270001123456789)

/*
 * The step in which a volume keeps times that gave a file kept_ns for RESULTS_PROBE_NS.
 * 1: it keeps all of it, or none of it.
 */
int64_t results_time_step(int64_t kept_ns);

/* The source as the list, or its last checksum, describes it; and its copy. */
struct results_file_view {
	int64_t size, modified_ns;
	enum results_there there; /* in its place */
	int64_t there_size, there_modified_ns;
	int64_t part_bytes; /* of the part of this size and time; -1: there is none */
	int64_t step_ns;    /* of times in the volume: a finer difference is none */
};

enum results_step {
	RESULTS_REFUSE, /* another object is there: it stays */
	RESULTS_KEEP,   /* it is there already */
	RESULTS_BEGIN,  /* with an empty part */
	RESULTS_RESUME, /* behind what the part has */
	RESULTS_VERIFY, /* the part has all its bytes */
};

enum results_step results_file_plan(const struct results_file_view *v);

/* The source by its newest checksum, and the copied part. */
struct results_proof {
	int64_t size, modified_ns;         /* of the source when the part was begun */
	int64_t size_now, modified_ns_now; /* of the source */
	int64_t part_bytes;
	bool same_sum; /* the part and the source have the same SHA-256 */
};

enum results_verdict {
	RESULTS_WHOLE,   /* it can take its place */
	RESULTS_CHANGED, /* the source has changed: the part is of no use */
	RESULTS_SHORT,   /* bytes are missing: they are asked for */
	RESULTS_DAMAGED, /* the part has other bytes: it is of no use */
};

enum results_verdict results_file_judge(const struct results_proof *p);

#endif
