/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares each input file with the file on the side of Slurm, and sends it if they
 * differ.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "transfer/parts.h"

enum { HASHED_AT_ONCE = 16 }; /* pieces in one turn of the loop */

static void begin(struct results *r);
static void compare(struct results *r);
static void send_piece(struct results *r);

void inputs_close(struct results *r)
{
	if (r->input.fd >= 0)
		close(r->input.fd);
	r->input.fd = -1;
	sha256_free(TAKE(r->sum));
}

static void next(struct results *r)
{
	r->files++;
	r->bytes += r->piece.size;
	r->anew = 0;
	results_later(r, 0, inputs_next);
}

/* ---- sending the file ---- */

static void piece_came(void *results, struct err e, const struct http_answer *a)
{
	struct results *r = results;
	r->call = NULL;
	if (!failed(e) && a->status == RESULTS_IT_CHANGES) {
		results_well(r);
		results_again(r, "changed, or its upload was dropped, while it was sent", begin);
		return;
	}
	if (failed(e) || a->status != 200) {
		results_trouble(r, e, a ? a->status : 0, a ? a->body : "", send_piece);
		return;
	}
	results_well(r);
	r->piece.offset += r->piece.bytes;
	if (r->piece.offset < r->piece.size) {
		send_piece(r);
		return;
	}
	results_say(r, "%.300s: %lld bytes are there", r->entry.path, (long long)r->piece.size);
	next(r);
}

static void send_piece(struct results *r)
{
	AUTO(own_free) char *bytes = own_alloc(INPUTS_PIECE_BYTES);
	int64_t left = r->piece.size - r->piece.offset;
	int64_t wanted = left < INPUTS_PIECE_BYTES ? left : INPUTS_PIECE_BYTES;
	ssize_t n = pread(r->input.fd, bytes, (size_t)wanted, r->piece.offset);
	if (n != wanted) {
		results_again(r, "is shorter than it was", begin);
		return;
	}
	r->piece.bytes = wanted;
	results_put(r, bytes, piece_came);
}

/* ---- comparing the file ---- */

static bool is_there(const struct results *r, const struct results_sum *sum)
{
	return sum->size == r->piece.size &&
		memcmp(sum->sha256, r->piece.sha256, sizeof(sum->sha256)) == 0;
}

static void compared(void *results, struct err e, const struct http_answer *a)
{
	struct results *r = results;
	struct results_sum sum = { .size = -1 };
	int status = a ? a->status : 0;
	r->call = NULL;
	if (!failed(e) && status == 200)
		e = results_sum_read(a->body, a->body_bytes, &sum);
	bool told = status == 200 || status == RESULTS_NOTHING_THERE ||
		status == RESULTS_IT_CHANGES;
	if (failed(e) || !told) {
		results_trouble(r, e, told ? 0 : status, a ? a->body : "", compare);
		return;
	}
	results_well(r);
	if (is_there(r, &sum)) {
		r->kept++;
		next(r);
	} else {
		send_piece(r); /* also replaces a file that changes meanwhile */
	}
}

static void compare(struct results *r) { results_ask(r, "/checksum", 0, NULL, compared); }

/* ---- hashing the file ---- */

static void hashed(struct results *r)
{
	struct err e = sha256_end(r->sum, r->piece.sha256);
	if (failed(e))
		results_fail(r, e);
	else
		compare(r);
}

static void fail(struct results *r, enum err_kind kind, const char *why)
{
	AUTO(str_free) struct str path = { 0 };
	str_add_foreign(&path, r->entry.path, 120);
	results_fail(r, err_new(kind, "%s: %s", str_text(&path), why));
}

static void is_too_large(struct results *r)
{
	fail(r, ERR_INVALID,
		"it has more than 1 GiB, which red-box does not accept: copy it to the side of Slurm yourself, or split it");
}

/* Hashes the next few MiB. */
static void hash_on(struct results *r)
{
	AUTO(own_free) char *bytes = own_alloc(INPUTS_PIECE_BYTES);
	ssize_t n = 1;
	for (int i = 0; i < HASHED_AT_ONCE && n > 0; i++) {
		n = pread(r->input.fd, bytes, INPUTS_PIECE_BYTES, r->piece.size);
		if (n > 0)
			sha256_add(r->sum, bytes, (size_t)n);
		r->piece.size += n > 0 ? n : 0;
	}
	if (n < 0)
		fail(r, ERR_RETRY, strerror(errno));
	else if (r->piece.size > INPUTS_FILE_BYTES)
		is_too_large(r);
	else if (n > 0)
		results_later(r, 0, hash_on);
	else
		hashed(r);
}

/* Begins with the current contents of the file. */
static void begin(struct results *r)
{
	sha256_free(TAKE(r->sum));
	r->piece = (struct inputs_piece){ .mode = r->input.mode };
	struct err e = sha256_new(&r->sum);
	if (failed(e))
		results_fail(r, e);
	else if (r->input.size > INPUTS_FILE_BYTES)
		is_too_large(r);
	else
		hash_on(r);
}

void inputs_next(struct results *r)
{
	inputs_close(r);
	struct err e = walk_next(r->walk, &r->input);
	r->entry = (struct results_entry){ .path = r->input.path, .size = r->input.size };
	r->left_out = walk_left_out(r->walk);
	if (failed(e))
		results_fail(r, e);
	else if (r->input.fd < 0)
		results_complete(r);
	else
		begin(r);
}
