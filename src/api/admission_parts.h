/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the admission rules share; for the files of this folder only. */
#ifndef API_ADMISSION_PARTS_H
#define API_ADMISSION_PARTS_H

#include "api/admission.h"

/* Add a sentence, which is copied. */
void admission_deny(struct admission *a, const char *text);
void admission_warn(struct admission *a, const char *text);
/* Denies a new fault; warns of a fault that the old object has as well. */
void admission_judge(struct admission *a, struct err new, struct err old);
/* Judges each fault of two lists as admission_judge does, in any order. */
void admission_judge_all(struct admission *a, const struct err *new, size_t n,
	const struct err *old, size_t n_old);
/*
 * Compares the JSON texts of the API server letter by letter: members in another order
 * count as another value, and the comparison takes linear time.
 */
bool same_value(const struct json *a, const struct json *b);

#endif
