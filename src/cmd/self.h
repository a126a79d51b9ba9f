/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits and protection that a long-running process requests from the kernel for itself.
 */
#ifndef CMD_SELF_H
#define CMD_SELF_H

struct options;

/*
 * Sets the log as the options say. Raises the limit of open files to what the machine
 * allows: a Cluster takes two, and the limit that a process starts with (1,024) is there
 * for programs that use select(2). Logs the limit, and warns when it is low. Forbids core
 * files, and reads of our memory by other processes of this user: it has tokens. A child
 * inherits the limits alone.
 */
void self_begin(const struct options *o);
/*
 * The last of that alone, and no limit: for a program whose children have its limits. No
 * process of this user may trace this one, read its memory or environment, or take its
 * descriptors, without CAP_SYS_PTRACE. A child has the same until it runs its program.
 */
void self_hide(void);

#endif
