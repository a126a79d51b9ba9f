/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A truth value that may be unknown. UNKNOWN is a value of its own, never a default for
 * NO.
 */
#ifndef BASE_TRI_H
#define BASE_TRI_H

enum tri { UNKNOWN, NO, YES };

#endif
