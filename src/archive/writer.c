/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes archives: archive_add collects the entries. Then libzip requests the files one
 * by one, and seeks back in the archive to write each size before its file.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "archive/parts.h"
#include "base/own.h"
#include "base/str.h"

struct archive_writer {
	int fd;
	const atomic_bool *stop;
	archive_source *source;
	void *ctx;
	zip_t *zip;
	zip_error_t error; /* of the last request of libzip */
	int64_t at, bytes; /* write offset; size of all files so far */
	size_t entries, list_bytes;
	struct err why; /* the first failure in our functions */
};

/* A file as a source of libzip. */
struct packed {
	struct archive_writer *writer;
	char *name;
	int fd; /* -1: not open */
	int64_t size, left;
	time_t time_s;
};

/* Keeps the error and returns -1, as libzip expects. */
static zip_int64_t fails(struct archive_writer *w, struct err e)
{
	zip_error_set(&w->error, ZIP_ER_READ, EIO);
	if (!failed(w->why))
		w->why = e;
	return -1;
}

static bool is_stopped(struct archive_writer *w)
{
	if (atomic_load(w->stop))
		fails(w, err_new(ERR_CANCELLED, "its caller has gone"));
	return failed(w->why);
}

/* ---- the archive ---- */

static struct err write_failed(void)
{
	enum err_kind kind = errno == ENOSPC || errno == EDQUOT ? ERR_RETRY
		: errno == EFBIG                                ? ERR_TOO_LARGE
								: ERR_INTERNAL;
	return err_new(kind, "writing: %s", strerror(errno));
}

static zip_int64_t write_all(struct archive_writer *w, const char *bytes, zip_uint64_t n)
{
	zip_uint64_t left = n;
	if (is_stopped(w))
		return -1;
	while (left > 0) {
		ssize_t did = pwrite(w->fd, bytes, left, w->at);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return fails(w, write_failed());
		w->at += did;
		bytes += did;
		left -= (zip_uint64_t)did;
	}
	return (zip_int64_t)n;
}

static zip_int64_t seek(struct archive_writer *w, void *args, zip_uint64_t n)
{
	struct stat st;
	if (fstat(w->fd, &st) != 0)
		return fails(w, write_failed());
	zip_int64_t to = zip_source_seek_compute_offset((zip_uint64_t)w->at,
		(zip_uint64_t)st.st_size, args, n, &w->error);
	if (to < 0)
		return -1;
	w->at = to;
	return 0;
}

/*
 * A sink of libzip. It behaves like a file that does not exist yet, so libzip does not
 * read it.
 */
static zip_int64_t sink(void *ctx, void *data, zip_uint64_t n, zip_source_cmd_t command)
{
	struct archive_writer *w = ctx;
	switch (command) {
	case ZIP_SOURCE_SUPPORTS:
		return ZIP_SOURCE_SUPPORTS_WRITABLE;
	case ZIP_SOURCE_STAT:
		zip_error_set(&w->error, ZIP_ER_READ, ENOENT);
		return -1;
	case ZIP_SOURCE_WRITE:
		return write_all(w, data, n);
	case ZIP_SOURCE_SEEK_WRITE:
		return seek(w, data, n);
	case ZIP_SOURCE_TELL_WRITE:
		return w->at;
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&w->error, data, n);
	case ZIP_SOURCE_BEGIN_WRITE:
	case ZIP_SOURCE_COMMIT_WRITE:
	case ZIP_SOURCE_ROLLBACK_WRITE:
	case ZIP_SOURCE_REMOVE:
	case ZIP_SOURCE_FREE:
		return 0;
	default:
		zip_error_set(&w->error, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

/* ---- a file ---- */

static zip_int64_t open_file(struct packed *p)
{
	struct archive_writer *w = p->writer;
	struct stat st;
	if (p->fd >= 0 || is_stopped(w))
		return failed(w->why) ? -1 : 0;
	struct err e = w->source(w->ctx, p->name, &p->fd);
	if (failed(e))
		return fails(w, e);
	if (fstat(p->fd, &st) != 0)
		return fails(w, err_new(ERR_INTERNAL, "reading: %s", strerror(errno)));
	if (st.st_size > ARCHIVE_BYTES - w->bytes)
		return fails(w, archive_too_large());
	w->bytes += st.st_size;
	p->size = p->left = st.st_size;
	p->time_s = st.st_mtime;
	return 0;
}

/*
 * libzip requests the size before it reads, so bytes that are appended later are omitted.
 */
static zip_int64_t stat_file(struct packed *p, zip_stat_t *out)
{
	if (p->size < 0 && open_file(p) < 0)
		return -1;
	zip_stat_init(out);
	out->valid = ZIP_STAT_SIZE | ZIP_STAT_MTIME;
	out->size = (zip_uint64_t)p->size;
	out->mtime = p->time_s;
	return sizeof(*out);
}

static zip_int64_t read_file(struct packed *p, void *bytes, zip_uint64_t n)
{
	struct archive_writer *w = p->writer;
	ssize_t did;
	if (is_stopped(w))
		return -1;
	if (n > (zip_uint64_t)p->left)
		n = (zip_uint64_t)p->left;
	do
		did = n > 0 ? read(p->fd, bytes, n) : 0;
	while (did < 0 && errno == EINTR);
	if (did < 0)
		return fails(w, err_new(ERR_INTERNAL, "reading: %s", strerror(errno)));
	if (did == 0 && p->left > 0)
		return fails(w,
			err_new(ERR_CONFLICT, "a file became shorter meanwhile: try again"));
	p->left -= did;
	return did;
}

static void close_file(struct packed *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static zip_int64_t file_source(void *ctx, void *data, zip_uint64_t n, zip_source_cmd_t command)
{
	struct packed *p = ctx;
	switch (command) {
	case ZIP_SOURCE_SUPPORTS:
		return ZIP_SOURCE_SUPPORTS_READABLE;
	case ZIP_SOURCE_STAT:
		return stat_file(p, data);
	case ZIP_SOURCE_OPEN:
		return open_file(p);
	case ZIP_SOURCE_READ:
		return read_file(p, data, n);
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&p->writer->error, data, n);
	case ZIP_SOURCE_CLOSE:
		close_file(p);
		return 0;
	case ZIP_SOURCE_FREE:
		close_file(p);
		free(p->name);
		free(p);
		return 0;
	default:
		zip_error_set(&p->writer->error, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

/* ---- entries ---- */

static bool is_utf8(const char *name)
{
	while (*name) {
		size_t n = str_utf8(name);
		if (!n)
			return false;
		name += n;
	}
	return true;
}

static struct err said(struct archive_writer *w, zip_error_t *e)
{
	return failed(w->why) ? w->why : err_new(ERR_INTERNAL, "%s", zip_error_strerror(e));
}

/* A name that is not UTF-8 is stored unchanged. */
static zip_int64_t add_to_zip(struct archive_writer *w, const struct archive_entry *entry)
{
	zip_flags_t encoding = is_utf8(entry->name) ? ZIP_FL_ENC_UTF_8 : ZIP_FL_ENC_CP437;
	if (entry->folder)
		return zip_dir_add(w->zip, entry->name, encoding);
	struct packed *p = own_alloc(sizeof(*p));
	*p = (struct packed){ w, own_strdup(entry->name), .fd = -1, .size = -1 };
	zip_source_t *s = zip_source_function(w->zip, file_source, p);
	zip_int64_t i = s ? zip_file_add(w->zip, entry->name, s, encoding) : -1;
	if (s && i < 0)
		zip_source_free(s);
	return i;
}

struct err archive_add(struct archive_writer *w, const struct archive_entry *entry)
{
	mode_t mode = entry->mode | (entry->folder ? S_IFDIR : S_IFREG);
	zip_uint32_t dos_folder = entry->folder ? 0x10 : 0;
	w->list_bytes += strlen(entry->name);
	if (is_stopped(w))
		return w->why;
	if (++w->entries > ARCHIVE_ENTRIES || w->list_bytes > ARCHIVE_LIST_BYTES)
		return archive_too_many();
	zip_int64_t i = add_to_zip(w, entry);
	if (i < 0 ||
		zip_file_set_external_attributes(w->zip, (zip_uint64_t)i, 0, ZIP_OPSYS_UNIX,
			(zip_uint32_t)mode << 16 | dos_folder) != 0 ||
		zip_file_set_mtime(w->zip, (zip_uint64_t)i, (time_t)entry->time_s, 0) != 0)
		return said(w, zip_get_error(w->zip));
	return OK;
}

struct err archive_begin(int fd, const atomic_bool *stop, archive_source *source, void *ctx,
	struct archive_writer **out)
{
	struct archive_writer *w = own_alloc(sizeof(*w));
	zip_error_t e;
	*w = (struct archive_writer){ .fd = fd, .stop = stop, .source = source, .ctx = ctx };
	zip_error_init(&w->error);
	zip_error_init(&e);
	zip_source_t *s = zip_source_function_create(sink, w, &e);
	if (s)
		w->zip = zip_open_from_source(s, ZIP_CREATE | ZIP_TRUNCATE, &e);
	struct err result = w->zip ? OK : said(w, &e);
	if (s && !w->zip)
		zip_source_free(s);
	zip_error_fini(&e);
	if (failed(result))
		archive_drop(w);
	else
		*out = w;
	return result;
}

struct err archive_finish(struct archive_writer *w)
{
	if (zip_close(w->zip) != 0)
		return said(w, zip_get_error(w->zip));
	w->zip = NULL;
	return OK;
}

void archive_drop(struct archive_writer *w)
{
	if (!w)
		return;
	if (w->zip)
		zip_discard(w->zip);
	zip_error_fini(&w->error);
	free(w);
}
