/* SPDX-License-Identifier: Apache-2.0 */
/* Durations and times of Slurm's tools: what is taken is a number of seconds, or none. */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "slurm/duration.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(own_free) char *text = own_strndup((const char *)bytes, n);
	int64_t s;
	struct err e = slurm_duration_parse(text, &s);
	if (s < SLURM_ABSENT || (failed(e) && s != SLURM_ABSENT))
		abort();
	if (s >= 0 && strspn(text, "0123456789:-") != strlen(text))
		abort();
	e = slurm_time_parse(text, &s);
	if (s < SLURM_ABSENT || (failed(e) && s != SLURM_ABSENT))
		abort();
	if (s >= 0 && strlen(text) != 19)
		abort();
	return 0;
}
