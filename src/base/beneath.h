/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens beneath a folder, and never out of it, whatever becomes of the tree meanwhile:
 * the kernel resolves the path (openat2, Linux 5.6).
 */
#ifndef BASE_BENEATH_H
#define BASE_BENEATH_H

#include <stdbool.h>

enum beneath_links {
	BENEATH_NO_LINKS, /* a symbolic link on the way is ELOOP */
	BENEATH_LINKS,    /* one that stays within the folder is followed */
};

/* A descriptor (O_CLOEXEC), or -1 and errno. Nothing is made. */
int beneath_open(int root, const char *path, int flags, enum beneath_links links);
/* Whether this process has the call: systemd's RestrictSUIDSGID=yes takes it away. */
bool beneath_works(void);

#endif
