/* SPDX-License-Identifier: Apache-2.0 */
/* The system call openat2, which libc does not wrap. */
#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIES = 8 };

/*
 * openat2 fails with EAGAIN when a rename or a mount elsewhere in the tree happens at the
 * same moment, so try again.
 */
int beneath_open(int root, const char *path, int flags, enum beneath_links links)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
			(links == BENEATH_NO_LINKS ? RESOLVE_NO_SYMLINKS : 0),
	};
	long fd = -1;
	for (int tries = 0; tries < TRIES; tries++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return (int)fd;
}

bool beneath_works(void)
{
	int fd = beneath_open(AT_FDCWD, ".", O_PATH, BENEATH_LINKS);
	bool works = fd >= 0 || errno != ENOSYS;
	if (fd >= 0)
		close(fd);
	return works;
}
