/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world for a planner: given a NodeSet, its pods and their nodes; when it is
 * planned; then these actions and no others.
 *
 *     WORLD(g);
 *     given_nodeset(&g, "\"replicas\":1");
 *     given_pods(&g, 2);
 *     given_leaving(&g.pods[1], DRAINED);
 *     when_planned(&g);
 *     then(&g, DO(DELETE, POD), "foo-1");
 *     then_no(&g, DO(DELETE, POD), "foo-0");
 *
 * The NodeSet is ns/foo. A pod is given running, ready, on a machine, of the newest
 * template, with an idle Slurm node that names it in its comment: at rest. A test changes
 * what it is about: every member of struct given may be written between one plan and the
 * next.
 */
#ifndef TESTS_LIB_GIVEN_H
#define TESTS_LIB_GIVEN_H

#include "lib/test.h"

#include "api/names.h"
#include "base/time.h"
#include "children/pod.h"
#include "children/revision.h"
#include "json/build.h"
#include "plan/nodeset/plan.h"
#include "slurm/state.h"

enum { GIVEN_PODS = 64, GIVEN_OBJECTS = 64, GIVEN_DOCS = 512, GIVEN_NOW_MS = 1000000 };
#define GIVEN_SLURM "lab"
#define GIVEN_WALL_MS INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */

struct given_pod {
	struct pod_fact fact;
	struct slurm_node_fact node;
	struct kv labels[8], annotations[10];
	struct claim_fact claims[4];
};

/* As plan/nodeset/plan.h says of each: it is what the planner is shown. */
struct given {
	/* The NodeSet */
	const struct json *object;
	const char *hash; /* of the newest template */
	bool in_flight;
	struct object_fact revisions[GIVEN_OBJECTS], claims[GIVEN_OBJECTS];
	size_t n_revisions, n_claims;

	/* The pods of the NodeSet, and other pods with its names */
	struct given_pod pods[GIVEN_PODS];
	size_t n_pods;
	struct pod_fact taken[8];
	size_t n_taken, n_overtaken;
	const char *returned[4]; /* went while their drains were being lifted */
	size_t n_returned;

	/* Slurm */
	struct slurm_fact slurm;
	enum tri cluster;     /* whether the Cluster is there */
	const char *clusters; /* those that are */
	struct queue_fact queue;
	const char *partition_sets, *partition_nodes;
	int64_t partition_nodes_ms;
	const struct json *siblings[4];
	size_t n_siblings;
	struct record_fact records[GIVEN_OBJECTS];
	size_t n_records;
	struct host_name host_name; /* neither pod nor node: none */

	/* The rest of the world */
	int64_t now_ms, wall_ms, acting_since_ms;
	int64_t kube_age_ms;       /* of what Kubernetes says */
	bool in_short;             /* of the namespace a part is known */
	const char *namespace_uid; /* "": unreadable */
	size_t max_creates, max_writes;
	size_t max_shows; /* 0 unless a test is about them */
	int64_t shows_again_ms;
	struct failing_action failing[4];
	size_t n_failing;

	struct plan plan; /* made last */

	/* The memory of all */
	struct arena arena;
	struct jdoc *d;
	struct json_doc *docs[GIVEN_DOCS];
	size_t n_docs;
};

void given_end(struct given *g);

/* A test begins with it; the world ends with its scope. */
#define WORLD(g) struct given g AUTO(given_end) = { 0 }

/* ---- given a NodeSet ---- */

/*
 * spec: members beside clusterName, serviceName, selector and template, such as
 * "\"replicas\":3". A later member of the same name wins. It has our finalizer and one
 * revision, of its template; Slurm answers; the Cluster is there.
 */
void given_nodeset(struct given *g, const char *spec);
/* With these members of metadata instead of the usual finalizer */
void given_nodeset_meta(struct given *g, const char *spec, const char *metadata);
/* With n replicas, and its pods; nothing is to be done */
void given_at_rest(struct given *g, int n);
/* Replaces spec and metadata; all else stays as it is */
void given_spec(struct given *g, const char *spec, const char *metadata);
/* A user merges these members into the object */
void given_edited(struct given *g, const char *members);

#define GIVEN_TEMPLATE                                                                         \
	"{\"metadata\":{\"labels\":{\"app\":\"slurmd\"}},\"spec\":{\"containers\":[{\"name\":" \
	"\"slurmd\",\"image\":\"slurmd:1\"}]}}"
#define GIVEN_FINALIZER "\"finalizers\":[\"" FINALIZER_DRAIN "\"]"
#define GIVEN_DELETING GIVEN_FINALIZER ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""
#define ROLLING(max)                                                         \
	"\"updateStrategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{" \
	"\"maxUnavailable\":" max "}}"

/* ---- given its pods: foo-0, foo-1, ... ---- */

struct given_pod *given_pod(struct given *g, int ordinal);
struct given_pod *given_pod_named(struct given *g, const char *name);
void given_pods(struct given *g, int n);     /* so many more, from foo-0 on */
void given_old_pods(struct given *g, int n); /* the same, of an older template */
struct given_pod *pod_of(struct given *g, const char *name);

void given_label(struct given_pod *p, const char *key, const char *value);
void given_annotation(struct given_pod *p, const char *key, const char *value);
void given_no_annotation(struct given_pod *p, const char *key);
void given_old(struct given_pod *p);    /* of an older template */
void given_orphan(struct given_pod *p); /* nothing controls it */
void given_pending(struct given_pod *p, bool bound);
void given_mounted(struct given_pod *p, const char *volume, const char *claim);
void given_our_cordon(struct given_pod *p);

/* ---- given their nodes ---- */

#define DRAINED (NODE_IDLE | NODE_DRAIN | NODE_DYNAMIC)
#define OUR_REASON "slurm-operator: NodeSet (ns/foo) is letting the pod go"

void given_node(struct given_pod *p, uint32_t state, const char *reason);
/* We have begun to let it go: our cordon, and its node is so, for our reason */
void given_leaving(struct given_pod *p, uint32_t state);
/* foo is scaled to nothing; its one pod carries our cordon, and its node is so */
void given_condemned(struct given *g, uint32_t state);
/* Slurm does not have the node, for so long */
void given_absent(struct given *g, struct given_pod *p, int64_t for_ms);
/* slurmrestd does not answer, and no node is known */
void given_slurm_silent(struct given *g);
/* An idle and drained node is left of a pod that went long ago */
struct record_fact *given_record(struct given *g, const char *pod);

/* ---- given other objects ---- */

/* Members of a spec, and of the metadata of a claim */
#define TEMPLATES                                                                                 \
	"\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"},\"spec\":{\"accessModes\":[" \
	"\"ReadWriteOnce\"]}}]"
#define POLICY(deleted, scaled)                                                \
	"\"persistentVolumeClaimRetentionPolicy\":{\"whenDeleted\":\"" deleted \
	"\",\"whenScaled\":\"" scaled "\"}"
#define OWNED_BY(kind, name, uid, controller)                                                \
	"\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"" kind "\",\"name\":\"" name \
	"\",\"uid\":\"" uid "\",\"controller\":" controller "}]"

void given_hash(struct given *g); /* g->hash is that of the template as it is now */
void given_revision(struct given *g, const char *hash, int64_t number, const char *data);
void given_newest_revision(struct given *g, int64_t number); /* of the template as it is now */
/* A PersistentVolumeClaim with these members of metadata, that the NodeSet made */
const struct json *given_claim(struct given *g, const char *name, const char *metadata);
/* A claim that another client made */
const struct json *given_foreign_claim(struct given *g, const char *name, const char *metadata);
/* A pod of another owner that has a name of ours. */
void given_taken(struct given *g, const char *name, const char *kind, const char *owner);
/* An action that keeps failing */
void given_failing(struct given *g, struct operation operation, enum err_kind error,
	const char *name, const char *says);
/* JSON in the world's arena; text that is not JSON fails the test */
const struct json *given_json(struct given *g, const char *text);

/* ---- when ---- */

void when_planned(struct given *g); /* once: see g->plan */
/*
 * Plans and carries out what concerns the NodeSet, its revisions and the annotations of
 * its pods, until only actions are left that the test itself has to answer.
 */
void when_settled(struct given *g);
/* Carries one out; false: it is of another kind */
bool when_applied(struct given *g, const struct action *a);

/* ---- then ---- */

/* The action that does this to name (NULL: any); it must be there. */
const struct action *then(const struct given *g, struct operation operation, const char *name);
void then_no(const struct given *g, struct operation operation, const char *name);
void then_nothing(const struct given *g);
const struct action *find_action(const struct given *g, struct operation operation,
	const char *name);
size_t count_actions(const struct given *g, struct operation operation);
/* Whether an action that does this names the node. */
bool names_node(const struct given *g, struct operation operation, const char *node);
size_t events_of(const struct given *g, const char *reason); /* how many of this reason */

/* The condition of the object has this status and reason; its message has this text */
void then_condition(struct given *g, const char *type, const char *status, const char *reason);
void then_says(struct given *g, const char *type, const char *text);
void then_says_not(struct given *g, const char *type, const char *text);
/* "status", "reason", "message"; "" without the condition */
const char *condition_member(struct given *g, const char *type, const char *member);
int64_t status_of(struct given *g, const char *counter); /* -1: there is none */

#endif
