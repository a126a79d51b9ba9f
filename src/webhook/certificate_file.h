/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a certificate file that another program makes and renews. */
#ifndef WEBHOOK_CERTIFICATE_FILE_H
#define WEBHOOK_CERTIFICATE_FILE_H

#include <stdint.h>

#include "base/err.h"

/*
 * ERR_INVALID with a sentence: the certificate cannot be read, has expired, or is not
 * valid yet. *until_s: its end; 0: unknown.
 */
struct err certificate_file_check(const char *path, int64_t now_s, int64_t *until_s);

#endif
