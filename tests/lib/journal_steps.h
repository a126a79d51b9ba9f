/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of one key, which the journal takes for several at once. */
#ifndef TESTS_LIB_JOURNAL_STEPS_H
#define TESTS_LIB_JOURNAL_STEPS_H

#include "redbox/submit/journal.h"

static inline struct err is_begun(struct journal *j, const char *key)
{
	return journal_begin(j, &(struct journal_begun){ .key = key }, 1);
}

static inline struct err is_accepted(struct journal *j, const char *key, int64_t job_id,
	int64_t boot_s)
{
	return journal_accepted(j, &(struct journal_job){ key, job_id, boot_s }, 1);
}

#endif
