/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a journal that another red-box may be using: takes no lock, writes nothing, and
 * reads the file once. The journal is always a complete file, except that its last line
 * may be half written.
 */
#ifndef REDBOX_SUBMIT_JOURNAL_LOOK_H
#define REDBOX_SUBMIT_JOURNAL_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct journal_look {
	bool found;   /* the file exists */
	int64_t keys; /* number of keys; 0 without a file */
	/* the journal has each key since then; 0: its first line is missing */
	int64_t since_s;
	int64_t damaged; /* number of the first damaged line, from 1; 0: none */
	/* number of lines of a newer red-box, which this one treats as damage */
	int64_t newer;
	bool torn; /* the last line is incomplete */
};

/*
 * ERR_DENIED, ERR_RETRY, ERR_INTERNAL: the journal cannot be read. Needs no loop: a
 * thread may call it after hash_key has been called once.
 */
struct err journal_look(const char *folder, struct journal_look *out);

#endif
