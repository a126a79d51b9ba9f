/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket that red-box listens on: one that systemd hands over, or its own, which only
 * the account and one group may open (mode 0660).
 */
#ifndef REDBOX_LISTEN_H
#define REDBOX_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * A listening socket from systemd (LISTEN_FDS); *fd -1 when it gave none. ERR_INVALID: it
 * gave something else. Its variables leave the environment, which jobs inherit.
 */
struct err listen_inherited(int *fd);

/*
 * Listens on a socket at path, whose folder exists. A socket file without a listener is
 * removed first; ERR_EXISTS: it has a listener, or the file is no socket. group
 * (gid_t)-1: that of the process. The descriptor is the caller's.
 */
struct err listen_at(const char *path, gid_t group, int *fd);

#endif
