/* SPDX-License-Identifier: Apache-2.0 */
/* The journal's keys in memory and its lines; for the files of this folder only. */
#ifndef REDBOX_SUBMIT_JOURNAL_PARTS_H
#define REDBOX_SUBMIT_JOURNAL_PARTS_H

#include <stddef.h>

#include "base/hash.h"
#include "base/str.h"
#include "redbox/submit/journal.h"
#include "slurm/tools/show.h"

enum journal_step {
	/*
	 * The first line: since when the journal has lost nothing, and instead of a job
	 * the latest second that the clock has shown
	 */
	JOURNAL_WHOLE = 'W',
	JOURNAL_BEGIN = 'B',
	JOURNAL_ACCEPTED = 'A',
	JOURNAL_FOUND = 'F', /* accepted; its job was there before it was noted */
	JOURNAL_DONE = 'D',
	JOURNAL_KEPT = 'K', /* done; its job was there before it was noted */
	JOURNAL_REFUSED = 'R',
	JOURNAL_CLOSED = 'C', /* beside what the key's other lines say */
	JOURNAL_STANDS = 'S', /* what the key stands for; behind its line, and beside it */
};

struct journal_line {
	enum journal_step step;
	int64_t wall_s, job_id;
	int64_t boot_s;  /* JOURNAL_ACCEPTED and JOURNAL_FOUND only */
	int64_t since_s; /* JOURNAL_FOUND and JOURNAL_KEPT only */
	int64_t content; /* JOURNAL_STANDS only */
	char key[SLURM_KEY_BYTES + 1];
};

struct journal_key {
	UT_hash_handle hh;
	struct journal_entry entry;
	char name[];
};

struct journal {
	struct loop *loop;
	int folder; /* locked */
	int file;   /* -1: the next step writes it anew */
	size_t lines;
	int64_t whole_since_s; /* wall */
	int64_t whole_ms;      /* monotonic; our start at the earliest */
	int64_t latest_s;      /* the latest that the clock has shown */
	size_t unsettled;
	struct journal_key *keys; /* those with the oldest last step first */
};

/* ---- journal_keys.c ---- */

/* NULL: the journal does not have it. */
struct journal_key *journal_key_of(const struct journal *j, const char *name);
void journal_key_forget(struct journal *j, struct journal_key *k); /* accepts NULL */
/* Applies a step to its key, and moves the key to the end of the list. */
void journal_take(struct journal *j, const struct journal_line *line);
/* The later of its last step and its closing. */
int64_t journal_key_last_s(const struct journal_key *k);
/* Lowers times that are after now_s: the clock was ahead when they were noted. */
void journal_key_take_back(struct journal_key *k, int64_t now_s);
/* Appends the lines of the key's state. */
void journal_key_add(struct str *text, const struct journal_key *k);

/* ---- journal_lock.c ---- */

/*
 * Waits for a second at most. false: errno says why; EWOULDBLOCK: another process has it.
 */
bool journal_lock(int folder);

/* ---- journal_line.c ---- */

/* Appends the line with its checksum and its end. */
void journal_line_add(struct str *out, const struct journal_line *line);
/* Writes and syncs the lines. false: errno says why. */
bool journal_lines_write(int fd, const struct str *lines);
/* Whether the checksum is right: a red-box has written the line, perhaps a newer one. */
bool journal_line_is_whole(const char *text, size_t n);
/* text: one line without its end. false: it is not one that journal_line_add made. */
bool journal_line_read(const char *text, size_t n, struct journal_line *out);

#endif
