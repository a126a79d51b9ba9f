/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip archives: any bytes are opened or refused; what is opened has plain names only, and
 * gives exactly as many bytes as it says.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { READ_MOST = 1 << 22 }; /* of one file: a bomb takes too long here */

static struct err count(void *ctx, const void *bytes, size_t n)
{
	int64_t *read = ctx;
	(void)bytes;
	*read += (int64_t)n;
	return *read > READ_MOST ? err_new(ERR_CANCELLED, "enough") : OK;
}

static void is_plain(const char *name)
{
	if (!*name || *name == '/' || strstr(name, "//") || strchr(name, '\\') ||
		strcmp(name, "..") == 0 || strncmp(name, "../", 3) == 0 || strstr(name, "/../") ||
		name[strlen(name) - 1] == '/' || strlen(name) > ARCHIVE_NAME_BYTES)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static int fd = -1;
	static const atomic_bool stop;
	struct archive_reader *r = NULL;
	if (fd < 0)
		fd = memfd_create("archive", 0);
	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, n, 0) != (ssize_t)n)
		abort();
	struct err e = archive_open(fd, &stop, &r);
	if (failed(e) && (r || (e.kind != ERR_INVALID && e.kind != ERR_TOO_LARGE)))
		abort();
	for (size_t i = 0; r && i < archive_count(r); i++) {
		struct archive_entry entry = archive_entry(r, i);
		int64_t read = 0;
		is_plain(entry.name);
		if (entry.mode & ~0777u || entry.bytes < 0 || (entry.folder && entry.bytes))
			abort();
		e = entry.folder ? OK : archive_read(r, i, count, &read);
		if (!failed(e) && read != entry.bytes)
			abort();
	}
	archive_close(r);
	return 0;
}
