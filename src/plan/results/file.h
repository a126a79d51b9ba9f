/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what a collector does with one file of the list. Pure.
 *
 * A file is copied into a part beside its place, compared, and only then moved there. So
 * a file with the name, size and time of the list is the listed file, and a part is never
 * mistaken for it. A part that a cut connection or a killed collector left is hashed
 * again, and then continued.
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

/*
 * An odd second with nanoseconds: each resolution of a file system changes it
 * differently.
 */
#define RESULTS_PROBE_NS INT64_C(1795270001123456789)

/*
 * The resolution of times of a volume that stored RESULTS_PROBE_NS as kept_ns. 1: it
 * stores the time unchanged, or no known resolution gives kept_ns.
 */
int64_t results_time_step(int64_t kept_ns);

/* The source, from the list or its last checksum, and the copy of it. */
struct results_file_view {
	int64_t size, modified_ns;
	enum results_there there; /* what is at its place */
	int64_t there_size, there_modified_ns;
	int64_t part_bytes; /* size of the part for this size and time; -1: there is none */
	int64_t step_ns; /* resolution of times in the volume: smaller differences do not count */
};

enum results_step {
	RESULTS_REFUSE, /* another object is there, and stays */
	RESULTS_KEEP,   /* the file is there already */
	RESULTS_BEGIN,  /* with an empty part */
	RESULTS_RESUME, /* after the bytes of the part */
	RESULTS_VERIFY, /* the part has all bytes */
};

enum results_step results_file_plan(const struct results_file_view *v);

/* The source at its newest checksum, and the copied part. */
struct results_proof {
	int64_t size, modified_ns;         /* of the source when the part was begun */
	int64_t size_now, modified_ns_now; /* of the source now */
	int64_t part_bytes;
	bool same_sum; /* the part and the source have the same SHA-256 */
};

enum results_verdict {
	RESULTS_WHOLE,   /* the part can be moved to its place */
	RESULTS_CHANGED, /* the source has changed, so the part is useless */
	RESULTS_SHORT,   /* bytes are missing, and must be requested */
	RESULTS_DAMAGED, /* the part differs from the source, so it is useless */
};

enum results_verdict results_file_judge(const struct results_proof *p);

#endif
