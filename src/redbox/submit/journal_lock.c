/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a journal. When red-box is killed, a child that has not reached its exec
 * yet still holds the lock.
 */
#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "redbox/submit/journal_parts.h"

enum { TRIES = 20, PAUSE_NS = 50000000 };

bool journal_lock(int folder)
{
	int tries = TRIES;
	while (flock(folder, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK || --tries == 0)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	return true;
}
