/* SPDX-License-Identifier: Apache-2.0 */
/* Parses requests for results and with inputs. */
#include "kubelet/transfer/request.h"

#include <string.h>
#include <utlist.h>

#include "api/names.h"
#include "base/own.h"
#include "kubelet/transfer/parts.h"
#include "plan/results/list.h"

static const struct transfer_role roles[] = {
	{ "/results/", "-collect", AUDIENCE_RESULTS, false },
	{ "/prepare/", "-prepare", AUDIENCE_INPUTS, true },
};

static const struct transfer_role *role_of(const char *path)
{
	for (size_t i = 0; i < LENGTH(roles); i++)
		if (str_has_prefix(path, roles[i].route))
			return &roles[i];
	return NULL;
}

bool results_is_path(const char *path) { return role_of(path) != NULL; }

/* ---- path and query ---- */

/* Parses "NAMESPACE/POD" and the rest of the path. False: an unknown path. */
static bool read_path(struct transfer *h, const char *path)
{
	static const struct {
		const char *name;
		enum transfer_what what;
		bool inputs;
	} rows[] = { { "", TRANSFER_LIST, false }, { "/file", TRANSFER_FILE, false },
		{ "/checksum", TRANSFER_CHECKSUM, false }, { "/file", TRANSFER_INPUTS, true },
		{ "/checksum", TRANSFER_CHECKSUM, true } };
	path += strlen(h->role->route);
	size_t ns = strcspn(path, "/"), pod = path[ns] ? strcspn(path + ns + 1, "/") : 0;
	if (!ns || !pod)
		return false;
	h->ns = arena_strndup(&h->arena, path, ns);
	h->pod = arena_strndup(&h->arena, path + ns + 1, pod);
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].inputs == h->role->inputs &&
			str_eq(path + ns + 1 + pod, rows[i].name)) {
			h->what = rows[i].what;
			return true;
		}
	return false;
}

static const char *query_of(const void *exchange, const char *name)
{
	return exchange_query(exchange, name);
}

static struct err read_query(struct transfer *h)
{
	const char *path = exchange_query(h->relay.x, "path");
	const char *offset = exchange_query(h->relay.x, "offset");
	h->path = "";
	if (h->what == TRANSFER_LIST)
		return OK;
	if (str_empty(path))
		return err_new(ERR_INVALID, "path is missing: give a path of the list");
	if (offset && !str_to_i64(offset, 0, INT64_MAX, &h->offset))
		return err_new(ERR_INVALID, "offset should be a whole number, 0 or more");
	h->path = arena_strdup(&h->arena, path);
	return results_path_check(path);
}

/* The body has arrived. */
static void piece_there(void *transfer)
{
	struct transfer *h = transfer;
	size_t n;
	exchange_body(h->relay.x, &n);
	struct err e = inputs_piece_read(query_of, h->relay.x, n, &h->piece);
	if (failed(e))
		transfer_refuse(h, 400, e.text);
	else
		transfer_give(h);
}

static void go_on(struct transfer *h)
{
	if (h->what == TRANSFER_INPUTS)
		exchange_take_body(h->relay.x, piece_there);
	else
		transfer_give(h);
}

void results_serve(struct kubelet *k, struct exchange *x)
{
	struct transfer *h = own_alloc(sizeof(*h));
	*h = (struct transfer){ .k = k, .relay.x = x, .role = role_of(exchange_path(x)) };
	DL_APPEND(k->transfers, h);
	bool known = read_path(h, exchange_path(x));
	struct err e = known ? read_query(h) : OK;
	bool puts = h->what == TRANSFER_INPUTS;
	if (!str_eq(exchange_method(x), puts ? "PUT" : "GET")) {
		transfer_refuse(h, 405,
			puts ? "inputs are sent with PUT" : "results are read with GET");
	} else if (!known) {
		transfer_refuse(h, 404,
			h->role->inputs ? "inputs are below /prepare/NAMESPACE/POD"
					: "results are below /results/NAMESPACE/POD");
	} else if (failed(e)) {
		transfer_refuse(h, 400, e.text);
	} else {
		exchange_later(x, transfer_gone, h);
		transfer_ask_right(h, exchange_header(x, "Authorization"), go_on);
	}
}
