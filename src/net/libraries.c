/* SPDX-License-Identifier: Apache-2.0 */
/* The versions that the libraries of this folder report. */
#include "net/libraries.h"

#include <curl/curl.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <string.h>
#include <uv.h>

/*
 * Parses "libcurl/8.14.1 OpenSSL/3.5.7 zlib/1.3.1": libcurl and the libraries that it has
 * loaded.
 */
static void add_curl(struct str *out)
{
	for (const char *at = curl_version(); *at;) {
		size_t n = strcspn(at, " "), name = strcspn(at, "/ ");
		str_addf(out, "%.*s %.*s\n", (int)name, at, name < n ? (int)(n - name - 1) : 0,
			at + name + 1);
		at += n;
		at += strspn(at, " ");
	}
}

void net_libraries(struct str *out)
{
	add_curl(out);
	str_addf(out, "GnuTLS %s\nlibmicrohttpd %s\nlibuv %s\n", gnutls_check_version(NULL),
		MHD_get_version(), uv_version_string());
}
