/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A truth that may be unknown. UNKNOWN is an answer of its own, never a default for NO.
 */
#ifndef BASE_TRI_H
#define BASE_TRI_H

enum tri { UNKNOWN, NO, YES };

#endif
