/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison by GnuTLS. */
#include "net/secret.h"

#include <gnutls/gnutls.h>
#include <string.h>

bool secret_same(const char *a, const char *b)
{
	size_t n = strlen(a);
	return n == strlen(b) && gnutls_memcmp(a, b, n) == 0;
}
