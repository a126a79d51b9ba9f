/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is read while it grows, by the path that clients know. */
#ifndef REDBOX_FILES_FOLLOWED_H
#define REDBOX_FILES_FOLLOWED_H

#include <sys/types.h>

#include "redbox/files/folders.h"

enum {
	FOLLOWED_EVERY_MS = 250, /* between two looks at a file that has nothing new */
	FOLLOWED_LOOKS = 200,    /* a second, at all files together */
};

struct followed {
	int fd; /* -1: it is not there yet */
	off_t sent;
};

/* When to look again, with so many files in all. */
int64_t followed_pause_ms(size_t files);
/* A missing file is no failure, and neither is a moment without descriptors. */
bool followed_waits(struct err e);
/*
 * The file that has the path now takes the place of the one that is open, of which
 * everything has been sent. It is sent from its beginning when it is another file, or
 * shorter. False: there is nothing new, or *e.
 */
bool followed_look(struct followed *f, const struct folders *folders, const char *path,
	struct err *e);
/*
 * Reads what is next, at most that many bytes; 0: everything has been sent, or *e. A file
 * that was deleted on its server is closed.
 */
size_t followed_read(struct followed *f, const char *path, void *bytes, size_t most, struct err *e);
void followed_close(struct followed *f);

#endif
