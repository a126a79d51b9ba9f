/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the dates of a certificate in a file. */
#include "webhook/certificate_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "net/x509.h"

enum { FILE_BYTES = 64 * 1024 };

struct err certificate_file_check(const char *path, int64_t now_s, int64_t *until_s)
{
	char text[FILE_BYTES], when[TIME_RFC3339_BYTES];
	struct x509_facts f;
	*until_s = 0;
	FILE *file = fopen(path, "re");
	if (!file)
		return err_new(ERR_INVALID, "the certificate %s cannot be read: %s", path,
			strerror(errno));
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	struct err e = x509_read(text, &f);
	if (failed(e))
		return err_wrap(e, "the certificate %s", path);
	*until_s = f.until_s;
	time_format((now_s < f.from_s ? f.from_s : f.until_s) * 1000, when);
	if (now_s < f.from_s)
		return err_new(ERR_INVALID, "the certificate %s is not valid before %s", path,
			when);
	if (now_s >= f.until_s)
		return err_new(ERR_INVALID,
			"the certificate %s has expired at %s, so API servers refuse it; its issuer must renew it",
			path, when);
	return OK;
}
