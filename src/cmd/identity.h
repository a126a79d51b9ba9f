/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a process in a Lease. */
#ifndef CMD_IDENTITY_H
#define CMD_IDENTITY_H

enum { IDENTITY_BYTES = 320 };

/*
 * Makes an identity that no other process has. Host name and pid are not enough, because
 * the pid in a container is always 1.
 */
void make_identity(char out[static IDENTITY_BYTES]);

#endif
