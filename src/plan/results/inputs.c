/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes pieces of input files, and decides what to do with a piece. */
#include "plan/results/inputs.h"

enum {
	MODE_MOST = 0777,
	PIECE_MS = 90000,
	BYTES_IN_A_MS = 1048, /* 1 MiB/s: the share of one of many files on a slow disk */
};

static struct err wrong(const char *name, const char *right)
{
	return err_new(ERR_INVALID, "%s should be %s", name, right);
}

static bool read_number(const char *text, int64_t most, int64_t *out)
{
	return text && str_to_i64(text, 0, most, out);
}

struct err inputs_piece_read(const char *(*get)(const void *ctx, const char *name), const void *ctx,
	size_t bytes, struct inputs_piece *out)
{
	int64_t mode;
	const char *sum = get(ctx, "sha256");
	*out = (struct inputs_piece){ .bytes = (int64_t)bytes };
	if (!read_number(get(ctx, "size"), INPUTS_FILE_BYTES, &out->size))
		return wrong("size", "that of the file in bytes, 1 GiB at most");
	if (!read_number(get(ctx, "offset"), out->size, &out->offset))
		return wrong("offset", "the place of the bytes in the file");
	if (!read_number(get(ctx, "mode"), MODE_MOST, &mode))
		return wrong("mode", "the permissions of the file, from 0 to 511");
	if (!sum || !results_sum_hex(sum, out->sha256))
		return wrong("sha256", "that of the file, in 64 digits");
	out->mode = (int)mode;
	bool some = bytes || !out->size;
	if (!some || bytes > INPUTS_PIECE_BYTES || out->bytes > out->size - out->offset)
		return err_new(ERR_INVALID,
			"%zu bytes came, and should be a piece of the file, of 256 KiB at most",
			bytes);
	return OK;
}

void inputs_piece_add(struct str *query, const struct inputs_piece *p)
{
	str_addf(query, "&offset=%lld&size=%lld&mode=%d&sha256=", (long long)p->offset,
		(long long)p->size, p->mode);
	results_sum_add_hex(query, p->sha256);
}

int64_t inputs_piece_ms(const struct inputs_piece *p)
{
	bool last = p->offset + p->bytes == p->size;
	return PIECE_MS + (last ? p->size / BYTES_IN_A_MS : 0);
}

enum inputs_step inputs_plan(const struct inputs_file_view *v, const struct inputs_piece *p)
{
	if (!p->offset)
		return INPUTS_BEGIN;
	if (!v->there || !v->same || v->busy)
		return INPUTS_ANEW;
	if (p->offset == v->taken)
		return INPUTS_TAKE;
	return p->offset + p->bytes == v->taken ? INPUTS_HAD : INPUTS_ANEW;
}
