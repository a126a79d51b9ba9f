/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job may have the name "x JobState=COMPLETED", and its comment may have several lines.
 * So a free value ends only at a key that is at the beginning of a line, that has not
 * been read yet, and that does not skip a KEY_ALWAYS key which follows later. If that
 * leaves a block incomplete, because the whole block is in one line, it is read again
 * with keys anywhere.
 */
#include "slurm/tools/blocks.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "slurm/duration.h"

enum { INDENT = 3 }; /* of each line except the first */

struct span {
	const char *at; /* NULL: absent */
	const char *end;
};

/* A possible position of a key. */
struct place {
	const char *key, *value; /* value: after the "=" */
	size_t row;              /* n of the kind: an unknown key */
};

struct block {
	const struct block_kind *kind;
	const char *end;
	bool in_lines; /* keys are only at the beginnings of lines */
	size_t newest; /* the row that was read last; an unknown key follows it */
	struct span values[BLOCK_MAX_KEYS];
	const char *last[BLOCK_MAX_KEYS]; /* the last possible position of each key */
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_space(char c) { return is_blank(c) || c == '\n'; }

/* Whether a word and "=" are at the position. */
static bool key_at(const struct block_kind *kind, const char *at, const char *end,
	struct place *out)
{
	const char *p = at;
	while (p < end && (isalnum((unsigned char)*p) || strchr(":/_", *p)))
		p++;
	if (p == at || p == end || *p != '=' || !isalpha((unsigned char)*at))
		return false;
	size_t n = (size_t)(p - at);
	*out = (struct place){ at, p + 1, 0 };
	for (; out->row < kind->n; out->row++)
		if (strncmp(kind->rows[out->row].name, at, n) == 0 && !kind->rows[out->row].name[n])
			break;
	return true;
}

/* The next possible position of a key from p on; p is within a value. */
static bool next_place(const struct block *b, const char *p, struct place *out)
{
	for (; p < b->end; p++) {
		const char *q = p + 1;
		if (*p != '\n' && (b->in_lines || !is_blank(*p)))
			continue;
		while (*p == '\n' && q < b->end && is_blank(*q))
			q++;
		bool known = key_at(b->kind, q, b->end, out) && out->row < b->kind->n;
		bool strange = !known && *p == '\n' && q - p - 1 == INDENT &&
			key_at(b->kind, q, b->end, out);
		if (known || strange)
			return true;
	}
	return false;
}

static void note_last_places(struct block *b, const char *start)
{
	struct place at;
	memset(b->last, 0, sizeof(b->last));
	for (const char *p = start; next_place(b, p, &at); p = at.value - 1)
		if (at.row < b->kind->n)
			b->last[at.row] = at.key;
}

/*
 * Whether the free value of the row, or of an unknown key after it, ends at this place.
 */
static bool ends_value(const struct block *b, size_t row, const struct place *at)
{
	if (at->row == b->kind->n)
		return true;
	if (b->values[at->row].at)
		return false;
	for (size_t k = row + 1; k < at->row; k++)
		if ((b->kind->rows[k].flags & KEY_ALWAYS) && !b->values[k].at &&
			b->last[k] > at->key)
			return false;
	return true;
}

static const char *free_end(const struct block *b, size_t row, const char *value)
{
	struct place at;
	for (const char *p = value; next_place(b, p, &at); p = at.value - 1)
		if (ends_value(b, row, &at))
			return at.key;
	return b->end;
}

static const char *word_end(const struct block *b, const char *p)
{
	while (p < b->end && !is_space(*p))
		p++;
	return p;
}

/* Stores the value of a key; only the first value of each key counts. */
static void take(struct block *b, size_t row, const char *at, const char *end)
{
	if (row == b->kind->n || b->values[row].at)
		return;
	b->newest = row;
	while (end > at && is_space(end[-1]))
		end--;
	b->values[row] = (struct span){ at, end };
}

/*
 * Reads a line from a key on. Returns the beginning of the next line, or of the key after
 * a free value (KEY_FREE).
 */
static const char *read_line(struct block *b, const char *p)
{
	struct place at;
	for (bool first = true; p < b->end && *p != '\n'; first = false) {
		while (p < b->end && is_blank(*p))
			p++;
		if (!key_at(b->kind, p, b->end, &at)) {
			p = word_end(b, p);
			continue;
		}
		bool strange = at.row == b->kind->n;
		if (strange ? first && b->kind->strange_is_free
			    : b->kind->rows[at.row].flags & KEY_FREE) {
			p = free_end(b, strange ? b->newest : at.row, at.value);
			take(b, at.row, at.value, p);
			return p;
		}
		p = word_end(b, at.value);
		take(b, at.row, at.value, p);
	}
	return p < b->end ? p + 1 : p;
}

static bool is_complete(const struct block *b)
{
	for (size_t i = 0; i < b->kind->n; i++)
		if ((b->kind->rows[i].flags & KEY_ALWAYS) && !b->values[i].at)
			return false;
	return true;
}

static void read_block(struct block *b, const char *start)
{
	for (int pass = 0; pass < 2; pass++) {
		b->in_lines = pass == 0;
		b->newest = 0;
		memset(b->values, 0, sizeof(b->values));
		note_last_places(b, start);
		for (const char *p = start; p < b->end;)
			p = read_line(b, p);
		if (is_complete(b))
			return;
	}
}

/* ---- values of a block ---- */

/*
 * Reads the first number of a list; a word for "no limit", or no text, is SLURM_ABSENT.
 */
static struct err limit_parse(char *text, int64_t *out)
{
	static const char *const none[] = { "", "UNLIMITED", "INFINITE", "NONE", "N/A", "(null)" };
	*out = SLURM_ABSENT;
	text[strcspn(text, ",")] = '\0';
	for (size_t i = 0; i < LENGTH(none); i++)
		if (strcmp(text, none[i]) == 0)
			return OK;
	if (!str_to_i64(text, 0, INT64_MAX, out))
		return err_new(ERR_INVALID, "\"%.40s\" is no number", text);
	return OK;
}

static struct err fill(const struct block *b, struct arena *a, char *thing)
{
	struct arena numbers AUTO(arena_free) = { 0 };
	for (size_t i = 0; i < b->kind->n; i++) {
		const struct key_row *row = &b->kind->rows[i];
		const struct span *value = &b->values[i];
		size_t n = value->at ? (size_t)(value->end - value->at) : 0;
		if (row->form == FORM_NONE)
			continue;
		char *text = arena_strndup(row->form == FORM_TEXT ? a : &numbers,
			value->at ? value->at : "", n);
		int64_t *number = (void *)(thing + row->offset);
		struct err e = OK;
		if (row->form == FORM_TEXT)
			*(const char **)(void *)(thing + row->offset) = text;
		else if (row->form == FORM_DURATION)
			e = slurm_duration_parse(text, number);
		else if (row->form == FORM_TIME)
			e = slurm_time_parse(text, number);
		else
			e = limit_parse(text, number);
		if (!failed(e) && row->form == FORM_NUMBER && *number < 0)
			e = err_new(ERR_INVALID, "\"%.40s\" is no number", text);
		if (failed(e))
			return err_wrap(e, "%s", row->name);
	}
	return OK;
}

/* ---- beginnings of blocks ---- */

/* Whether the line up to line_end is the first line of a block. */
static bool begins_block(const struct block_kind *kind, const char *line, const char *line_end)
{
	struct place at, next;
	while (line < line_end && is_blank(*line))
		line++;
	if (!key_at(kind, line, line_end, &at) || at.row != 0)
		return false;
	if (!kind->second)
		return true;
	const char *p = at.value;
	while (p < line_end && !is_blank(*p))
		p++;
	while (p < line_end && is_blank(*p))
		p++;
	if (!key_at(kind, p, line_end, &next)) /* "JobId=7 is what we wait for" */
		return false;
	size_t n = strlen(kind->second);
	return memmem(p - 1, (size_t)(line_end - p) + 1, kind->second, n) != NULL;
}

/* The next block from p on, after an empty line or at the start; NULL: none. */
static const char *next_block(const struct block_kind *kind, const char *p, bool behind_empty)
{
	while (*p) {
		const char *line_end = strchrnul(p, '\n'), *q = p;
		if (behind_empty && begins_block(kind, p, line_end))
			return p;
		while (q < line_end && is_space(*q))
			q++;
		behind_empty = q == line_end;
		p = *line_end ? line_end + 1 : line_end;
	}
	return NULL;
}

struct err blocks_read(const struct block_kind *kind, const char *text, struct arena *a, void **out,
	size_t *n)
{
	size_t cap = 1; /* most output has one block, which may be kept for long */
	struct block b = { .kind = kind };
	*out = arena_alloc(a, kind->thing_bytes);
	*n = 0;
	for (const char *p = next_block(kind, text, true), *next; p; p = next) {
		const char *line_end = strchrnul(p, '\n');
		next = next_block(kind, line_end, false);
		b.end = next ? next : line_end + strlen(line_end);
		read_block(&b, p);
		*out = arena_grown(a, *out, *n, &cap, kind->thing_bytes);
		struct err e = fill(&b, a, (char *)*out + *n * kind->thing_bytes);
		if (failed(e))
			return e;
		++*n;
	}
	return OK;
}
