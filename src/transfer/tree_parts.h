/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a file and its part; for tree.c and part.c. */
#ifndef TRANSFER_TREE_PARTS_H
#define TRANSFER_TREE_PARTS_H

#include "transfer/tree.h"

#define PART_MARK ".part-"
#define SCRATCH_MARK ".results-list-"

enum {
	/* Two hashes of eight digits, and the dot */
	PART_NAME_BYTES = RESULTS_NAME_BYTES - (int)sizeof(PART_MARK) - 16,
};

struct tree {
	int root;
	uint32_t who;    /* a hash of the job's pod */
	int64_t step_ns; /* resolution of times; 1 until it is measured */
};

struct place {
	int folder;
	const char *name; /* of the file in the folder; points into its path */
	char part[RESULTS_NAME_BYTES + 1];
};

/* Opens the parent folder of the entry, with flags O_PATH or O_RDONLY. */
struct err place_open(const struct tree *t, const struct results_entry *e, int flags,
	struct place *out);
void place_close(struct place *p);
/* Describes errno: "opening ... PATH: no such file". */
struct err tree_error(const char *doing, const char *path);

#endif
