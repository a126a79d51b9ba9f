/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip archives, read and written. The only user of libzip. All of it blocks, and takes as
 * long as the files are large: it is for a thread (net/work.h), and looks at *stop often.
 *
 * Of an archive that is read nothing is believed. It is opened only when each of its
 * entries is a regular file or a folder with a plain relative name; deflated or stored;
 * and all of it is within the limits below by what it says of itself. What an entry then
 * gives is not one byte more or less than that, and has its checksum.
 *
 * Names are bytes. A NUL byte in a name of an archive is a blank here (libzip makes it
 * one).
 *
 * In memory are the list of entries (16 MiB of an archive are about 100 MiB here) and one
 * piece of one file.
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
	ARCHIVE_LIST_BYTES = 16 << 20, /* of names, and of all else the list has */
	ARCHIVE_DEPTH = 64,            /* folders in each other */
	ARCHIVE_NAME_BYTES = 4000,
	/*
	 * An archive of more than 1 GiB, unpacked, is not more than this many times as
	 * large as packed
	 */
	ARCHIVE_RATIO = 100,
};
#define ARCHIVE_FREE_BYTES (INT64_C(1) << 30)
#define ARCHIVE_BYTES (INT64_C(64) << 30) /* of all files, unpacked */

struct archive_entry {
	const char *name; /* "a/b", without a slash at its end */
	bool folder;
	mode_t mode;    /* permissions only; 0: the archive says none */
	int64_t bytes;  /* of a file */
	int64_t time_s; /* of the last change; only written */
};

/* ---- reading ---- */

struct archive_reader;

/*
 * fd: a regular file, and stays the caller's; stop, too. ERR_INVALID: no zip archive, or
 * one with an entry that is not taken; the sentence names it. ERR_TOO_LARGE: a limit.
 */
struct err archive_open(int fd, const atomic_bool *stop, struct archive_reader **out);
size_t archive_count(const struct archive_reader *r);
/* The name is valid until archive_close. */
struct archive_entry archive_entry(const struct archive_reader *r, size_t i);
/* A piece of a file; an error ends the reading, and comes back from it. */
typedef struct err archive_sink(void *ctx, const void *bytes, size_t n);
struct err archive_read(struct archive_reader *r, size_t i, archive_sink *sink, void *ctx);
void archive_close(struct archive_reader *r); /* accepts NULL */

/* ---- writing ---- */

struct archive_writer;

/*
 * The file of that name, opened when its turn comes; the descriptor is the writer's. What
 * it has beyond its size at that moment is left out.
 */
typedef struct err archive_source(void *ctx, const char *name, int *fd);

/* Into fd: an empty file that can be written and sought in. It stays the caller's. */
struct err archive_begin(int fd, const atomic_bool *stop, archive_source *source, void *ctx,
	struct archive_writer **out);
/* The name is copied. ERR_TOO_LARGE: a limit. */
struct err archive_add(struct archive_writer *w, const struct archive_entry *entry);
/* Reads all files and writes everything; there is one entry at least. */
struct err archive_finish(struct archive_writer *w);
void archive_drop(struct archive_writer *w); /* accepts NULL; also after archive_finish */

#endif
