/* SPDX-License-Identifier: Apache-2.0 */
/* Lists some Nodes periodically, while an object needs them. */
#include "engine/node_list.h"

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "object/query.h"

enum { ANSWER_MS = 10000, AGAIN_MS = 30000, REFUSED_MS = 300000 };

struct node_list {
	struct kube *kube;
	char *path;
	void (*changed)(void *ctx);
	void *ctx;
	bool wanted, said, refused;
	struct http_call *call;
	struct timer *timer; /* of the next list; never set together with call */
	/* The last list, and its JSON text; NULL: none. */
	struct json_doc *known;
	char *text;
	bool more;
	/* The answer that is being read; d NULL: no answer. */
	struct arena arena;
	struct jdoc *d;
	struct jval *items;
	size_t bytes;
	bool cut;
};

static void forget(struct node_list *l)
{
	json_free(TAKE(l->known));
	free(TAKE(l->text));
}

static void end_reading(struct node_list *l)
{
	arena_free(&l->arena);
	l->arena = (struct arena){ 0 };
	l->d = NULL;
}

/* ---- an answer ---- */

/* An answer begins: the call cannot be cancelled from now on. */
static void begun(void *ctx, const struct json *metadata)
{
	struct node_list *l = ctx;
	l->call = NULL;
	l->d = jdoc_new(&l->arena);
	l->items = j_arr(l->d);
	l->bytes = 0;
	l->cut = !str_empty(json_str(json_get(metadata, "continue"), ""));
}

static void item(void *ctx, const struct json *node)
{
	struct node_list *l = ctx;
	const struct json *metadata = json_get(node, "metadata"), *spec = json_get(node, "spec");
	const struct json *name = json_get(metadata, "name"),
			  *labels = json_get(metadata, "labels"),
			  *taints = json_get(spec, "taints"),
			  *cordon = json_get(spec, "unschedulable");
	l->bytes += json_memory(name) + json_memory(labels) + json_memory(taints);
	l->cut |= l->bytes > NODES_BYTES;
	if (l->bytes > NODES_BYTES)
		return;
	struct jval *kept = j_push(l->d, l->items, j_obj(l->d));
	struct jval *to = j_child(l->d, kept, "metadata"), *of = j_child(l->d, kept, "spec");
	j_set(l->d, to, "name", j_copy(l->d, name));
	j_set(l->d, to, "labels", j_copy(l->d, labels));
	j_set(l->d, of, "taints", j_copy(l->d, taints));
	j_set(l->d, of, "unschedulable", j_copy(l->d, cordon));
}

/* Keeps the new list, if it differs from the former one. */
static void take(struct node_list *l)
{
	const char *text = j_text(l->d, l->items);
	if (l->known && l->more == l->cut && str_eq(text, l->text))
		return;
	forget(l);
	l->more = l->cut;
	l->text = own_strdup(text);
	if (!failed(json_parse(l->text, strlen(l->text), SIZE_MAX, &l->known)))
		l->changed(l->ctx);
}

static void note_refusal(struct node_list *l, struct err err)
{
	bool news = !l->refused;
	l->refused = true;
	if (news)
		l->changed(l->ctx);
	if (!l->said)
		log_info(
			"the nodes of Kubernetes may not be listed, so conditions of jobs do not say what each node lacks",
			"why", err.text, "remedy",
			"a ClusterRole with the right to list nodes (docs/manager.md)");
	l->said = true;
}

static void again(void *ctx);

static void answered(void *ctx, struct err err, const struct json *list, int64_t retry_after_ms)
{
	struct node_list *l = ctx;
	bool refused = err.kind == ERR_DENIED || err.kind == ERR_NOT_FOUND;
	(void)list;
	(void)retry_after_ms;
	l->call = NULL;
	l->timer = timer_start(l->kube->loop, refused ? REFUSED_MS : AGAIN_MS, again, l);
	if (failed(err) || !l->d)
		forget(l);
	if (refused)
		note_refusal(l, err);
	else
		l->refused = false;
	if (!failed(err) && l->d)
		take(l);
	end_reading(l);
}

/* ---- requests ---- */

static void ask(struct node_list *l)
{
	struct kube_request r = {
		.method = "GET",
		.path = l->path,
		.timeout_ms = ANSWER_MS,
		.begun = begun,
		.item = item,
	};
	l->call = kube_send(l->kube, &r, answered, l);
}

static void again(void *ctx)
{
	struct node_list *l = ctx;
	l->timer = NULL;
	if (l->wanted)
		ask(l);
	else
		forget(l);
}

void node_list_wanted(struct node_list *l, bool wanted)
{
	l->wanted = wanted;
	if (wanted && !l->call && !l->timer)
		ask(l);
}

struct nodes_fact node_list_known(const struct node_list *l)
{
	return (struct nodes_fact){ json_root(l->known), l->more, l->refused };
}

/* ---- creation and end ---- */

struct node_list *node_list_new(struct kube *kube, const char *selector, void (*changed)(void *ctx),
	void *ctx)
{
	AUTO(arena_free) struct arena a = { 0 };
	struct str path = { 0 };
	struct node_list *l = own_alloc(sizeof(*l));
	str_add(&path, resource_path(&a, RES_NODE, NULL, NULL, NULL));
	query_add(&path, "labelSelector", selector);
	str_addf(&path, "&limit=%d", NODES_MOST);
	*l = (struct node_list){
		.kube = kube, .path = str_take(&path), .changed = changed, .ctx = ctx
	};
	return l;
}

void node_list_free(struct node_list *l)
{
	if (!l)
		return;
	if (l->call)
		http_cancel(l->kube->http, l->call);
	timer_stop(l->kube->loop, l->timer);
	forget(l);
	end_reading(l);
	free(l->path);
	free(l);
}
