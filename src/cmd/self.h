/* SPDX-License-Identifier: Apache-2.0 */
/* What a process that stays asks of the kernel for itself. */
#ifndef CMD_SELF_H
#define CMD_SELF_H

struct options;

/*
 * The log is as the options say. As many files may be open as the machine allows: a
 * Cluster takes two, and the limit that a process starts with (1,024) is there for
 * programs that use select(2). Logs how many there are, and warns when they are few. No
 * core file, and no other process of this user may read our memory: it has tokens. What
 * we start inherits the limits alone.
 */
void self_begin(const struct options *o);
/*
 * The last of that alone, and no limit: for a program whose children have its limits. No
 * process of this user may trace this one, read its memory or environment, or take its
 * descriptors, without CAP_SYS_PTRACE. A child has the same until it runs its program.
 */
void self_hide(void);

#endif
