/* SPDX-License-Identifier: Apache-2.0 */
/* The view of a NodeSet, gathered from the store and the link to Slurm. */
#include "kind/nodeset_view.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "children/pod.h"
#include "object/metadata.h"

struct gather {
	const struct store *store;
	const char *ns, *cluster, *server; /* server: of the Cluster; "": unknown */
	struct arena *arena;
	const char *uid, *name;
	struct slurm_link *link;
	size_t n, cap, n_live;
	const struct pod_fact **pods;
	struct slurm_node_fact *nodes;
	struct object_fact *objects;
	struct host_name *names;
	size_t n_names, names_cap;
	const char **others; /* namespaces that have a Cluster of the same server */
	size_t n_others, others_cap;
	bool others_found;
};

static void count_one(void *ctx, const struct record *rec)
{
	(void)rec;
	(*(size_t *)ctx)++;
}

static const char *server_of(const struct store *store, const char *ns, const char *cluster)
{
	const struct record *rec = store_get(store, RES_CLUSTER, ns, cluster);
	return rec ? json_str(json_at(rec->object, "spec", "server"), "") : "";
}

/*
 * True if both URLs name the same server in any namespace. A short name such as
 * "slurm-restapi" is another server in each namespace. A name with a dot, or an address,
 * is the same server everywhere.
 */
static bool same_server(const char *a, const char *b)
{
	const char *host = strstr(a, "//");
	if (!host || !str_eq(a, b))
		return false;
	host += 2;
	return *host == '[' || memchr(host, '.', strcspn(host, ":/"));
}

/* True if the NodeSet that controls the pod is in the same Slurm cluster. */
static bool of_cluster(const struct gather *g, const struct pod_fact *p)
{
	const struct record *set = store_get(g->store, RES_NODESET, p->ns, p->controller.name);
	if (!set || !str_eq(set->uid, p->controller.uid))
		return false;
	const char *cluster = json_str(json_at(set->object, "spec", "clusterName"), "");
	return (str_eq(p->ns, g->ns) && str_eq(cluster, g->cluster)) ||
		same_server(g->server, server_of(g->store, p->ns, cluster));
}

static void add_other(void *ctx, const struct record *rec)
{
	struct gather *g = ctx;
	const char *server = json_str(json_at(rec->object, "spec", "server"), "");
	if (str_eq(rec->ns, g->ns) || !same_server(g->server, server))
		return;
	g->others = arena_grown(g->arena, g->others, g->n_others, &g->others_cap,
		sizeof(*g->others));
	g->others[g->n_others++] = rec->ns;
}

struct namesakes {
	const struct gather *gather;
	const struct pod_fact *found;
	/*
	 * Pods without a controller count, because a deleted NodeSet may have left them
	 * with their slurmds
	 */
	bool strays;
	/*
	 * The address of the node in Slurm. The pod with this address runs the slurmd,
	 * whatever created the pod
	 */
	const char *address;
};

static void look_at_namesake(void *ctx, const struct record *rec)
{
	struct namesakes *n = ctx;
	bool ended = pod_phase_over(rec->pod->phase);
	bool stray = n->strays && str_empty(rec->pod->controller.uid);
	bool serves = pod_has_ip(rec->pod, n->address);
	if (!ended && (stray || serves || of_cluster(n->gather, rec->pod)))
		n->found = rec->pod;
}

/*
 * True if another pod of the Slurm cluster names the same node. Then Slurm's facts about
 * the node are about one of the two pods, and it is unknown which one.
 */
static bool is_shared(const struct gather *g, const struct pod_fact *p, const char *address)
{
	struct namesakes n = { .gather = g, .strays = true, .address = address };
	store_each_namesake(g->store, p, look_at_namesake, &n);
	return n.found != NULL;
}

static const struct slurm_node_fact nothing_known = SLURM_NODE_NOTHING;

static void gather_pod(void *ctx, const struct record *rec)
{
	struct gather *g = ctx;
	struct slurm_who who = pod_slurm_who(rec->pod);
	struct slurm_node_fact *f = &g->nodes[g->n];
	g->pods[g->n++] = rec->pod;
	g->n_live += !rec->pod->terminating;
	*f = g->link ? slurm_link_expect(g->link, &who) : nothing_known;
	f->shared = is_shared(g, rec->pod, f->address);
}

/* Returns the pod of this name if another controller owns it. */
static const struct pod_fact *foreign(const struct store *store, const struct record *set,
	const char *name, bool *found)
{
	const struct record *rec = store_get(store, RES_POD, set->ns, name);
	const char *owner = rec ? rec->pod->controller.uid : "";
	*found = rec != NULL;
	return str_empty(owner) || str_eq(owner, set->uid) ? NULL : rec->pod;
}

static void add_taken(struct gather *g, const struct pod_fact *p)
{
	g->pods = arena_grown(g->arena, g->pods, g->n, &g->cap, sizeof(*g->pods));
	g->pods[g->n++] = p;
}

/*
 * Records who holds the host name of a missing pod: a pod of this Slurm cluster, also in
 * another namespace, or a node that Slurm has.
 */
static void add_host_name(struct gather *g, const struct record *set, int64_t ordinal,
	const char *pod)
{
	const char *hostname = pod_hostname(g->arena, set->name,
		json_at(set->object, "spec", "template"), ordinal);
	struct host_name h = { .ordinal = ordinal };
	struct namesakes n = { .gather = g };
	if (!g->others_found)
		store_each(g->store, RES_CLUSTER, NULL, add_other, g);
	g->others_found = true;
	store_each_named(g->store, set->ns, hostname, look_at_namesake, &n);
	for (size_t i = 0; i < g->n_others && !n.found; i++)
		store_each_named(g->store, g->others[i], hostname, look_at_namesake, &n);
	h.pod = n.found;
	bool known = slurm_link_named(g->link, hostname, &h.node);
	if (!h.pod && !known)
		return;
	h.left_behind = gone_had(store_gone(g->store), set->ns, pod, h.node.address);
	g->names = arena_grown(g->arena, g->names, g->n_names, &g->names_cap, sizeof(*g->names));
	g->names[g->n_names++] = h;
}

/*
 * Looks up the names with ordinals from 0 to replicas - 1, and further ones until there
 * are as many free names as missing pods. Pods in the view need no lookup, so there is no
 * lookup at all if no pod is missing.
 */
static void gather_taken(struct gather *g, const struct record *set, size_t n_live,
	struct nodeset_view *view)
{
	int64_t replicas = nodeset_replicas(set->object);
	bool *seen = arena_array(g->arena, bool, replicas + 1), found;
	for (size_t i = 0; i < view->n_pods; i++) {
		int64_t ordinal = pod_ordinal(set->name, view->pods[i]->name);
		if (ordinal >= 0 && ordinal < replicas)
			seen[ordinal] = true;
	}
	int64_t missing = replicas - (int64_t)n_live;
	missing = missing > 0 ? missing + (int64_t)(view->n_pods - n_live) : 0;
	for (int64_t ordinal = 0; ordinal < replicas || missing > 0; ordinal++) {
		char name[300];
		if (ordinal < replicas && seen[ordinal])
			continue;
		snprintf(name, sizeof(name), "%s-%lld", set->name, (long long)ordinal);
		const struct pod_fact *p = foreign(g->store, set, name, &found);
		missing -= !found;
		if (p)
			add_taken(g, p);
		if (!found && g->link)
			add_host_name(g, set, ordinal, name);
	}
	view->taken = g->pods;
	view->n_taken = g->n;
	view->host_names = g->names;
	view->n_host_names = g->n_names;
}

static void gather_pods(struct gather *g, const struct record *set, struct nodeset_view *view)
{
	const char *ns = set->ns;
	size_t n = store_count_owned(g->store, ns, g->uid) + store_count_owned(g->store, ns, "");
	g->pods = arena_array(g->arena, const struct pod_fact *, n + 1);
	g->nodes = arena_array(g->arena, struct slurm_node_fact, n + 1);
	store_each_owned(g->store, ns, g->uid, gather_pod, g);
	size_t n_live = g->n_live; /* pods without a controller hold no ordinal */
	store_each_owned(g->store, ns, "", gather_pod, g);
	view->pods = g->pods;
	view->slurm_nodes = g->nodes;
	view->n_pods = g->n;
	struct gather names = {
		.arena = g->arena,
		.store = g->store,
		.ns = ns,
		.cluster = g->cluster,
		.server = g->server,
		.link = g->link,
	};
	gather_taken(&names, set, n_live, view);
}

static bool concerns(const struct json *object, const char *uid)
{
	const char *controller = controller_uid(object);
	return str_empty(controller) || str_eq(controller, uid);
}

static void gather_revision(void *ctx, const struct record *rec)
{
	struct gather *g = ctx;
	/* A revision that was cut may lack owners and parts of its template */
	if (!json_is_cut(rec->object) && concerns(rec->object, g->uid))
		g->objects[g->n++] = (struct object_fact){ rec->object, rec->in_flight };
}

/* A cheap test for "<claim>-<nodeset>-<ordinal>"; the planner checks the exact names. */
static void gather_claim(void *ctx, const struct record *rec)
{
	struct gather *g = ctx;
	if (strstr(rec->name, g->name))
		g->objects[g->n++] = (struct object_fact){ rec->object, rec->in_flight };
}

static const struct object_fact *gather_objects(struct gather *g, enum resource r, const char *ns,
	size_t *n)
{
	void (*each)(void *, const struct record *) = r == RES_PVC ? gather_claim : gather_revision;
	size_t most = 0;
	store_each(g->store, r, ns, count_one, &most);
	g->objects = arena_array(g->arena, struct object_fact, most + 1);
	g->n = 0;
	store_each(g->store, r, ns, each, g);
	*n = g->n;
	return g->objects;
}

enum { CLUSTERS_SHOWN = 3 };

struct cluster_names {
	struct arena *arena;
	const char *list;
	size_t n;
};

static void add_cluster(void *ctx, const struct record *rec)
{
	struct cluster_names *c = ctx;
	if (c->n++ < CLUSTERS_SHOWN)
		c->list = arena_printf(c->arena, "%s%s%s", c->list, c->n > 1 ? ", " : "",
			rec->name);
}

static const char *clusters_of(const struct store *store, const char *ns, struct arena *arena)
{
	struct cluster_names c = { arena, "", 0 };
	store_each(store, RES_CLUSTER, ns, add_cluster, &c);
	return c.n > CLUSTERS_SHOWN
		? arena_printf(arena, "%s and %zu more", c.list, c.n - CLUSTERS_SHOWN)
		: c.list;
}

struct returned {
	struct arena *arena;
	const char **names;
	size_t n, cap;
};

static void add_returned(void *ctx, const char *name)
{
	struct returned *r = ctx;
	r->names = arena_grown(r->arena, r->names, r->n, &r->cap, sizeof(*r->names));
	r->names[r->n++] = arena_strdup(r->arena, name);
}

static void gather_returned(const struct store *store, const char *ns, struct arena *arena,
	struct nodeset_view *view)
{
	struct returned r = { .arena = arena };
	gone_each(store_gone(store), ns, add_returned, &r);
	view->returned = r.names;
	view->n_returned = r.n;
}

void nodeset_view_make(const struct store *store, struct slurm_link *link, const struct record *rec,
	const char *cluster, struct arena *arena, struct nodeset_view *view)
{
	struct gather g = {
		.store = store,
		.ns = rec->ns,
		.cluster = cluster ? cluster : "",
		.server = server_of(store, rec->ns, cluster ? cluster : ""),
		.arena = arena,
		.uid = rec->uid,
		.name = rec->name,
		.link = link,
	};
	uint64_t round = link ? slurm_link_begin(link) : 0;
	*view = (struct nodeset_view){ .object = rec->object, .in_flight = rec->in_flight };
	gather_pods(&g, rec, view);
	gather_returned(store, rec->ns, arena, view);
	view->in_short = store_short(store, RES_NODESET, rec->ns) > 0;
	view->n_overtaken = store_overtaken(store, rec->uid);
	view->revisions = gather_objects(&g, RES_REVISION, rec->ns, &view->n_revisions);
	if (json_count(json_at(rec->object, "spec", "volumeClaimTemplates")))
		view->claims = gather_objects(&g, RES_PVC, rec->ns, &view->n_claims);
	view->cluster = link ? YES : store_complete(store, RES_CLUSTER, rec->ns) ? NO : UNKNOWN;
	if (view->cluster == NO)
		view->clusters = clusters_of(store, rec->ns, arena);
	if (link)
		nodeset_view_records(store, link, rec, round, arena, view);
	if (link)
		nodeset_view_queue(store, link, rec, cluster, arena, view);
	if (link)
		view->slurm = slurm_link_slurm(link);
	else
		view->slurm = (struct slurm_fact){
			.usable = UNKNOWN,
			.cluster = "",
			.jobs_trouble = "",
			.trouble = arena_printf(arena, "Cluster %s/%s does not exist", rec->ns,
				cluster ? cluster : ""),
		};
}
