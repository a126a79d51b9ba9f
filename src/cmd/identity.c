/* SPDX-License-Identifier: Apache-2.0 */
/* The identity is the host name and a random number. */
#include "cmd/identity.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

void make_identity(char out[static IDENTITY_BYTES])
{
	char host[256] = "unknown";
	uint64_t random = 0;
	gethostname(host, sizeof(host) - 1);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)getpid();
	snprintf(out, IDENTITY_BYTES, "%s_%016llx", host, (unsigned long long)random);
}
