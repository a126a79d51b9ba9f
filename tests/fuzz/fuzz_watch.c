/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and watches of an API server that is not what it should be, through the line
 * splitter and the events into the store and the facts of pods. The input: one byte for
 * the resource, then the answers (lib/fuzz_peer.h). The same bytes go through the line
 * splitter alone, cut in two ways.
 */
#include <string.h>

#include "engine/store/store.h"
#include "lib/fuzz_peer.h"
#include "kube/lines.h"
#include "kube/watch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct seen {
	struct store *store;
	enum resource resource;
	bool listing;
};

static void list_begin(void *ctx, const char *version)
{
	struct seen *s = ctx;
	s->listing = true;
	store_list_begin(s->store, s->resource, NULL, strtoull(version, NULL, 10));
}

static void list_end(void *ctx, const char *version)
{
	struct seen *s = ctx;
	if (!s->listing)
		abort();
	s->listing = false;
	store_list_end(s->store, s->resource, NULL, strtoull(version, NULL, 10));
	if (!store_complete(s->store, s->resource, NULL))
		abort();
}

static void upsert(void *ctx, const struct json *object)
{
	struct seen *s = ctx;
	store_put(s->store, s->resource, object);
}

static void removed(void *ctx, const struct json *last)
{
	struct seen *s = ctx;
	store_remove(s->store, s->resource, last);
}

static void trouble(void *ctx, struct err e)
{
	(void)ctx;
	if (!failed(e) || !e.text[0])
		abort();
}

static void look(void *ctx, const struct record *rec)
{
	const struct pod_fact *p = rec->pod;
	(void)ctx;
	if (!rec->ns || !rec->name || !rec->uid || (rec->resource == RES_POD) != !!p)
		abort();
	for (size_t i = 0; p && i < p->n_labels; i++)
		if (!p->labels[i].key || !p->labels[i].value)
			abort();
	for (size_t i = 0; p && i < p->n_claims; i++)
		if (!p->claims[i].claim || !p->claims[i].volume)
			abort();
	if (p && (!pod_label(p, "app")) != !pod_label(p, "app"))
		abort();
}

/* ---- lines ---- */

struct tally {
	uint64_t sum;
	size_t lines;
};

static bool count_line(void *ctx, const char *line, size_t n)
{
	struct tally *t = ctx;
	if (n == 0 || memchr(line, '\n', n))
		abort();
	for (size_t i = 0; i < n; i++)
		t->sum = t->sum * 31 + (unsigned char)line[i];
	t->sum = t->sum * 31 + '\n';
	t->lines++;
	return true;
}

static struct tally cut(const char *bytes, size_t n, size_t step)
{
	struct lines l = { .max_bytes = SIZE_MAX };
	struct tally t = { 0 };
	for (size_t at = 0; at < n; at += step)
		lines_feed(&l, bytes + at, n - at < step ? n - at : step, count_line, &t);
	lines_reset(&l);
	return t;
}

static void check_lines(const char *bytes, size_t n)
{
	struct tally whole = cut(bytes, n, n ? n : 1), bits = cut(bytes, n, 3);
	if (whole.sum != bits.sum || whole.lines != bits.lines)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const enum resource kinds[] = { RES_POD, RES_NODESET, RES_PVC, RES_REVISION };
	static const struct watch_handler handler = { list_begin, upsert, removed, list_end, NULL,
		trouble };
	if (n < 1)
		return 0;
	check_lines((const char *)bytes, n);
	static struct fuzz_peer p;
	peer_begin(&p, bytes + 1, n - 1);
	struct kube kube = { &p.http.http, &p.loop.loop };
	struct seen s = { store_new(&p.loop.loop, NULL, NULL), kinds[bytes[0] % LENGTH(kinds)],
		false };
	struct watch *w = watch_new(&kube, s.resource, NULL, NULL, &handler, &s);
	peer_run(&p, 12);
	store_each(s.store, s.resource, NULL, look, NULL);
	watch_free(w);
	store_free(s.store);
	peer_end(&p);
	return 0;
}
