/* SPDX-License-Identifier: Apache-2.0 */
/* Reads archives: libzip parses the bytes, and each of its values is checked here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "archive/parts.h"
#include "base/own.h"
#include "base/str.h"

enum { PIECE_BYTES = 64 << 10 };

struct archive_reader {
	int fd;
	const atomic_bool *stop;
	zip_t *zip;
	zip_error_t error; /* of the source */
	int64_t at, size;
	int64_t list_bytes; /* read so far while the archive is opened; -1: it is open */
	struct err why;     /* our reason why the source failed; OK: libzip has the reason */
	struct archive_entry *entries;
	size_t n;
};

/* ---- the file as a source of libzip ---- */

static zip_int64_t read_some(struct archive_reader *r, void *bytes, zip_uint64_t n)
{
	if (atomic_load(r->stop))
		r->why = err_new(ERR_CANCELLED, "its caller has gone");
	if (r->list_bytes >= 0 && (r->list_bytes += (int64_t)n) > ARCHIVE_LIST_BYTES)
		r->why = err_new(ERR_TOO_LARGE, "its list of files has more than %d MiB",
			ARCHIVE_LIST_BYTES >> 20);
	if (failed(r->why))
		return -1;
	ssize_t did = pread(r->fd, bytes, n, r->at);
	if (did < 0) {
		r->why = err_new(ERR_INTERNAL, "reading: %s", strerror(errno));
		return -1;
	}
	r->at += did;
	return did;
}

static zip_int64_t seek(struct archive_reader *r, void *args, zip_uint64_t n)
{
	zip_int64_t to = zip_source_seek_compute_offset((zip_uint64_t)r->at, (zip_uint64_t)r->size,
		args, n, &r->error);
	if (to < 0)
		return -1;
	r->at = to;
	return 0;
}

static zip_int64_t source(void *ctx, void *data, zip_uint64_t n, zip_source_cmd_t command)
{
	struct archive_reader *r = ctx;
	zip_int64_t result = 0;
	switch (command) {
	case ZIP_SOURCE_SUPPORTS:
		return ZIP_SOURCE_SUPPORTS_SEEKABLE;
	case ZIP_SOURCE_STAT:
		zip_stat_init(data);
		((zip_stat_t *)data)->valid = ZIP_STAT_SIZE;
		((zip_stat_t *)data)->size = (zip_uint64_t)r->size;
		return sizeof(zip_stat_t);
	case ZIP_SOURCE_OPEN:
		r->at = 0;
		return 0;
	case ZIP_SOURCE_READ:
		result = read_some(r, data, n);
		if (result < 0)
			zip_error_set(&r->error, ZIP_ER_READ, EIO);
		return result;
	case ZIP_SOURCE_SEEK:
		return seek(r, data, n);
	case ZIP_SOURCE_TELL:
		return r->at;
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&r->error, data, n);
	case ZIP_SOURCE_CLOSE:
	case ZIP_SOURCE_FREE:
		return 0;
	default:
		zip_error_set(&r->error, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

/* ---- limit of entries, before libzip allocates them ---- */

static uint64_t number_at(const unsigned char *bytes)
{
	uint64_t number = 0;
	for (int i = 7; i >= 0; i--)
		number = number << 8 | bytes[i];
	return number;
}

/*
 * Rejects a zip64 end record that states too many entries. Only this form can state more
 * entries than libzip checks itself. A locator near the end of the file holds the
 * record's offset.
 */
static struct err check_claim(const struct archive_reader *r)
{
	enum { TAIL_BYTES = 66 << 10, LOCATOR_BYTES = 20, RECORD_BYTES = 56 };
	AUTO(own_free) unsigned char *tail = own_alloc(TAIL_BYTES);
	int64_t from = r->size > TAIL_BYTES ? r->size - TAIL_BYTES : 0;
	ssize_t n = pread(r->fd, tail, TAIL_BYTES, from);
	for (ssize_t i = 0; i + LOCATOR_BYTES <= n; i++) {
		unsigned char record[RECORD_BYTES];
		if (memcmp(tail + i, "PK\6\7", 4) != 0)
			continue;
		uint64_t at = number_at(tail + i + 8);
		if (at > INT64_MAX || pread(r->fd, record, RECORD_BYTES, (off_t)at) != RECORD_BYTES)
			continue;
		if (memcmp(record, "PK\6\6", 4) == 0 && number_at(record + 32) > ARCHIVE_ENTRIES)
			return archive_too_many();
	}
	return OK;
}

/* ---- entries ---- */

/* True for a plain relative path: no segment is empty, "." or "..". */
static bool is_plain(const char *name)
{
	int depth = 0;
	for (;; name++) {
		size_t n = strcspn(name, "/");
		if (n == 0 || n > 255 || (n == 1 && *name == '.') ||
			(n == 2 && memcmp(name, "..", 2) == 0) || depth++ > ARCHIVE_DEPTH)
			return false;
		name += n;
		if (!*name)
			return true;
	}
}

/* Reads the entry's type and permissions. False: neither a file nor a folder. */
static bool take_mode(struct archive_reader *r, size_t i, struct archive_entry *out)
{
	zip_uint8_t system = 0;
	zip_uint32_t attributes = 0;
	zip_file_get_external_attributes(r->zip, i, 0, &system, &attributes);
	if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X)
		return true;
	mode_t mode = attributes >> 16, kind = mode & S_IFMT;
	out->mode = mode & 0777;
	return kind == 0 || kind == (out->folder ? S_IFDIR : S_IFREG);
}

static struct err of_entry(enum err_kind kind, const char *name, const char *what)
{
	AUTO(str_free) struct str plain = { 0 };
	str_add_foreign(&plain, name, 120);
	return err_new(kind, "its file \"%s\" %s", str_text(&plain), what);
}

static struct err take_entry(struct archive_reader *r, size_t i, struct archive_entry *out)
{
	const zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD |
		ZIP_STAT_ENCRYPTION_METHOD;
	const char *given = zip_get_name(r->zip, i, ZIP_FL_ENC_RAW);
	zip_stat_t st;
	if (!given || zip_stat_index(r->zip, i, 0, &st) != 0 || (st.valid & wanted) != wanted)
		return err_new(ERR_INVALID, "its entry %zu has no name", i + 1);
	size_t n = strlen(given);
	out->folder = n > 1 && given[n - 1] == '/';
	char *name = own_strndup(given, out->folder ? n - 1 : n);
	out->name = name;
	out->bytes = (int64_t)st.size;
	if (n > ARCHIVE_NAME_BYTES || strchr(name, '\\') || !is_plain(name))
		return of_entry(ERR_INVALID, name,
			"has a name that is not accepted: it should be relative, without \"..\" and backslashes, and at most 64 folders deep");
	if (st.encryption_method != ZIP_EM_NONE)
		return of_entry(ERR_INVALID, name, "is encrypted");
	if (st.comp_method != ZIP_CM_STORE && st.comp_method != ZIP_CM_DEFLATE)
		return of_entry(ERR_INVALID, name, "is not compressed with deflate");
	if (!take_mode(r, i, out) || (out->folder && st.size > 0))
		return of_entry(ERR_INVALID, name, "is a link, or neither a file nor a folder");
	return OK;
}

static struct err take_entries(struct archive_reader *r)
{
	zip_int64_t n = zip_get_num_entries(r->zip, 0);
	int64_t bytes = 0;
	if (n > ARCHIVE_ENTRIES)
		return archive_too_many();
	r->entries = own_alloc(((size_t)n + 1) * sizeof(*r->entries));
	for (r->n = 0; r->n < (size_t)n;) {
		struct archive_entry *entry = &r->entries[r->n];
		struct err e = take_entry(r, r->n++, entry);
		if (failed(e))
			return e;
		if (entry->bytes < 0 || entry->bytes > ARCHIVE_BYTES - bytes)
			return archive_too_large();
		bytes += entry->bytes;
	}
	if (bytes > ARCHIVE_FREE_BYTES && bytes / ARCHIVE_RATIO > r->size)
		return err_new(ERR_TOO_LARGE,
			"unpacked it has more than %d times as many bytes as packed: a zip bomb",
			ARCHIVE_RATIO);
	return OK;
}

/* ---- the archive ---- */

static struct err said(struct archive_reader *r, zip_error_t *e)
{
	if (failed(r->why))
		return r->why;
	return err_new(ERR_INVALID, "%s", zip_error_strerror(e));
}

static struct err open_zip(struct archive_reader *r)
{
	zip_error_t e;
	zip_error_init(&e);
	zip_source_t *s = zip_source_function_create(source, r, &e);
	if (s)
		r->zip = zip_open_from_source(s, ZIP_RDONLY, &e);
	struct err result = r->zip ? OK : said(r, &e);
	if (s && !r->zip)
		zip_source_free(s);
	zip_error_fini(&e);
	r->list_bytes = -1;
	return result;
}

struct err archive_open(int fd, const atomic_bool *stop, struct archive_reader **out)
{
	struct stat st = { 0 };
	struct archive_reader *r = own_alloc(sizeof(*r));
	*r = (struct archive_reader){ .fd = fd, .stop = stop };
	zip_error_init(&r->error);
	struct err e = OK;
	if (fstat(fd, &st) != 0)
		e = err_new(ERR_INTERNAL, "reading: %s", strerror(errno));
	else if (st.st_size == 0) /* libzip accepts it as an archive without entries */
		e = err_new(ERR_INVALID, "it is empty, and no zip archive");
	r->size = st.st_size;
	if (!failed(e))
		e = check_claim(r);
	if (!failed(e))
		e = open_zip(r);
	if (!failed(e))
		e = take_entries(r);
	if (failed(e))
		archive_close(r);
	else
		*out = r;
	return e;
}

void archive_close(struct archive_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		free((char *)(uintptr_t)r->entries[i].name);
	free(r->entries);
	if (r->zip)
		zip_discard(r->zip);
	zip_error_fini(&r->error);
	free(r);
}

size_t archive_count(const struct archive_reader *r) { return r->n; }

struct archive_entry archive_entry(const struct archive_reader *r, size_t i)
{
	return r->entries[i];
}

static struct err copy(struct archive_reader *r, zip_file_t *f, const struct archive_entry *entry,
	archive_sink *sink, void *ctx)
{
	AUTO(own_free) char *piece = own_alloc(PIECE_BYTES);
	int64_t left = entry->bytes;
	for (;;) {
		zip_int64_t n = zip_fread(f, piece, PIECE_BYTES);
		if (n < 0)
			return failed(r->why) ? r->why
					      : of_entry(ERR_INVALID, entry->name,
							zip_error_strerror(zip_file_get_error(f)));
		if (n > left || (n == 0 && left > 0))
			return of_entry(ERR_INVALID, entry->name,
				"has another size than the archive says");
		if (n == 0)
			return OK;
		left -= n;
		struct err e = sink(ctx, piece, (size_t)n);
		if (failed(e))
			return e;
	}
}

struct err archive_read(struct archive_reader *r, size_t i, archive_sink *sink, void *ctx)
{
	const struct archive_entry *entry = &r->entries[i];
	zip_file_t *f = zip_fopen_index(r->zip, i, 0);
	if (!f)
		return failed(r->why) ? r->why
				      : of_entry(ERR_INVALID, entry->name,
						zip_error_strerror(zip_get_error(r->zip)));
	struct err e = copy(r, f, entry, sink, ctx);
	zip_fclose(f);
	return e;
}
