/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits and protection that a long-running process requests from the kernel for itself.
 */
#ifndef CMD_SELF_H
#define CMD_SELF_H

struct options;

/*
 * Sets the log by the options. Raises the limit of open files to its maximum and logs it,
 * with a warning if it is low: a Cluster needs two, and the limit at the start (1,024) is
 * meant for programs that use select(2). Forbids core files, and reads of our memory by
 * other processes of this user, because it has tokens. A child inherits only the limits.
 */
void self_begin(const struct options *o);
/*
 * Only protects the memory, and sets no limit: for a program whose children need the
 * original limits. Without CAP_SYS_PTRACE no other process of this user may trace this
 * process, read its memory or environment, or take its descriptors. A child has this
 * protection until it executes its program.
 */
void self_hide(void);

#endif
