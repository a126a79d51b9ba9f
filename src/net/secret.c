/* SPDX-License-Identifier: Apache-2.0 */
/* Compares tokens of clients, and finds them in headers. */
#include "net/secret.h"

#include <gnutls/gnutls.h>
#include <string.h>
#include <strings.h>

bool secret_same(const char *a, const char *b)
{
	size_t n = strlen(a);
	return n == strlen(b) && gnutls_memcmp(a, b, n) == 0;
}

const char *bearer_of(const char *authorization)
{
	static const char scheme[] = "Bearer ";
	if (!authorization || strncasecmp(authorization, scheme, strlen(scheme)) != 0)
		return NULL;
	authorization += strlen(scheme);
	return authorization + strspn(authorization, " ");
}
