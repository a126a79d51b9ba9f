/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list is read twice. The first pass checks and counts it without building a name, so
 * that "[1-999999999]" costs nothing and a caller never receives half of a malformed
 * list. The second pass builds the names.
 */
#include "slurm/hostlist.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	/* Bracket groups of one item: the depth of the recursion that builds the names */
	MAX_GROUPS = 8,
	MAX_DIGITS = 9,
	NAME_BYTES = 256,
};

/* A number or range in a bracket group, "7" or "01-16". */
struct range {
	uint32_t first, last;
	int width;      /* digits of the first number; shorter numbers get leading zeros */
	int last_width; /* as written */
};

struct reader {
	const char *list, *at;
};

static struct err bad(const struct reader *r, const char *what)
{
	return err_new(ERR_INVALID, "host list \"%.80s\": %s at position %zu", r->list, what,
		(size_t)(r->at - r->list) + 1);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/*
 * Any visible character without a meaning in a list. Slurm itself checks which of them a
 * name may hold.
 */
static bool is_plain(char c) { return c > ' ' && c < 127 && !strchr("[](){}<>,;\"'\\", c); }

static struct err read_number(struct reader *r, uint32_t *value, int *width)
{
	*value = 0;
	for (*width = 0; is_digit(*r->at); r->at++, ++*width) {
		if (*width == MAX_DIGITS)
			return bad(r, "a number of more than 9 digits");
		*value = *value * 10 + (uint32_t)(*r->at - '0');
	}
	return *width ? OK : bad(r, "a number is missing");
}

/* Reads one range and the comma after it, but not the closing bracket. */
static struct err read_range(struct reader *r, struct range *out)
{
	struct err e = read_number(r, &out->first, &out->width);
	if (failed(e))
		return e;
	out->last = out->first;
	out->last_width = out->width;
	if (*r->at == '-') {
		r->at++;
		e = read_number(r, &out->last, &out->last_width);
		if (failed(e))
			return e;
		if (out->last < out->first)
			return bad(r, "a range that ends before it starts");
	}
	if (*r->at == ']')
		return OK;
	if (*r->at != ',')
		return bad(r, "\",\", \"-\" or \"]\" is missing");
	r->at++;
	return *r->at == ']' ? bad(r, "a number is missing") : OK;
}

static struct err too_many(const struct reader *r)
{
	return err_new(ERR_TOO_LARGE, "host list \"%.80s\" names more than %d hosts", r->list,
		HOSTLIST_MAX);
}

/* Checks a bracket group, from "[" to after "]". */
static struct err check_group(struct reader *r, uint64_t *hosts, size_t *digits)
{
	uint64_t in_group = 0;
	*digits = 0;
	r->at++;
	do {
		struct range range;
		struct err e = read_range(r, &range);
		if (failed(e))
			return e;
		if (*digits < (size_t)range.width)
			*digits = (size_t)range.width;
		if (*digits < (size_t)range.last_width)
			*digits = (size_t)range.last_width;
		in_group += (uint64_t)(range.last - range.first) + 1;
		if (in_group > HOSTLIST_MAX)
			return too_many(r);
	} while (*r->at != ']');
	r->at++;
	*hosts *= in_group;
	return *hosts > HOSTLIST_MAX ? too_many(r) : OK;
}

/* Checks an item of the list, up to the comma after it or the end of the list. */
static struct err check_item(struct reader *r, uint64_t *hosts)
{
	size_t bytes = 0, digits;
	int groups = 0;
	*hosts = 1;
	while (*r->at && *r->at != ',') {
		if (*r->at == '[') {
			if (++groups > MAX_GROUPS)
				return bad(r, "more than 8 bracket groups in one name");
			struct err e = check_group(r, hosts, &digits);
			if (failed(e))
				return e;
			bytes += digits;
		} else if (is_plain(*r->at)) {
			r->at++;
			bytes++;
		} else {
			return bad(r, "a character that no host name has");
		}
		if (bytes >= NAME_BYTES)
			return bad(r, "a name of more than 255 characters");
	}
	return bytes ? OK : bad(r, "a name is missing");
}

struct err hostlist_count(const char *list, size_t *n)
{
	struct reader r = { list, list };
	*n = 0;
	while (list && *list) {
		uint64_t hosts;
		struct err e = check_item(&r, &hosts);
		if (failed(e))
			return e;
		*n += hosts;
		if (*n > HOSTLIST_MAX)
			return too_many(&r);
		if (!*r.at)
			break;
		r.at++;
	}
	return OK;
}

/* The receiver of the names, and the name that is being built. */
struct giver {
	void (*each)(void *ctx, const char *name);
	void *ctx;
	char name[NAME_BYTES];
};

/*
 * Adds the rest of a checked item, from at, to a name of len bytes; passes each complete
 * name.
 */
static void give(struct giver *g, const char *at, size_t len)
{
	while (*at && *at != ',' && *at != '[')
		g->name[len++] = *at++;
	if (*at != '[') {
		g->name[len] = '\0';
		g->each(g->ctx, g->name);
		return;
	}
	const char *behind = strchr(at, ']') + 1;
	struct reader r = { at, at + 1 };
	do {
		struct range range;
		(void)read_range(&r, &range);
		for (uint64_t i = range.first; i <= range.last; i++) {
			int n = snprintf(g->name + len, sizeof(g->name) - len, "%0*" PRIu64,
				range.width, i);
			give(g, behind, len + (size_t)n);
		}
	} while (*r.at != ']');
}

static const char *next_item(const char *at)
{
	for (bool inside = false; *at && (inside || *at != ','); at++)
		inside = *at == '[' || (inside && *at != ']');
	return *at ? at + 1 : NULL;
}

struct err hostlist_expand(const char *list, void (*each)(void *ctx, const char *name), void *ctx)
{
	size_t n;
	struct err e = hostlist_count(list, &n);
	if (failed(e) || !n)
		return e;
	struct giver g = { .each = each, .ctx = ctx };
	for (const char *item = list; item; item = next_item(item))
		give(&g, item, 0);
	return OK;
}
