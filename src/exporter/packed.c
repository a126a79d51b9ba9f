/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses one page at a time. A newer page is compressed next. */
#include "exporter/packed.h"

#include "archive/gzip.h"
#include "base/own.h"
#include "net/work.h"

/* Pages are compressed until this long after the last request for gzip. */
enum { ASKED_MS = 120000 };

struct job {
	struct packed_page *owner; /* NULL when the owner has been freed */
	struct http_shared *page;
	uint64_t number;
	struct str out;
};

struct packed_page {
	struct loop *loop;
	struct http_shared *page, *packed;
	uint64_t number, packed_number; /* numbers of page and packed */
	struct job *job;                /* NULL when no page is being compressed */
	bool asked;
	int64_t asked_ms;
};

static void pack(void *ctx, const atomic_bool *stop)
{
	struct job *j = ctx;
	size_t n;
	const char *text = http_shared_text(j->page, &n);
	if (!atomic_load(stop))
		gzip_add(&j->out, text, n);
}

static void begin(struct packed_page *p);

static void packed(void *ctx)
{
	struct job *j = ctx;
	struct packed_page *p = j->owner;
	if (p) {
		p->job = NULL;
		http_shared_leave(p->packed);
		p->packed = http_shared_new(&j->out);
		p->packed_number = j->number;
		begin(p);
	}
	http_shared_leave(j->page);
	str_free(&j->out);
	free(j);
}

/* Starts to compress the current page, if clients request gzip and it is not yet done. */
static void begin(struct packed_page *p)
{
	bool wanted = p->asked && loop_now_ms(p->loop) - p->asked_ms <= ASKED_MS;
	if (!wanted || !p->page || p->job || p->packed_number == p->number)
		return;
	struct job *j = own_alloc(sizeof(*j));
	j->owner = p;
	j->page = http_shared_join(p->page);
	j->number = p->number;
	p->job = j;
	work_start(p->loop, pack, packed, j);
}

struct packed_page *packed_page_new(struct loop *loop)
{
	struct packed_page *p = own_alloc(sizeof(*p));
	p->loop = loop;
	return p;
}

void packed_page_changed(struct packed_page *p, struct http_shared *page)
{
	http_shared_leave(p->page);
	p->page = http_shared_join(page);
	p->number++;
	begin(p);
}

struct http_shared *packed_page_ask(struct packed_page *p)
{
	p->asked = true;
	p->asked_ms = loop_now_ms(p->loop);
	begin(p);
	return p->packed_number == p->number ? p->packed : NULL;
}

void packed_page_free(struct packed_page *p)
{
	if (!p)
		return;
	if (p->job)
		p->job->owner = NULL;
	http_shared_leave(p->page);
	http_shared_leave(p->packed);
	free(p);
}
