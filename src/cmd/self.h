/* SPDX-License-Identifier: Apache-2.0 */
/* What the process asks of the kernel for itself. */
#ifndef CMD_SELF_H
#define CMD_SELF_H

/*
 * As many open files as the machine allows: a Cluster takes two, and the limit that a
 * process starts with (1,024) is there for programs that use select(2). Logs how many
 * there are, and warns when they are few.
 */
void self_raise_descriptors(void);
/*
 * No core file, and no other process of this user may read our memory: it has tokens.
 * What we start inherits the first alone.
 */
void self_keep_memory(void);

#endif
