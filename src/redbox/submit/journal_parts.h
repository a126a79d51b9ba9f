/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the journal in memory, and its lines; for the files of this folder only. */
#ifndef REDBOX_SUBMIT_JOURNAL_PARTS_H
#define REDBOX_SUBMIT_JOURNAL_PARTS_H

#include <stddef.h>

#include "base/hash.h"
#include "base/str.h"
#include "redbox/submit/journal.h"
#include "slurm/tools/show.h"

enum journal_step {
	/*
	 * The first line: the time since which the journal has lost nothing, and, in
	 * place of the job id, the latest time that the clock has shown
	 */
	JOURNAL_WHOLE = 'W',
	JOURNAL_BEGIN = 'B',
	JOURNAL_ACCEPTED = 'A',
	JOURNAL_FOUND = 'F', /* accepted; the job existed before it was noted */
	JOURNAL_DONE = 'D',
	JOURNAL_KEPT = 'K', /* done; the job existed before it was noted */
	JOURNAL_REFUSED = 'R',
	JOURNAL_CLOSED = 'C', /* written in addition to the key's other lines */
	/* what the key stands for; in addition to the line before it */
	JOURNAL_STANDS = 'S',
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
	int file;   /* -1: the next step rewrites the file */
	size_t lines;
	int64_t whole_since_s; /* wall clock */
	int64_t whole_ms;      /* monotonic; never before our start */
	int64_t latest_s;      /* the latest time that the clock has shown */
	size_t unsettled;
	struct journal_key *keys; /* the key with the oldest last step is first */
};

/* ---- journal_keys.c ---- */

/* NULL if the journal does not have the key. */
struct journal_key *journal_key_of(const struct journal *j, const char *name);
void journal_key_forget(struct journal *j, struct journal_key *k); /* accepts NULL */
/* Applies a step to its key, and moves the key to the end of the list. */
void journal_take(struct journal *j, const struct journal_line *line);
/* Time of the key's last step or closing, whichever is later. */
int64_t journal_key_last_s(const struct journal_key *k);
/* Lowers times that are after now_s: they were noted while the clock was ahead. */
void journal_key_take_back(struct journal_key *k, int64_t now_s);
/* Appends the lines of the key's state. */
void journal_key_add(struct str *text, const struct journal_key *k);

/* ---- journal_lock.c ---- */

/*
 * Waits for a second at most. false: errno has the reason; EWOULDBLOCK: another process
 * holds the lock.
 */
bool journal_lock(int folder);

/* ---- journal_line.c ---- */

/* Appends the line with its checksum and its newline. */
void journal_line_add(struct str *out, const struct journal_line *line);
/* Writes and syncs the lines. false: errno has the reason. */
bool journal_lines_write(int fd, const struct str *lines);
/* True if the checksum is right: some red-box wrote the line, perhaps a newer one. */
bool journal_line_is_whole(const char *text, size_t n);
/* text: one line without its newline. false: journal_line_add did not write it. */
bool journal_line_read(const char *text, size_t n, struct journal_line *out);

#endif
