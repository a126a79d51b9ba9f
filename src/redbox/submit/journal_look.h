/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look at a journal that another red-box may have: it takes no lock, writes nothing,
 * and reads the file once. The journal is always a complete file; its last line may be
 * one that is being written.
 */
#ifndef REDBOX_SUBMIT_JOURNAL_LOOK_H
#define REDBOX_SUBMIT_JOURNAL_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct journal_look {
	bool found;      /* there is a file */
	int64_t keys;    /* that it has; 0 without a file */
	int64_t since_s; /* it has each key since then; 0: its first line is missing */
	int64_t damaged; /* the first line that is damaged, from 1; 0: none */
	int64_t newer;   /* lines of a newer red-box, which this one would take for damage */
	bool torn;       /* the last line is not whole */
};

/*
 * ERR_DENIED, ERR_RETRY, ERR_INTERNAL: it cannot be read. Needs no loop: a thread may
 * call it, after hash_key has been called once.
 */
struct err journal_look(const char *folder, struct journal_look *out);

#endif
