/* SPDX-License-Identifier: Apache-2.0 */
/* Admits clients that show the token of a file, which is read again when it changes. */
#ifndef EXPORTER_SCRAPERS_H
#define EXPORTER_SCRAPERS_H

#include <stdbool.h>

#include "base/err.h"
#include "net/loop.h"

struct scrapers;

/* ERR_INVALID: the file cannot be read now, or no client could send what it has. */
struct err scrapers_new(struct loop *l, const char *path, struct scrapers **out);
/* By the header Authorization, any text of a client; NULL: the client sent none. */
bool scrapers_permit(const struct scrapers *s, const char *authorization);
void scrapers_free(struct scrapers *s); /* accepts NULL */

#endif
