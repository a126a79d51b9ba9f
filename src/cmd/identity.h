/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a process in a Lease. */
#ifndef CMD_IDENTITY_H
#define CMD_IDENTITY_H

enum { IDENTITY_BYTES = 320 };

/*
 * No two processes may have the same: neither by their host name nor by their pid, which
 * in containers is always 1.
 */
void make_identity(char out[static IDENTITY_BYTES]);

#endif
