/* SPDX-License-Identifier: Apache-2.0 */
/* Copies one file: resumes an existing part, and compares checksums at the end. */
#include <string.h>

#include "base/own.h"
#include "transfer/parts.h"

static void fetch(struct results *r);
static void verify(struct results *r);

/* ---- end of a file ---- */

static void next(struct results *r)
{
	r->files++;
	r->bytes += r->entry.size;
	r->anew = 0;
	results_later(r, 0, r->next);
}

static void finish(struct results *r)
{
	struct err e = part_finish(r->part);
	if (failed(e)) {
		results_fail(r, e);
		return;
	}
	r->part = NULL;
	results_say(r, "%.300s: %lld bytes are there", r->entry.path, (long long)r->entry.size);
	next(r);
}

/* Copies the file again, with the current size and time of the source. */
static void begin_anew(struct results *r, const struct results_sum *now, const char *what)
{
	part_drop(TAKE(r->part));
	r->entry.size = now->size;
	r->entry.modified_ns = now->modified_ns;
	results_again(r, what, copy_file);
}

/* ---- comparison with the source ---- */

static void judge(struct results *r, const struct results_sum *now)
{
	uint8_t sum[SHA256_BYTES];
	struct results_proof proof = {
		.size = r->entry.size,
		.modified_ns = r->entry.modified_ns,
		.size_now = now->size,
		.modified_ns_now = now->modified_ns,
		.part_bytes = part_bytes(r->part),
	};
	if (proof.part_bytes == proof.size) {
		struct err e = part_sum(r->part, sum);
		if (failed(e)) {
			results_fail(r, e);
			return;
		}
		proof.same_sum = memcmp(sum, now->sha256, sizeof(sum)) == 0;
	}
	switch (results_file_judge(&proof)) {
	case RESULTS_WHOLE:
		finish(r);
		break;
	case RESULTS_CHANGED:
		begin_anew(r, now, "changed while it was copied");
		break;
	case RESULTS_DAMAGED:
		begin_anew(r, now, "was copied with wrong bytes");
		break;
	case RESULTS_SHORT:
		results_again(r, "was cut off before its end", fetch);
		break;
	}
}

static void summed(void *results, struct err e, const struct http_answer *a)
{
	struct results *r = results;
	struct results_sum now;
	r->call = NULL;
	if (!failed(e) && a->status == RESULTS_IT_CHANGES) {
		results_well(r);
		results_again(r, "changes while its checksum is made", verify);
		return;
	}
	if (failed(e) || a->status != 200) {
		results_trouble(r, e, a ? a->status : 0, a ? a->body : "", verify);
		return;
	}
	e = results_sum_read(a->body, a->body_bytes, &now);
	if (failed(e)) {
		results_trouble(r, e, 0, "", verify);
		return;
	}
	results_well(r);
	judge(r, &now);
}

static void verify(struct results *r) { results_ask(r, "/checksum", 0, NULL, summed); }

/* ---- receiving bytes ---- */

/*
 * If the source has more bytes than the list says, it has changed: verify detects that.
 */
static bool bytes_came(void *results, const char *bytes, size_t n)
{
	struct results *r = results;
	results_well(r);
	if ((int64_t)n > r->entry.size - part_bytes(r->part)) {
		r->overran = true;
		return false;
	}
	r->broken = part_add(r->part, bytes, n);
	return !failed(r->broken);
}

static void fetched(void *results, struct err e, const struct http_answer *a)
{
	struct results *r = results;
	int status = a ? a->status : 0;
	r->call = NULL;
	if (failed(r->broken))
		results_fail(r, r->broken);
	else if (r->overran || status == 200 || (status == 400 && part_bytes(r->part)))
		verify(r); /* 400: the source may be shorter now */
	else
		results_trouble(r, e, status, a ? a->body : "", fetch);
}

static void fetch(struct results *r)
{
	r->overran = false;
	r->broken = OK;
	if (part_bytes(r->part) == r->entry.size)
		verify(r);
	else
		results_ask(r, "/file", part_bytes(r->part), bytes_came, fetched);
}

/* ---- start of a file ---- */

static void hash_on(struct results *r)
{
	bool more;
	struct err e = part_hash(r->part, &more);
	if (failed(e))
		results_fail(r, e);
	else if (more)
		results_later(r, 0, hash_on);
	else
		fetch(r);
}

static void open_part(struct results *r, enum results_step step)
{
	struct err e = part_open(r->tree, &r->entry, &r->part);
	if (!failed(e) && step == RESULTS_BEGIN)
		e = part_begin(r->part);
	if (failed(e)) {
		results_fail(r, e);
		return;
	}
	if (step != RESULTS_BEGIN)
		results_say(r, "%.300s: %lld of %lld bytes are there already", r->entry.path,
			(long long)part_bytes(r->part), (long long)r->entry.size);
	hash_on(r);
}

void copy_file(struct results *r)
{
	struct results_file_view view;
	struct err e = tree_look(r->tree, &r->entry, &view);
	enum results_step step = failed(e) ? RESULTS_REFUSE : results_file_plan(&view);
	if (!failed(e) && step == RESULTS_REFUSE)
		e = err_new(ERR_INVALID,
			"%.120s: a folder or a link already has this name: remove it, or collect into another folder",
			r->entry.path);
	if (failed(e)) {
		results_fail(r, e);
	} else if (step == RESULTS_KEEP) {
		r->kept++;
		next(r);
	} else {
		open_part(r, step);
	}
}
