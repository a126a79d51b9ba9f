/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of results is stored in a nameless file in the folder, because it may be too
 * large for memory, and because copying may last longer than a server keeps a response
 * open.
 */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "transfer/parts.h"

/* ---- receiving the list ---- */

static void drop_list(struct results *r)
{
	if (r->list)
		fclose(TAKE(r->list));
	lines_reset(&r->lines);
}

static struct err not_taken(void)
{
	return err_new(ERR_RETRY,
		"the list of results cannot be written to the volume (%s): is it full?",
		strerror(errno));
}

static struct err take_line(struct results *r, const char *line, size_t n)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct results_line l;
	struct err e = results_line_read(line, n, &a, &l);
	if (failed(e))
		return e;
	if (r->whole)
		return err_new(ERR_INVALID, "the list has data after its end");
	r->whole = l.end;
	r->left_out = l.left_out;
	if (!l.end && ++r->entries > RESULTS_ENTRIES)
		return err_new(ERR_INVALID,
			"there are more than %d files and folders: put them into an archive at the end of the job",
			RESULTS_ENTRIES);
	return fwrite(line, 1, n, r->list) == n && fputc('\n', r->list) != EOF ? OK : not_taken();
}

static bool line_came(void *results, const char *line, size_t n)
{
	struct results *r = results;
	r->broken = take_line(r, line, n);
	return !failed(r->broken);
}

static bool bytes_came(void *results, const char *bytes, size_t n)
{
	struct results *r = results;
	results_well(r);
	enum lines_end end = lines_feed(&r->lines, bytes, n, line_came, r);
	if (end == LINES_TOO_LONG)
		r->broken = err_new(ERR_INVALID, "a line of the list of results is too long");
	return end == LINES_OK;
}

/* Flushes buffered bytes first, so a full volume is also detected here. */
static struct err to_its_begin(struct results *r)
{
	r->read = 0;
	bool written = fflush(r->list) == 0 && !ferror(r->list);
	return written && fseeko(r->list, 0, SEEK_SET) == 0 ? OK : not_taken();
}

static void read_it(struct results *r)
{
	struct err e = to_its_begin(r);
	if (failed(e)) {
		results_fail(r, e);
		return;
	}
	results_say(r, "the list has %lld files and folders", (long long)r->entries);
	list_next(r);
}

static void came(void *results, struct err e, const struct http_answer *a)
{
	struct results *r = results;
	r->call = NULL;
	if (failed(r->broken)) {
		results_fail(r, err_wrap(r->broken, "the list of results"));
	} else if (failed(e) || a->status != 200) {
		results_trouble(r, e, a ? a->status : 0, a ? a->body : "", list_get);
	} else if (!r->whole) {
		results_trouble(r, err_new(ERR_LOST, "the list of results has no end"), 0, "",
			list_get);
	} else {
		read_it(r);
	}
}

void list_get(struct results *r)
{
	drop_list(r);
	r->lines.max_bytes = RESULTS_LINE_BYTES;
	r->entries = 0;
	r->whole = false;
	r->broken = tree_scratch(r->tree, &r->list);
	if (failed(r->broken))
		results_fail(r, r->broken);
	else
		results_ask(r, "", 0, bytes_came, came);
}

/* ---- reading the stored list ---- */

/* The volume lost or changed bytes of the list. */
static struct err not_the_list(const struct results *r, const char *why)
{
	return err_new(ERR_RETRY,
		"the volume returns %lld of the %lld entries of the list of results: %s",
		(long long)r->read, (long long)r->entries, why);
}

/* Sets *more if *out is the next entry. Otherwise the list has been read to its end. */
static struct err read_entry(struct results *r, struct arena *a, struct results_entry *out,
	bool *more)
{
	AUTO(own_free) char *line = NULL;
	size_t room = 0;
	struct results_line l;
	*more = false;
	errno = 0;
	ssize_t n = getline(&line, &room, r->list);
	if (n < 0)
		return not_the_list(r, ferror(r->list) ? strerror(errno) : "it ends there");
	struct err e = results_line_read(line, (size_t)n, a, &l);
	if (failed(e))
		return not_the_list(r, e.text);
	if (l.end)
		return r->read == r->entries ? OK : not_the_list(r, "the list ends there");
	r->read++;
	*out = l.entry;
	*more = true;
	return OK;
}

static struct err sweep(struct results *r)
{
	struct results_entry entry;
	struct err e = to_its_begin(r);
	tree_sweep(r->tree, NULL);
	for (bool more = true; more && !failed(e);) {
		struct arena a AUTO(arena_free) = { 0 };
		e = read_entry(r, &a, &entry, &more);
		if (more && entry.folder)
			tree_sweep(r->tree, entry.path);
	}
	return e;
}

static void end(struct results *r)
{
	struct err e = sweep(r);
	if (failed(e))
		results_fail(r, e);
	else
		results_complete(r);
}

void list_next(struct results *r)
{
	bool more;
	r->next = list_next;
	arena_free(&r->arena);
	struct err e = read_entry(r, &r->arena, &r->entry, &more);
	if (!failed(e) && !more) {
		end(r);
		return;
	}
	if (!failed(e) && r->entry.folder)
		e = tree_folder(r->tree, &r->entry);
	if (failed(e))
		results_fail(r, e);
	else if (r->entry.folder)
		results_later(r, 0, list_next);
	else
		copy_file(r);
}
