/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of results. It is kept in a file without a name in the folder: a tree may have
 * as many entries as no memory should have, and a copy may take longer than anybody keeps
 * a list open.
 */
#include <string.h>

#include "base/own.h"
#include "daemons/results/parts.h"

/* ---- it comes ---- */

static void drop_list(struct results *r)
{
	if (r->list)
		fclose(TAKE(r->list));
	lines_reset(&r->lines);
}

static struct err take_line(struct results *r, const char *line, size_t n)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct results_line l;
	struct err e = results_line_read(line, n, &a, &l);
	if (failed(e))
		return e;
	if (r->whole)
		return err_new(ERR_INVALID, "something came behind the end of the list");
	r->whole = l.end;
	r->left_out = l.left_out;
	if (!l.end && ++r->entries > RESULTS_ENTRIES)
		return err_new(ERR_INVALID,
			"there are more than %d files and folders: put them into an archive at the "
			"end of the job",
			RESULTS_ENTRIES);
	return fwrite(line, 1, n, r->list) == n && fputc('\n', r->list) != EOF
		? OK
		: err_new(ERR_RETRY, "the volume does not take the list of results: is it full?");
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
		rewind(r->list);
		results_say(r, "%lld files and folders are to be there", (long long)r->entries);
		list_next(r);
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

/* ---- it is read ---- */

/* False: there are no more. */
static bool read_entry(FILE *list, struct arena *a, struct results_entry *out)
{
	AUTO(own_free) char *line = NULL;
	size_t room = 0;
	ssize_t n = getline(&line, &room, list);
	struct results_line l;
	if (n < 0 || failed(results_line_read(line, (size_t)n, a, &l)) || l.end)
		return false;
	*out = l.entry;
	return true;
}

static void sweep(struct results *r)
{
	struct results_entry e;
	rewind(r->list);
	tree_sweep(r->tree, NULL);
	for (bool more = true; more;) {
		struct arena a AUTO(arena_free) = { 0 };
		more = read_entry(r->list, &a, &e);
		if (more && e.folder)
			tree_sweep(r->tree, e.path);
	}
}

void list_next(struct results *r)
{
	arena_free(&r->arena);
	if (!read_entry(r->list, &r->arena, &r->entry)) {
		sweep(r);
		results_complete(r);
		return;
	}
	struct err e = r->entry.folder ? tree_folder(r->tree, &r->entry) : OK;
	if (failed(e))
		results_fail(r, e);
	else if (r->entry.folder)
		results_later(r, 0, list_next);
	else
		copy_file(r);
}
