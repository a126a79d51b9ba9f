/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link to one Slurm cluster. It reads the Secret with the token, keeps a slurmrestd
 * client, checks both periodically, and keeps the newest facts about the nodes. It never
 * decides anything about pods.
 *
 * Periods:
 * - check (Secret and ping): 10 s
 * - nodes: 10 s at rest, by conditional reads; 0.5 s while a decision waits for them, but
 *   at most a sixth of the time is spent reading
 * - jobs: when a deletion waits for them, and every 30 s while jobs run on our nodes
 * - partitions: once a minute while an asker demands them
 * - queue: each second while an asker demands it, but at most a sixth of the time
 *
 * A link whose newest answer is older than three of its periods is not usable: its facts
 * are UNKNOWN.
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
	/*
	 * Facts about nodes changed (states, absence, usability), or about the link
	 * itself.
	 */
	void (*changed)(void *ctx, struct slurm_link *l);
	void *ctx;
	/* Called when another token is used than before; may be NULL. */
	void (*new_token)(void *ctx, struct slurm_link *l);
	const int64_t *until_ms; /* see slurm_may_change; NULL: no limit */
	/*
	 * Quota for the answers of Slurm, shared by the links of a namespace. NULL: no
	 * limit
	 */
	struct budget *memory;
	struct server_rules servers;
};

/*
 * Makes the link for the object of this name. It sends no request before slurm_link_set.
 */
struct slurm_link *slurm_link_new(const struct link_config *config, const char *ns,
	const char *cluster);
void slurm_link_free(struct slurm_link *l); /* accepts NULL */
/* From now on this manager acts; late requests of an earlier manager may still arrive. */
void slurm_link_take_over(struct slurm_link *l);
/*
 * Sets the server and our Secret. A change makes a new client and makes every fact
 * UNKNOWN. The token is sent only to servers that link_config.servers and the Secret
 * permit; link_fact shows which of the two refuses.
 */
void slurm_link_set(struct slurm_link *l, const char *server, const char *secret_name);
/*
 * Sets a link whose Secret has a key instead of a token. The link makes tokens of the key
 * for this user, valid for 15 minutes. If the key changes, the new key is used after
 * Slurm refuses the former one.
 */
void slurm_link_set_minting(struct slurm_link *l, const char *server, const char *secret_name,
	const char *user);

/*
 * Replaces the list of other Secrets that receive tokens of that key, at most
 * RECIPIENTS_MOST. The link reads these Secrets, and writes one when
 * slurm_link_write_token is called. Copied.
 */
void slurm_link_set_recipients(struct slurm_link *l, const struct recipient *all, size_t n);
/*
 * Facts about these Secrets, in the same order; strings are valid until the next change.
 */
struct recipients_fact slurm_link_recipients(const struct slurm_link *l, struct arena *a);
/*
 * Writes a new token into the Secret of this name, if it still has this uid and version,
 * and permits the write. ERR_RETRY at once if Slurm accepts tokens of no key.
 */
void slurm_link_write_token(struct slurm_link *l, const char *secret, const char *uid,
	const char *resource_version, slurm_done *done, void *ctx);

/*
 * The spec of the object cannot be used, for this reason. The link goes on with the
 * former server.
 */
void slurm_link_invalid(struct slurm_link *l, const char *why);

/*
 * Sets the ClusterName of the expected Slurm, from the configuration or from an earlier
 * answer. Another name makes every fact UNKNOWN. "": any Slurm that answers.
 */
void slurm_link_mean(struct slurm_link *l, const char *slurm_cluster);

/*
 * Replaces the demand of this asker; NULL removes it. The link reads what all demands add
 * up to. Names are copied.
 */
void slurm_link_demand(struct slurm_link *l, const void *asker, const struct demand *demand);

/* The object of the link, and the facts about the link; valid until the next change. */
const char *slurm_link_ns(const struct slurm_link *l);
const char *slurm_link_cluster(const struct slurm_link *l);
struct link_fact slurm_link_fact(const struct slurm_link *l);
struct slurm_fact slurm_link_slurm(const struct slurm_link *l);
/* valid as long as the link */
const struct slurm_requests *slurm_link_requests(const struct slurm_link *l);
struct partitions_fact slurm_link_partitions(const struct slurm_link *l);
struct queue_fact slurm_link_queue(const struct slurm_link *l);
/*
 * The newest fact about a node. The call does not change what later calls return. Strings
 * are valid until the next answer. For a name that no plan expects, absence counts from
 * the newest answer.
 */
struct slurm_node_fact slurm_link_node(struct slurm_link *l, const struct slurm_who *who);
/*
 * The newest fact about a node that a plan expects: from now on the link keeps the time
 * since which answers lack the node. Every plan first begins a round, then calls
 * slurm_link_expect.
 */
uint64_t slurm_link_begin(struct slurm_link *l);
struct slurm_node_fact slurm_link_expect(struct slurm_link *l, const struct slurm_who *who);
/*
 * The facts about the node of this name; false: Slurm has no such node, or this is
 * unknown. Keeps no state. Strings are valid until the next answer.
 */
bool slurm_link_named(struct slurm_link *l, const char *name, struct slurm_node_fact *out);
/*
 * Reads only this node, now. When done is called, the facts are of that time, or err says
 * why they are not.
 */
void slurm_link_look(struct slurm_link *l, const char *name, slurm_done *done, void *ctx);
size_t slurm_link_looks(const struct slurm_link *l); /* number of such reads in flight */
/*
 * Reads the whole list now, if this is quick and it was not read just now: this checks
 * every node.
 */
void slurm_link_list_now(struct slurm_link *l);

/*
 * For every drained node of the newest list: finds its pod, and calls each if has_pod
 * returns false for the pod. The pod is the one that the node's comment names in ns;
 * without a comment, the pod has the name of the node (records.c). A node that was
 * expected in this round (0: none) has its pod, and has_pod is not called. pod is valid
 * as long as the node.
 */
struct slurm_record {
	const char *node, *pod;
	int64_t podless_since_ms; /* monotonic: since then has_pod has returned false */
};
void slurm_link_each_record(struct slurm_link *l, const char *ns, uint64_t round,
	bool (*has_pod)(void *ctx, const char *node, const char *pod),
	void (*each)(void *ctx, const struct slurm_record *r), void *ctx);
/* Deletes a node from Slurm, and marks it as slurm_link_update does. */
void slurm_link_delete_node(struct slurm_link *l, const char *name, slurm_done *done, void *ctx);

/*
 * Sends an update. The nodes are in flight until an answer that was requested after the
 * end of the update. ERR_RETRY at once if there is no client.
 */
void slurm_link_update(struct slurm_link *l, enum slurm_update what, const char *const *names,
	size_t n, const char *text, slurm_done *done, void *ctx);

#endif
