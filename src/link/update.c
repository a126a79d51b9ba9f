/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of Slurm nodes, and the nodes that are in flight because of them. */
#include <assert.h>

#include "base/own.h"
#include "link/parts.h"

static void update_free(struct update *u)
{
	struct update **at = &u->l->updates;
	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	for (size_t i = 0; i < u->n; i++)
		free(u->names[i]);
	free(u->names);
	free(u);
}

void link_updates_lost(struct slurm_link *l)
{
	while (l->updates) {
		slurm_done *done = l->updates->done;
		void *ctx = l->updates->ctx;
		update_free(l->updates);
		done(ctx,
			err_new(ERR_LOST,
				"Slurm cluster %s/%s was replaced while an update was under way",
				l->ns, l->cluster));
	}
}

/* Timeout of one request. */
enum { ANSWER_MS = 30000 };

/*
 * Until when an update may still arrive; 0: it is settled. An update of thousands of
 * nodes is sent in parts, and the last part was sent much later than the first.
 */
static int64_t may_come_until_ms(const struct update *u, struct err err)
{
	bool told = !failed(err) || err.kind == ERR_INVALID || err.kind == ERR_DENIED ||
		err.kind == ERR_NOT_FOUND;
	int64_t last_sent_ms = max_ms(u->sent_ms, loop_now_ms(u->l->config.loop) - ANSWER_MS);
	return told ? 0 : last_sent_ms + SLURM_LATE_MS;
}

/*
 * An UNDRAIN or a deletion that may still arrive keeps the node in flight: an UNDRAIN
 * could lift the drain, and a deletion could delete the node of a new pod. A DRAIN delays
 * nothing; its only risk is that we assume too early that it will not arrive.
 */
static void settle(struct node *n, const struct update *u, int64_t until_ms)
{
	int64_t now = loop_now_ms(u->l->config.loop);
	bool lifts = u->what == SLURM_UNDRAIN || u->what == SLURM_RESUME;
	int64_t settled = (lifts || u->deletes) && until_ms > now ? until_ms : now;
	if (u->what == SLURM_DRAIN && !u->deletes && until_ms > n->drain_until_ms)
		n->drain_until_ms = until_ms;
	n->late_until_ms = settled > n->late_until_ms ? settled : n->late_until_ms;
	assert(n->under_way > 0);
	if (--n->under_way == 0)
		n->in_flight_until_ms = n->late_until_ms;
}

static void updated(void *ctx, struct err err)
{
	struct update *u = ctx;
	int64_t until_ms = may_come_until_ms(u, err);
	link_note_cluster(u->l);
	if (err.kind == ERR_DENIED)
		u->l->secret_ms = 0; /* the Secret may have a new token */
	for (size_t i = 0; i < u->n; i++) {
		struct node *n = link_node_find(u->l, u->names[i]);
		if (n)
			settle(n, u, until_ms);
	}
	/*
	 * Reads the nodes again, because only their states count, not Slurm's answer. A
	 * comment changes no state.
	 */
	if (u->what != SLURM_COMMENT || u->deletes) {
		/*
		 * The nodes have changed, so the next list is whole anyway. Asking for a
		 * whole list avoids an answer "nothing has changed" from a server whose
		 * clock was set back.
		 */
		slurm_nodes_forget(u->l->slurm);
		u->l->read_again = true;
		if (!u->l->reading)
			link_read_schedule(u->l, 0);
	}
	slurm_done *done = u->done;
	void *done_ctx = u->ctx;
	update_free(u);
	done(done_ctx, err);
}

/* Returns NULL after it called done with an error, because there is no client. */
static struct update *begin(struct slurm_link *l, const char *const *names, size_t n,
	slurm_done *done, void *ctx)
{
	if (!l->slurm) {
		done(ctx,
			err_new(ERR_RETRY, "Slurm cluster %s/%s has no client yet", l->ns,
				l->cluster));
		return NULL;
	}
	struct update *u = own_alloc(sizeof(*u));
	*u = (struct update){
		.next = l->updates,
		.l = l,
		.names = own_alloc(n * sizeof(char *)),
		.n = n,
		.sent_ms = loop_now_ms(l->config.loop),
		.done = done,
		.ctx = ctx,
	};
	l->updates = u;
	for (size_t i = 0; i < n; i++) {
		u->names[i] = own_strdup(names[i]);
		struct node *node = link_node_make(l, names[i]);
		node->under_way++;
		node->wanted_ms = u->sent_ms;
		node->in_flight_until_ms = INT64_MAX;
	}
	return u;
}

void slurm_link_update(struct slurm_link *l, enum slurm_update what, const char *const *names,
	size_t n, const char *text, slurm_done *done, void *ctx)
{
	struct update *u = begin(l, names, n, done, ctx);
	if (!u)
		return;
	u->what = what;
	slurm_update_nodes(l->slurm, what, names, n, text, updated, u);
}

void slurm_link_delete_node(struct slurm_link *l, const char *name, slurm_done *done, void *ctx)
{
	struct update *u = begin(l, &name, 1, done, ctx);
	if (!u)
		return;
	u->deletes = true;
	slurm_delete_node(l->slurm, name, updated, u);
}
