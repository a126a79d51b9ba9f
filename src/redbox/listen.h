/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket that red-box listens on: either one from systemd, or its own, which only the
 * account and one group may open (mode 0660).
 */
#ifndef REDBOX_LISTEN_H
#define REDBOX_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Takes a listening socket from systemd (LISTEN_FDS); *fd is -1 if there is none.
 * ERR_INVALID: systemd passed something else. Removes systemd's variables from the
 * environment, which jobs inherit.
 */
struct err listen_inherited(int *fd);

/*
 * Listens on a socket at path, whose folder exists. A socket file without a listener is
 * removed first. ERR_EXISTS: it has a listener, or the file is not a socket. group
 * (gid_t)-1: the group of the process. The caller owns the descriptor.
 */
struct err listen_at(const char *path, gid_t group, int *fd);

#endif
