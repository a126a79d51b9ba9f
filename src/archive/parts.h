/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by reader and writer; private to this folder. */
#ifndef ARCHIVE_PARTS_H
#define ARCHIVE_PARTS_H

#include "archive/archive.h"

static inline struct err archive_too_many(void)
{
	return err_new(ERR_TOO_LARGE, "it has more than %d files and folders", ARCHIVE_ENTRIES);
}

static inline struct err archive_too_large(void)
{
	return err_new(ERR_TOO_LARGE, "its files have more than %d GiB together",
		(int)(ARCHIVE_BYTES >> 30));
}

#endif
