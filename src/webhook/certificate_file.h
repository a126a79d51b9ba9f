/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a certificate that others make and renew has expired. */
#ifndef WEBHOOK_CERTIFICATE_FILE_H
#define WEBHOOK_CERTIFICATE_FILE_H

#include <stdint.h>

#include "base/err.h"

/*
 * ERR_INVALID with a sentence: it cannot be read, is over, or not valid yet. *until_s:
 * its end; 0: unknown.
 */
struct err certificate_file_check(const char *path, int64_t now_s, int64_t *until_s);

#endif
