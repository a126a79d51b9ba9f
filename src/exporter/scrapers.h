/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authenticates clients by a token from a file. The file is read again when it changes.
 */
#ifndef EXPORTER_SCRAPERS_H
#define EXPORTER_SCRAPERS_H

#include <stdbool.h>

#include "base/err.h"
#include "net/loop.h"

struct scrapers;

/* ERR_INVALID: the file cannot be read, or its text is not usable as a token. */
struct err scrapers_new(struct loop *l, const char *path, struct scrapers **out);
/* Checks the header Authorization, an untrusted text; NULL: the client sent none. */
bool scrapers_permit(const struct scrapers *s, const char *authorization);
void scrapers_free(struct scrapers *s); /* accepts NULL */

#endif
