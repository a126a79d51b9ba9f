/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes zip archives. The only user of libzip. Each function blocks, and large
 * files take long, so call it in a thread (net/work.h). Long work checks *stop often.
 *
 * The reader does not trust archives. archive_open accepts an archive only if each entry
 * is a regular file or a folder with a plain relative name, is deflated or stored, and if
 * the stated sizes are within the limits below. archive_read fails if an entry does not
 * have exactly the stated size and checksum.
 *
 * Names are bytes. libzip turns a NUL byte in a name of an archive into a blank.
 *
 * Memory holds the list of entries (16 MiB of an archive take about 100 MiB of memory)
 * and one piece of one file.
 */
#ifndef ARCHIVE_ARCHIVE_H
#define ARCHIVE_ARCHIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum {
	ARCHIVE_ENTRIES = 100000,
	/* limit when reading: the list; when writing: all names */
	ARCHIVE_LIST_BYTES = 16 << 20,
	ARCHIVE_DEPTH = 64, /* nested folders */
	ARCHIVE_NAME_BYTES = 4000,
	/* Maximum ratio of unpacked to packed size, for archives over 1 GiB unpacked */
	ARCHIVE_RATIO = 100,
};
#define ARCHIVE_FREE_BYTES (INT64_C(1) << 30)
#define ARCHIVE_BYTES (INT64_C(64) << 30) /* of all files, unpacked */

struct archive_entry {
	const char *name; /* "a/b", without a slash at its end */
	bool folder;
	mode_t mode;    /* permissions only; 0: the archive has none */
	int64_t bytes;  /* of a file */
	int64_t time_s; /* last change; used only for writing */
};

/* ---- reading ---- */

struct archive_reader;

/*
 * fd must be a regular file; the caller owns fd and stop. ERR_INVALID: fd is not a zip
 * archive, or an entry is rejected. The error names the entry. ERR_TOO_LARGE: over a
 * limit.
 */
struct err archive_open(int fd, const atomic_bool *stop, struct archive_reader **out);
size_t archive_count(const struct archive_reader *r);
/* The name is valid until archive_close. */
struct archive_entry archive_entry(const struct archive_reader *r, size_t i);
/*
 * Receives a piece of a file; archive_read stops at an error of the sink and returns it.
 */
typedef struct err archive_sink(void *ctx, const void *bytes, size_t n);
struct err archive_read(struct archive_reader *r, size_t i, archive_sink *sink, void *ctx);
void archive_close(struct archive_reader *r); /* accepts NULL */

/* ---- writing ---- */

struct archive_writer;

/*
 * Opens the file of this name when the writer reaches it; the writer owns the descriptor.
 * Bytes that are appended to the file later are omitted.
 */
typedef struct err archive_source(void *ctx, const char *name, int *fd);

/* Starts an archive in fd, an empty, writable and seekable file. The caller owns fd. */
struct err archive_begin(int fd, const atomic_bool *stop, archive_source *source, void *ctx,
	struct archive_writer **out);
/* Copies the name. ERR_TOO_LARGE: over a limit. */
struct err archive_add(struct archive_writer *w, const struct archive_entry *entry);
/* Reads all files and writes the archive, which needs at least one entry. */
struct err archive_finish(struct archive_writer *w);
void archive_drop(struct archive_writer *w); /* accepts NULL; also after archive_finish */

#endif
