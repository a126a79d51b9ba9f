/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a path beneath a folder, and never outside of it, even when the tree changes
 * meanwhile: the kernel resolves the path (openat2, Linux 5.6).
 */
#ifndef BASE_BENEATH_H
#define BASE_BENEATH_H

#include <stdbool.h>

enum beneath_links {
	BENEATH_NO_LINKS, /* a symbolic link in the path fails with ELOOP */
	BENEATH_LINKS,    /* a symbolic link that stays within the folder is followed */
};

/* Returns a descriptor (O_CLOEXEC), or -1 and errno. Creates nothing. */
int beneath_open(int root, const char *path, int flags, enum beneath_links links);
/* Whether this process may call openat2: systemd's RestrictSUIDSGID=yes blocks it. */
bool beneath_works(void);

#endif
