/* SPDX-License-Identifier: Apache-2.0 */
/* The journal's keys in memory and its lines; for the files of this folder only. */
#ifndef DAEMONS_REDBOX_JOURNAL_PARTS_H
#define DAEMONS_REDBOX_JOURNAL_PARTS_H

#include <stddef.h>

#include "base/hash.h"
#include "base/str.h"
#include "daemons/redbox/journal.h"

enum journal_step {
	/*
	 * The first line: since when the journal has lost nothing, and instead of a job
	 * the latest second that the clock has shown
	 */
	JOURNAL_WHOLE = 'W',
	JOURNAL_BEGIN = 'B',
	JOURNAL_ACCEPTED = 'A',
	JOURNAL_DONE = 'D',
	JOURNAL_REFUSED = 'R',
};

struct journal_line {
	enum journal_step step;
	int64_t wall_s, job_id;
	int64_t boot_s; /* JOURNAL_ACCEPTED only */
	char key[JOURNAL_KEY_BYTES + 1];
};

struct journal_key {
	UT_hash_handle hh;
	struct journal_entry entry;
	char name[];
};

/*
 * Waits for a second at most. false: errno says why; EWOULDBLOCK: another process has it.
 */
bool journal_lock(int folder);

/* Appends the line with its checksum and its end. */
void journal_line_add(struct str *out, const struct journal_line *line);
/* text: one line without its end. false: it is not one that journal_line_add made. */
bool journal_line_read(const char *text, size_t n, struct journal_line *out);

#endif
