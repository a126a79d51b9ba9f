/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link to one Slurm cluster: reads the Secret with its token, keeps a slurmrestd
 * client for it, checks it periodically, and keeps the newest facts about its nodes.
 * Never decides anything about pods.
 *
 * Periods: check (Secret and ping) 10 s; nodes 10 s at rest by conditional reads, 0.5 s
 * while a decision waits for Slurm, but never more than a sixth of the time is spent
 * reading; jobs when a deletion waits for them, and every 30 s while jobs run on nodes of
 * ours; partitions once a minute while an asker wants to know of them; likewise the queue
 * each second, but for a sixth of the time at most. A link whose newest answer is older
 * than three of its periods is not usable: its facts are UNKNOWN.
 */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include "kube/client.h"
#include "link/consent.h"
#include "link/demand.h"
#include "link/facts.h"
#include "slurm/rest/client.h"

struct slurm_link;

struct link_config {
	struct kube *kube;
	struct loop *loop;
	http_factory *http_new;
	void *http_ctx;
	/* Facts changed: nodes (states, absence, usability) or the link's own. */
	void (*changed)(void *ctx, struct slurm_link *l);
	void *ctx;
	/* From now on another token is sent than before; may be NULL. */
	void (*new_token)(void *ctx, struct slurm_link *l);
	const int64_t *until_ms; /* slurm_may_change; NULL: for ever */
	/* For what Slurm says: links of a namespace share a quota. NULL: without limit */
	struct budget *memory;
	struct server_rules servers;
};

/*
 * Makes the link of the object of this name. The link sends no request before
 * slurm_link_set.
 */
struct slurm_link *slurm_link_new(const struct link_config *config, const char *ns,
	const char *cluster);
void slurm_link_free(struct slurm_link *l); /* accepts NULL */
/* From now on this manager acts; requests of a manager before it may come late. */
void slurm_link_take_over(struct slurm_link *l);
/*
 * Where it is and who we are there; a change makes a new client and makes every fact
 * UNKNOWN. The token goes nowhere that link_config.servers and its Secret do not permit;
 * link_fact says what does not.
 */
void slurm_link_set(struct slurm_link *l, const char *server, const char *secret_name);
/*
 * Sets a link whose Secret has no token: it has the key of which Slurm takes tokens, and
 * the link makes them, of 15 minutes, for this user. A changed key is used when Slurm
 * refuses the former one.
 */
void slurm_link_set_minting(struct slurm_link *l, const char *server, const char *secret_name,
	const char *user);

/*
 * The Secrets of others that are to have tokens of that key, at most RECIPIENTS_MOST,
 * instead of those that were named before. The link reads these Secrets, and writes them
 * when slurm_link_write_token says so. Copied.
 */
void slurm_link_set_recipients(struct slurm_link *l, const struct recipient *all, size_t n);
/* Facts about these Secrets, in their order; strings live until the next change. */
struct recipients_fact slurm_link_recipients(const struct slurm_link *l, struct arena *a);
/*
 * Writes a new token into the Secret of this name, if it is still the one of this uid and
 * version, and consents. ERR_RETRY at once when there is no key that Slurm takes.
 */
void slurm_link_write_token(struct slurm_link *l, const char *secret, const char *uid,
	const char *resource_version, slurm_done *done, void *ctx);

/*
 * The spec of its object cannot be used, for this reason. The Slurm that answered until
 * now is still asked.
 */
void slurm_link_invalid(struct slurm_link *l, const char *why);

/*
 * The ClusterName of the Slurm that is meant, as configured or as Slurm answered once;
 * another name makes every fact UNKNOWN. "": any Slurm that answers.
 */
void slurm_link_mean(struct slurm_link *l, const char *slurm_cluster);

/*
 * Replaces the demand of this asker; NULL: no demand any more. The link answers the sum
 * of all. Names are copied.
 */
void slurm_link_demand(struct slurm_link *l, const void *asker, const struct demand *demand);

/* The object of the link, and the facts about it; valid until its next change. */
const char *slurm_link_ns(const struct slurm_link *l);
const char *slurm_link_cluster(const struct slurm_link *l);
struct link_fact slurm_link_fact(const struct slurm_link *l);
struct slurm_fact slurm_link_slurm(const struct slurm_link *l);
const struct slurm_requests *slurm_link_requests(const struct slurm_link *l); /* lives as it */
struct partitions_fact slurm_link_partitions(const struct slurm_link *l);
struct queue_fact slurm_link_queue(const struct slurm_link *l);
/*
 * The newest fact about a node. Asking changes nothing that an answer could show. Its
 * strings live until the next answer. For a name that no plan expects, absence counts
 * from the newest answer.
 */
struct slurm_node_fact slurm_link_node(struct slurm_link *l, const struct slurm_who *who);
/*
 * The newest fact about a node that is expected: from now on the link remembers since
 * when answers lack the node. Every plan calls it, and begins a round first.
 */
uint64_t slurm_link_begin(struct slurm_link *l);
struct slurm_node_fact slurm_link_expect(struct slurm_link *l, const struct slurm_who *who);
/*
 * The facts about the node of this name; false: Slurm has none, or that is unknown.
 * Remembers nothing. Its strings live until the next answer.
 */
bool slurm_link_named(struct slurm_link *l, const char *name, struct slurm_node_fact *out);
/*
 * Reads this node now, by a read of its own; when done is called, the facts are as of
 * then, or err says why not.
 */
void slurm_link_look(struct slurm_link *l, const char *name, slurm_done *done, void *ctx);
size_t slurm_link_looks(const struct slurm_link *l); /* such reads on their way */
/*
 * Reads the whole list now, where that is quick and it was not read just now: a look at
 * every node.
 */
void slurm_link_list_now(struct slurm_link *l);

/*
 * Each node of the newest list that is drained and whose comment names a pod of ns, or
 * which has no comment and the name of a pod, which has_pod does not know
 * (records.c). A node that was expected in this round (0: none) has its pod: has_pod is
 * not asked. pod lives as long as the node.
 */
struct slurm_record {
	const char *node, *pod;
	int64_t podless_since_ms; /* monotonic: has_pod has said so since then */
};
void slurm_link_each_record(struct slurm_link *l, const char *ns, uint64_t round,
	bool (*has_pod)(void *ctx, const char *node, const char *pod),
	void (*each)(void *ctx, const struct slurm_record *r), void *ctx);
/* Takes a node out of Slurm, and marks it as slurm_link_update does. */
void slurm_link_delete_node(struct slurm_link *l, const char *name, slurm_done *done, void *ctx);

/*
 * Sends an update and marks the nodes in flight until an answer asked for later than its
 * end. ERR_RETRY at once when there is no client.
 */
void slurm_link_update(struct slurm_link *l, enum slurm_update what, const char *const *names,
	size_t n, const char *text, slurm_done *done, void *ctx);

#endif
