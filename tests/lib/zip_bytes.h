/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zip archives that no program writes: the test sets each member of an entry.
 *
 *     struct zip_bytes z = { 0 };
 *     zip_put(&z, (struct zip_said){ .name = "../x", .data = "hello" });
 *     zip_end(&z);  ... z.all has the archive; str_free both ...
 */
#ifndef TESTS_LIB_ZIP_BYTES_H
#define TESTS_LIB_ZIP_BYTES_H

#include <string.h>

#include "base/str.h"

struct zip_said {
	const char *name, *data; /* data NULL: a folder, or an empty file */
	size_t name_bytes;       /* 0: all of name; more: it holds a NUL byte */
	unsigned mode;           /* with the kind (S_IFLNK ...); 0: of no Unix */
	uint32_t bytes;          /* unpacked, as it says; 0: those of data */
	unsigned method, flags;
	uint32_t crc_is_wrong_by;
};

struct zip_bytes {
	struct str all, list;
	unsigned n;
};

static inline void zip_number(struct str *s, uint64_t number, int bytes)
{
	for (int i = 0; i < bytes; i++, number >>= 8) {
		char byte = (char)(number & 0xff);
		str_add_bytes(s, &byte, 1);
	}
}

static inline uint32_t zip_crc(const char *data, size_t n)
{
	uint32_t crc = 0xffffffff;
	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned char)data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* The members in both places: before the data, and in the list. */
static inline void zip_common(struct str *s, const struct zip_said *f)
{
	size_t n = f->data ? strlen(f->data) : 0;
	zip_number(s, 20, 2);
	zip_number(s, f->flags, 2);
	zip_number(s, f->method, 2);
	zip_number(s, 0x5a210000, 4);
	zip_number(s, zip_crc(f->data, n) + f->crc_is_wrong_by, 4);
	zip_number(s, n, 4);
	zip_number(s, f->bytes ? f->bytes : n, 4);
	zip_number(s, f->name_bytes ? f->name_bytes : strlen(f->name), 2);
	zip_number(s, 0, 2);
}

static inline void zip_put(struct zip_bytes *z, struct zip_said f)
{
	size_t name = f.name_bytes ? f.name_bytes : strlen(f.name), at = z->all.len;
	str_add_bytes(&z->all, "PK\3\4", 4);
	zip_common(&z->all, &f);
	str_add_bytes(&z->all, f.name, name);
	str_add(&z->all, f.data ? f.data : "");
	str_add_bytes(&z->list, "PK\1\2", 4);
	zip_number(&z->list, f.mode ? 3 << 8 | 20 : 20, 2);
	zip_common(&z->list, &f);
	zip_number(&z->list, 0, 6); /* comment, disk, what it is */
	zip_number(&z->list, (uint64_t)f.mode << 16, 4);
	zip_number(&z->list, at, 4);
	str_add_bytes(&z->list, f.name, name);
	z->n++;
}

static inline void zip_end(struct zip_bytes *z)
{
	size_t at = z->all.len;
	str_add_bytes(&z->all, str_text(&z->list), z->list.len);
	str_add_bytes(&z->all, "PK\5\6", 4);
	zip_number(&z->all, 0, 4);
	zip_number(&z->all, z->n, 2);
	zip_number(&z->all, z->n, 2);
	zip_number(&z->all, z->list.len, 4);
	zip_number(&z->all, at, 4);
	zip_number(&z->all, 0, 2);
}

static inline void zip_free(struct zip_bytes *z)
{
	str_free(&z->all);
	str_free(&z->list);
}

#endif
