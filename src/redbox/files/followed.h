/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is read while it grows, by the path that clients know. */
#ifndef REDBOX_FILES_FOLLOWED_H
#define REDBOX_FILES_FOLLOWED_H

#include <sys/types.h>

#include "redbox/files/folders.h"

enum {
	FOLLOWED_EVERY_MS = 250, /* between two looks at a file that has nothing new */
	FOLLOWED_LOOKS = 200,    /* looks a second, at all files together */
};

struct followed {
	int fd; /* -1: the file does not exist yet */
	off_t sent;
};

/* The pause between two looks at a file, if so many files are followed. */
int64_t followed_pause_ms(size_t files);
/* True for an error that may pass: the file is missing, or descriptors are used up. */
bool followed_waits(struct err e);
/*
 * Opens the path again, and closes the file that was open, of which everything has been
 * sent. A file that is not the same, or is shorter, is sent from its beginning. False:
 * there is nothing new to send, or *e is the error.
 */
bool followed_look(struct followed *f, const struct folders *folders, const char *path,
	struct err *e);
/*
 * Reads the next bytes, at most so many. 0: everything has been sent, or *e is the error.
 * Closes a file that was deleted on its file server.
 */
size_t followed_read(struct followed *f, const char *path, void *bytes, size_t most, struct err *e);
void followed_close(struct followed *f);

#endif
