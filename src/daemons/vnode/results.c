/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for results: what they are about. */
#include "daemons/vnode/results.h"

#include <string.h>
#include <utlist.h>

#include "base/own.h"
#include "daemons/vnode/results_parts.h"
#include "plan/results/list.h"

#define RESULTS_ROUTE "/results/"

/* ---- the end ---- */

void handout_free(struct handout *h)
{
	struct loop *loop = h->k->config.loop;
	gate_ask_cancel(h->ask);
	http_cancel(h->k->config.kube->http, h->call);
	if (h->relay.call)
		wlm_call_cancel(TAKE(h->relay.call));
	timer_stop(loop, h->timer);
	DL_DELETE(h->k->handouts, h);
	arena_free(&h->arena);
	free(h);
}

void handout_gone(void *handout) { handout_free(handout); }

void handout_refuse(struct handout *h, int status, const char *sentence)
{
	struct exchange *x = h->relay.x;
	bool begun = h->relay.begun;
	if (begun) {
		handout_free(h);
		exchange_break(x);
		return;
	}
	kubelet_say(x, status, sentence); /* the sentence may be in the arena */
	handout_free(h);
}

/* ---- what it is about ---- */

/* "NAMESPACE/POD", and which of the three. False: there is no such path. */
static bool read_path(struct handout *h, const char *path)
{
	static const struct {
		const char *name;
		enum handout_what what;
	} rows[] = { { "", HANDOUT_LIST }, { "/file", HANDOUT_FILE },
		{ "/checksum", HANDOUT_CHECKSUM } };
	path += strlen(RESULTS_ROUTE);
	size_t ns = strcspn(path, "/"), pod = path[ns] ? strcspn(path + ns + 1, "/") : 0;
	if (!ns || !pod)
		return false;
	h->ns = arena_strndup(&h->arena, path, ns);
	h->pod = arena_strndup(&h->arena, path + ns + 1, pod);
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (str_eq(path + ns + 1 + pod, rows[i].name)) {
			h->what = rows[i].what;
			return true;
		}
	return false;
}

static struct err read_query(struct handout *h)
{
	const char *path = exchange_query(h->relay.x, "path");
	const char *offset = exchange_query(h->relay.x, "offset");
	h->path = "";
	if (h->what == HANDOUT_LIST)
		return OK;
	if (str_empty(path))
		return err_new(ERR_INVALID, "path is missing: it should be one of the list");
	if (offset && !str_to_i64(offset, 0, INT64_MAX, &h->offset))
		return err_new(ERR_INVALID, "offset should be a whole number, 0 or more");
	h->path = arena_strdup(&h->arena, path);
	return results_path_check(path);
}

void results_serve(struct kubelet *k, struct exchange *x)
{
	struct handout *h = own_alloc(sizeof(*h));
	*h = (struct handout){ .k = k, .relay.x = x };
	DL_APPEND(k->handouts, h);
	bool known = read_path(h, exchange_path(x));
	struct err e = known ? read_query(h) : OK;
	if (!str_eq(exchange_method(x), "GET")) {
		handout_refuse(h, 405, "results are read with GET");
	} else if (!known) {
		handout_refuse(h, 404, "results are below /results/NAMESPACE/POD");
	} else if (failed(e)) {
		handout_refuse(h, 400, e.text);
	} else {
		exchange_later(x, handout_gone, h);
		handout_ask_right(h, exchange_header(x, "Authorization"));
	}
}
