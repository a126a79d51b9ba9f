/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps at most two pages in memory. */
#include "exporter/pages.h"

bool pages_ready(struct pages *p, int64_t now_ms)
{
	if (http_shared_is_read(p->before) && now_ms - p->turned_ms < PAGES_WAIT_MS)
		return false;
	http_shared_leave(p->before);
	p->before = NULL;
	return true;
}

void pages_turn(struct pages *p, struct http_shared *next, int64_t now_ms)
{
	http_shared_leave(p->before);
	p->before = p->now;
	p->now = next;
	p->turned_ms = now_ms;
	if (http_shared_is_read(p->before))
		return;
	http_shared_leave(p->before);
	p->before = NULL;
}

void pages_free(struct pages *p)
{
	http_shared_leave(p->now);
	http_shared_leave(p->before);
	*p = (struct pages){ 0 };
}
