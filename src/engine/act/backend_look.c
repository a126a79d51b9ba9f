/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the Slurm node right before the deletion of a pod that relies on Slurm. */
#include "base/str.h"
#include "engine/act/executor_parts.h"
#include "engine/removal.h"

enum {
	/* Maximum age of a list that counts as a read of each node that it names */
	LIST_LOOK_MS = 1500,
	LOOKS_MOST = 8, /* single reads in flight: more would only delay the list */
	LOOK_MS = 5000, /* maximum age of a single read, since its request */
};

/*
 * True after a read of the node that was requested lately and has just been answered. A
 * list that was requested a moment ago and names the node is as good: if a thousand nodes
 * are free at once, one list reads all of them. But a list does not show that a node is
 * absent, because a slurmd may be registering.
 */
static bool has_looked(const struct executor *x, const struct slurm_node_fact *f)
{
	if (f->known == YES && f->named_ms && now_of(x) - f->named_ms <= LIST_LOOK_MS)
		return true;
	return f->looked_ms && now_of(x) - f->looked_told_ms <= GUARDED_WAIT_MS &&
		now_of(x) - f->looked_ms <= LOOK_MS;
}

static struct removal_answer answer_of(const struct executor *x, struct slurm_link *link,
	const struct guard *g)
{
	const struct slurm_fact slurm = slurm_link_slurm(link);
	const struct slurm_node_fact f = slurm_link_node(link, &g->node);
	int64_t now = now_of(x), planned_for_ms = now - g->removal_ms;
	return (struct removal_answer){
		.kube_age_ms = g->removal->kube_age_ms + planned_for_ms,
		.halted_for_ms = g->removal->halted_for_ms + planned_for_ms,
		.looked = has_looked(x, &f),
		.usable = slurm.usable == YES,
		.node = f.known,
		.ambiguous = f.shared || f.elsewhere,
		.update_in_flight = f.in_flight,
		.age_ms = now - f.seen_ms,
		.absent_for_ms = slurm.nodes_seen_ms - f.absent_since_ms,
		.list_waited_ms = slurm.whole_seen_ms - f.absent_since_ms,
		.list_age_ms = slurm_list_age_ms(&slurm, now),
		.state = f.state,
		.held = f.held,
		.jobs_asked_ms = slurm.jobs_seen_ms,
		.jobs_age_ms = now - slurm.jobs_seen_ms,
		.free_since_ms = f.free_since_ms,
		.confirmed = f.confirmed,
	};
}

/*
 * Applies the rule again with the newest answers of Slurm: an administrator may have
 * resumed the node meanwhile, or a slurmd may have registered. At least one of these
 * facts is newer than the list of jobs.
 */
static bool guard_holds(const struct executor *x, struct slurm_link *link, const struct guard *g)
{
	if (!g->removal)
		return false;
	const struct removal_answer a = answer_of(x, link, g);
	return removal_holds(g->removal, &a);
}

/* Ends the action without sending it. The next plan uses the current facts. */
static void give_up(struct sent_action *e, struct err err) { kube_end(e, NULL, false, err); }

/*
 * After a read that took long the deletion is planned again, because it may no longer be
 * wanted. If it is still wanted, this read is new enough for it.
 */
static void looked(void *ctx, struct err err)
{
	struct sent_action *e = ctx;
	struct executor *x = e->x;
	const char *node = e->guard.node.name;
	struct slurm_link *link = link_for(x, e->about.ns, e->cluster);
	if (failed(err))
		give_up(e,
			err_wrap(err,
				"looking at Slurm node %s once more before the deletion of its pod",
				node));
	else if (now_of(x) - e->began_ms > GUARDED_WAIT_MS)
		give_up(e,
			err_new(ERR_CONFLICT,
				"the read of Slurm node %s took so long that the deletion of its pod is decided again",
				node));
	else if (!link || !executor_acts(x) || !guard_holds(x, link, &e->guard))
		give_up(e,
			err_new(ERR_CONFLICT,
				"Slurm node %s has changed since the deletion of its pod was ordered",
				node));
	else
		kube_send_sent_action(e, NULL, &e->guard);
}

/*
 * Many nodes are not read one by one, because the reads would wait in a queue until they
 * are too old. A list that comes a moment later reads all of them.
 */
int64_t backend_look(struct executor *x, const struct delivery *d)
{
	enum { LIST_AGAIN_MS = 100, FULL_AGAIN_MS = 200 };
	struct slurm_link *link = link_for(x, d->about->ns, d->cluster);
	if (!link)
		return FULL_AGAIN_MS;
	bool looked_already = guard_holds(x, link, &d->action->guard);
	if (!looked_already && slurm_link_looks(link) >= LOOKS_MOST) {
		slurm_link_list_now(link);
		return LIST_AGAIN_MS;
	}
	struct quota *place = place_take(&x->guarded, d->about->ns);
	if (!place)
		return FULL_AGAIN_MS;
	struct sent_action *e = kube_begin(x, d);
	e->guard = guard_copy(&e->own, &d->action->guard);
	e->place = place;
	e->cluster = arena_strdup(&e->own, d->cluster);
	e->began_ms = now_of(x);
	if (looked_already)
		kube_send_sent_action(e, NULL, &e->guard);
	else
		slurm_link_look(link, e->guard.node.name, looked, e);
	return 0;
}
