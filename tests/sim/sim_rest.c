/* SPDX-License-Identifier: Apache-2.0 */
/* The REST face of the simulated API server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_kube.h"

/* ---- paths ---- */

static const char *word(const char *at, char *out, size_t cap)
{
	size_t n = strcspn(at, "/?");
	snprintf(out, cap, "%.*s", (int)n, at);
	at += n;
	return *at == '/' ? at + 1 : at;
}

static bool find_resource(const char *group, const char *version, const char *plural,
	enum resource *out)
{
	for (int r = RES_NONE; r < RES_COUNT; r++) {
		const struct resource_row *row = &resource_rows[r];
		if (*row->plural && strcmp(row->group, group) == 0 &&
			strcmp(row->version, version) == 0 && strcmp(row->plural, plural) == 0) {
			*out = (enum resource)r;
			return true;
		}
	}
	return false;
}

static bool parse_path(const char *path, struct sim_target *t)
{
	char group[64] = "", version[32], plural[64];
	*t = (struct sim_target){ .query = strchr(path, '?') ? strchr(path, '?') + 1 : "" };
	if (strncmp(path, "/apis/", 6) == 0)
		path = word(path + 6, group, sizeof(group));
	else if (strncmp(path, "/api/", 5) == 0)
		path += 5;
	else
		return false;
	path = word(path, version, sizeof(version));
	path = word(path, plural, sizeof(plural));
	if (strcmp(plural, "namespaces") == 0) {
		char ns[64], next[64];
		const char *rest = word(path, ns, sizeof(ns));
		const char *after = word(rest, next, sizeof(next));
		if (*next && strcmp(next, "status") != 0 && strcmp(next, "finalize") != 0) {
			snprintf(t->ns, sizeof(t->ns), "%s", ns);
			snprintf(plural, sizeof(plural), "%s", next);
			path = after;
		}
	}
	path = word(path, t->name, sizeof(t->name));
	word(path, t->sub, sizeof(t->sub));
	return find_resource(group, version, plural, &t->resource);
}

static int hex(char c)
{
	return c >= '0' && c <= '9'                  ? c - '0'
		: (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
						     : -1;
}

bool sim_query(const char *query, const char *key, char *out, size_t cap)
{
	size_t n = strlen(key), len = 0;
	*out = '\0';
	for (; *query; query += strcspn(query, "&"), query += *query == '&') {
		if (strncmp(query, key, n) != 0 || query[n] != '=')
			continue;
		for (const char *p = query + n + 1; *p && *p != '&' && len + 1 < cap; p++) {
			bool escaped = *p == '%' && hex(p[1]) >= 0 && hex(p[2]) >= 0;
			out[len++] = escaped ? (char)(hex(p[1]) * 16 + hex(p[2])) : *p;
			p += escaped ? 2 : 0;
		}
		out[len] = '\0';
		return true;
	}
	return false;
}

/* "key=value" */
static bool lacks_label(const struct sim_target *t, const struct sim_version *v)
{
	char selector[300];
	if (!sim_query(t->query, "labelSelector", selector, sizeof(selector)))
		return false;
	char *value = strchr(selector, '=');
	if (!value)
		return true;
	*value = '\0';
	return strcmp(sim_label(v, selector), value + 1) != 0;
}

bool sim_left_out(const struct sim_target *t, const struct sim_version *v)
{
	char selector[300];
	if ((*t->ns && strcmp(t->ns, v->ns) != 0) || lacks_label(t, v))
		return true;
	if (!sim_query(t->query, "fieldSelector", selector, sizeof(selector)))
		return false;
	if (strncmp(selector, "metadata.name=", 14) == 0)
		return strcmp(selector + 14, v->name) != 0;
	return strncmp(selector, "spec.nodeName=", 14) == 0 &&
		strcmp(selector + 14, sim_str(sim_get(v->root, "spec"), "nodeName")) != 0;
}

/* ---- lists ---- */

/* Where a list starts and which moment it shows. */
struct page {
	int64_t rv;
	size_t limit;
	/* "namespace/name" of the last object of the page before; "": first page */
	char after[400];
};

static bool read_page(struct sim_kube *k, const struct sim_target *t, struct page *p)
{
	char text[420];
	*p = (struct page){ .rv = k->store.rv, .limit = SIZE_MAX };
	if (sim_query(t->query, "limit", text, sizeof(text)) && atoi(text) > 0)
		p->limit = k->page_most ? k->page_most : (size_t)atoi(text);
	if (sim_query(t->query, "continue", text, sizeof(text)) && *text) {
		char *end;
		p->rv = strtoll(text, &end, 10);
		snprintf(p->after, sizeof(p->after), "%s", *end == '.' ? end + 1 : "");
		return *end == '.';
	}
	/* "any version will do" may be answered by a cache that is behind */
	if (sim_query(t->query, "resourceVersion", text, sizeof(text)) && strcmp(text, "0") == 0 &&
		sim_rand_chance(&k->rand, k->stale_per_mille)) {
		p->rv -= sim_rand_range(&k->rand, 1, 60);
		p->limit = SIZE_MAX;
		if (p->rv < k->store.compacted)
			p->rv = k->store.compacted;
	}
	return true;
}

static void list(struct sim_kube *k, const struct sim_target *t, struct sim_reply *out)
{
	const struct resource_row *row = &resource_rows[t->resource];
	struct page p;
	struct sim_list all;
	if (!read_page(k, t, &p) || !sim_store_at(&k->store, t->resource, p.rv, &all)) {
		struct sim_result gone = sim_refuse(410, "Expired",
			"The provided continue parameter is too old to display a consistent list "
			"result.");
		out->status = 410;
		sim_status_body(&gone, &out->body);
		return;
	}
	struct str items = { 0 };
	size_t n = 0, i = 0;
	char key[400] = "";
	for (; i < all.n && n < p.limit; i++) {
		char at[400];
		snprintf(at, sizeof(at), "%s/%s", all.at[i]->ns, all.at[i]->name);
		if ((*p.after && strcmp(at, p.after) <= 0) || sim_left_out(t, all.at[i]))
			continue;
		str_add(&items, n++ ? "," : "");
		str_add_bytes(&items, all.at[i]->text, all.at[i]->bytes);
		memcpy(key, at, sizeof(key));
	}
	bool more = n == p.limit && i < all.n;
	str_addf(&out->body,
		"{\"kind\":\"%sList\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%"
		"lld\"",
		row->kind, row->api_version, (long long)p.rv);
	if (more)
		str_addf(&out->body, ",\"continue\":\"%lld.%s\",\"remainingItemCount\":%zu",
			(long long)p.rv, key, all.n - i);
	str_add(&out->body, "},\"items\":[");
	str_add_bytes(&out->body, str_text(&items), items.len);
	str_add(&out->body, "]}");
	out->status = 200;
	if (!more)
		out->seen = (struct sim_seen){
			.what = SIM_SEEN_LIST + (int)t->resource,
			.value = p.rv,
		};
	str_free(&items);
	free(all.at);
}

/* ---- one object ---- */

static struct sim_result get(struct sim_kube *k, const struct sim_target *t)
{
	struct sim_version *v = sim_store_find(&k->store, t->resource, t->ns, t->name);
	if (!v)
		return sim_refuse(404, "NotFound", "%s \"%s\" not found",
			resource_rows[t->resource].plural, t->name);
	return (struct sim_result){ .status = 200, .version = v };
}

static bool content_is(const struct sim_request *rq, const char *type)
{
	return rq->content_type && strncmp(rq->content_type, type, strlen(type)) == 0;
}

static bool denied(const struct sim_kube *k, const struct sim_target *t,
	const struct sim_request *rq)
{
	const struct sim_policy *p = &k->policy;
	bool concerned = p->on && p->resource == t->resource && !*t->sub &&
		(!*p->name || strcmp(p->name, t->name) == 0) &&
		(!p->ns || strcmp(p->ns, t->ns) == 0);
	return rq->observed && concerned && strstr(p->methods, rq->method);
}

static bool over_quota(const struct sim_kube *k, const struct sim_target *t,
	const struct sim_request *rq)
{
	return k->most_pods && t->resource == RES_POD && strcmp(rq->method, "POST") == 0 &&
		k->store.of[RES_POD].n >= k->most_pods;
}

static struct sim_result write_object(struct sim_kube *k, const struct sim_target *t,
	const struct sim_request *rq, yyjson_val *body)
{
	struct sim_origin o = {
		.actor = rq->observed ? ACTOR_OPERATOR : ACTOR_USER,
		.request = rq,
	};
	if (denied(k, t, rq) && k->on_denied)
		k->on_denied(k->ctx, t->resource, t->ns, t->name);
	if (denied(k, t, rq))
		return sim_refuse(403, "Forbidden",
			"admission webhook \"policy.example.com\" denied the request: not now");
	if (over_quota(k, t, rq))
		return sim_refuse(403, "Forbidden",
			"exceeded quota: pods, requested: pods=1, used: pods=%zu, limited: "
			"pods=%zu",
			k->store.of[RES_POD].n, k->most_pods);
	if (strcmp(rq->method, "DELETE") == 0)
		return sim_delete(k, o, t->resource, t->ns, t->name, body);
	if (!body)
		return sim_refuse(400, "BadRequest",
			"the object provided is unrecognized (must be of type %s)",
			resource_rows[t->resource].kind);
	if (strcmp(rq->method, "POST") == 0 && !*t->name)
		return sim_create(k, o, t->resource, t->ns, body);
	if (strcmp(rq->method, "PUT") == 0 && *t->name)
		return sim_update(k, o, t->resource, t->ns, t->name, t->sub, body);
	if (strcmp(rq->method, "PATCH") != 0 || !*t->name)
		return sim_refuse(405, "MethodNotAllowed",
			"the server does not allow this method on the requested resource");
	if (content_is(rq, "application/merge-patch+json"))
		return sim_patch(k, o, t->resource, t->ns, t->name, t->sub, SIM_MERGE_PATCH, body);
	if (content_is(rq, "application/json-patch+json"))
		return sim_patch(k, o, t->resource, t->ns, t->name, t->sub, SIM_JSON_PATCH, body);
	return sim_refuse(415, "UnsupportedMediaType",
		"the body of the request was in an unknown format - accepted media types include: "
		"application/json-patch+json, application/merge-patch+json");
}

static struct sim_result one(struct sim_kube *k, const struct sim_target *t,
	const struct sim_request *rq)
{
	if (*t->sub && strcmp(t->sub, "status") != 0)
		return sim_refuse(404, "NotFound",
			"the server could not find the requested resource");
	if (strcmp(rq->method, "GET") == 0)
		return get(k, t);
	yyjson_doc *doc = rq->body_bytes ? yyjson_read(rq->body, rq->body_bytes, 0) : NULL;
	struct sim_result out = rq->body_bytes && !doc
		? sim_refuse(400, "BadRequest", "the body is not JSON")
		: write_object(k, t, rq, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	return out;
}

static void serve(void *ctx, const struct sim_request *rq, struct sim_reply *out)
{
	struct sim_kube *k = ctx;
	struct sim_target t;
	char flag[16];
	struct sim_result r;
	if (k->on_request)
		k->on_request(k->ctx, rq);
	if (!parse_path(rq->path, &t)) {
		r = sim_refuse(404, "NotFound", "the server could not find the requested resource");
	} else if (strcmp(rq->method, "GET") == 0 && !*t.name) {
		bool watch = sim_query(t.query, "watch", flag, sizeof(flag)) &&
			(strcmp(flag, "1") == 0 || strcmp(flag, "true") == 0);
		if (watch)
			sim_watch_open(k, &t, rq, out);
		else
			list(k, &t, out);
		return;
	} else {
		r = one(k, &t, rq);
	}
	out->status = r.status;
	if (r.version)
		str_add_bytes(&out->body, r.version->text, r.version->bytes);
	else
		sim_status_body(&r, &out->body);
}

void sim_kube_init(struct sim_kube *k, struct sim_net *net, const char *base_url, uint64_t seed)
{
	*k = (struct sim_kube){
		.loop = net->loop,
		.net = net,
		.rand = sim_rand_new(seed, 2),
		.stale_per_mille = 500,
		.watch_delay_ms = 40,
	};
	k->server = (struct sim_server){
		.base_url = base_url,
		.serve = serve,
		.fault_body = sim_kube_fault_body,
		.ctx = k,
	};
	sim_net_add(net, &k->server);
	sim_watch_init(k);
	sim_collect_init(k);
}

void sim_kube_restart(struct sim_kube *k, int64_t down_ms)
{
	sim_server_down(&k->server, down_ms);
	sim_store_compact(&k->store);
}

void sim_kube_free(struct sim_kube *k)
{
	timer_stop(&k->loop->loop, k->collect);
	sim_watch_free(k);
	sim_store_free(&k->store);
}
