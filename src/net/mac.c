/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC by GnuTLS. */
#include "net/mac.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

struct err mac_sha256(const void *key, size_t key_bytes, const void *text, size_t text_bytes,
	unsigned char out[static MAC_SHA256_BYTES])
{
	int code = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_bytes, text, text_bytes, out);
	return code == GNUTLS_E_SUCCESS
		? OK
		: err_new(ERR_INTERNAL, "no HMAC is made: %s", gnutls_strerror(code));
}
