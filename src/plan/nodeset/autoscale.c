/* SPDX-License-Identifier: Apache-2.0 */
/* Lets spec.replicas follow the queue of Slurm. */
#include "plan/nodeset/autoscale.h"

#include "base/str.h"
#include "json/build.h"
#include "plan/autoscale/alone.h"

enum { NODES_FRESH_MS = 5000, LOOK_AGAIN_MS = 1000, PARTITIONS_AGAIN_MS = 5000 };

static const struct json *noted(const struct worksheet *w, const char *key)
{
	return json_at(w->set.status, "autoscaling", key);
}

/* ---- the shape of a node ---- */

/*
 * The pod with the lowest ordinal decides, so that the size does not alternate between
 * machines that differ.
 */
static const struct pod *shown_pod(struct worksheet *w)
{
	const struct pod *best = NULL;
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		bool shows = pod_node_known(w, p) == YES && p->updated && p->node->cpus > 0 &&
			p->at_its_address && !p->node->shared;
		if (shows && (!best || p->ordinal < best->ordinal))
			best = p;
	}
	return best;
}

static struct node_shape shape_noted(const struct json *status)
{
	const struct json *node = json_at(status, "autoscaling", "node");
	const char *hash = json_str(json_get(status, "nodeSetHash"), "");
	if (str_empty(hash) || !str_eq(json_str(json_get(node, "hash"), ""), hash))
		return (struct node_shape){ .gres = "" };
	return (struct node_shape){ json_i64(json_get(node, "cpus"), 0),
		json_i64(json_get(node, "memory"), 0), json_str(json_get(node, "gres"), ""),
		json_bool(json_get(node, "memoryShared"), false) };
}

/* An idle node does not show whether memory is shared. */
static bool memory_shared(const struct worksheet *w, bool before)
{
	for (size_t i = 0; i < w->n_pods; i++)
		if (pod_node_known(w, &w->pods[i]) == YES &&
			w->pods[i].node->memory_shared != UNKNOWN)
			return w->pods[i].node->memory_shared == YES;
	return before;
}

static struct node_shape shape_of(struct worksheet *w)
{
	const struct pod *p = shown_pod(w);
	struct node_shape s = shape_noted(w->set.status);
	s.memory_shared = memory_shared(w, s.memory_shared);
	if (p) {
		s.cpus = p->node->cpus;
		s.memory = p->node->memory;
		s.gres = p->node->gres ? p->node->gres : "";
	}
	return s;
}

/* ---- the other NodeSets ---- */

/*
 * The published status of a sibling suffices, because it only affects the share of
 * others.
 */
static struct autoscale_set sibling(const struct json *object)
{
	const struct json *status = json_get(object, "status");
	struct autoscaling spec = autoscaling_read(object);
	return (struct autoscale_set){
		.name = json_str(json_at(object, "metadata", "name"), ""),
		.template = json_at(object, "spec", "template"),
		.weight = spec.weight,
		.max = spec.max,
		.taken = json_i64(json_get(status, "slurmAllocated"), 0) +
			json_i64(json_get(status, "slurmDown"), 0),
		.shape = shape_noted(status),
	};
}

static void share_queue(struct worksheet *w, struct autoscale *a)
{
	const struct nodeset_view *v = w->view;
	struct autoscale_set *sets = arena_array(w->arena, struct autoscale_set, v->n_siblings + 1);
	sets[0] = (struct autoscale_set){
		.name = w->set.name,
		.template = w->set.template,
		.weight = a->spec.weight,
		.max = a->spec.max,
		.taken = a->facts.busy + a->facts.unusable,
		.shape = a->shape,
	};
	for (size_t i = 0; i < v->n_siblings; i++)
		sets[i + 1] = sibling(v->siblings[i]);
	a->need = autoscale_need(v->queue.queue, v->partition_sets, sets, v->n_siblings + 1, 0,
		w->arena);
	a->facts.need = a->need.nodes;
}

/* ---- facts ---- */

/*
 * True if the pod has or may have a job, including a job that Slurm has forgotten
 * together with the node.
 */
static bool is_busy(const struct worksheet *w, const struct pod *p)
{
	if (pod_lost_work(w, p))
		return true;
	if (pod_node_known(w, p) != YES)
		return p->node->known == UNKNOWN;
	return (p->node->state & NODE_BUSY_MASK) || node_state_strange(p->node->state) ||
		p->node->held == YES || p->node->shared;
}

/*
 * No job can start on the pod, and the operator did not drain it. Before the pod's slurmd
 * has registered, the node is the record of an earlier pod. When that drain is lifted,
 * slurmctld reports the node as not responding until its next ping (24.11.5).
 */
static bool is_unusable(const struct worksheet *w, const struct pod *p)
{
	if (pod_node_known(w, p) != YES || !p->ready || !p->at_its_address)
		return false;
	bool ours = str_has_prefix(p->node->reason, DRAIN_REASON_PREFIX);
	bool silent = !node_state_answers(p->node->state) &&
		pod_ready_for_ms(w, p) >= REGISTER_GRACE_MS;
	return silent || p->node->state & NODE_FAIL || (p->node->state & NODE_DRAIN && !ours) ||
		(p->cordoned && !p->cordoned_by_us);
}

static void count_pods(const struct worksheet *w, struct autoscale_facts *f)
{
	for (size_t i = 0; i < w->n_pods; i++) {
		const struct pod *p = &w->pods[i];
		bool busy = pod_live(p) && is_busy(w, p);
		f->busy += busy;
		f->begun += busy && p->node->busy_since_ms > w->view->queue.seen_ms;
		f->unusable += pod_live(p) && !busy && is_unusable(w, p);
	}
}

/*
 * A job that has left the queue since the nodes were requested runs on a node that looks
 * free. If the delay is longer than the age of the nodes, the peak contains the job,
 * because it waited within the delay. So a queue that changes all the time, faster than
 * the list of nodes is read, does not prevent scale-in.
 */
static bool nodes_are_fresh(const struct worksheet *w, int64_t delay_ms)
{
	const struct slurm_fact *slurm = &w->view->slurm;
	int64_t most_ms = NODES_FRESH_MS + 2 * slurm->list_took_ms;
	bool newer = slurm->nodes_seen_ms >= w->view->queue.changed_ms;
	return w->now_ms - slurm->nodes_seen_ms <= most_ms && (newer || delay_ms >= 2 * most_ms);
}

/* The announced number, while spec.replicas still has the old value; 0: none. */
static int64_t announced(const struct worksheet *w)
{
	bool waits = json_i64(noted(w, "from"), -1) == w->set.replicas;
	int64_t replicas = json_i64(noted(w, "replicas"), 0);
	return waits && replicas > 0 && replicas <= AUTOSCALE_MOST ? replicas : 0;
}

static struct autoscale_facts facts_of(const struct worksheet *w, const struct autoscaling *spec)
{
	const struct nodeset_view *v = w->view;
	int64_t since_ms = 0;
	if (!time_parse(json_str(noted(w, "surplusSince"), ""), &since_ms))
		since_ms = 0;
	struct autoscale_facts f = {
		.known = w->usable && v->queue.known && v->partition_sets && w->hash,
		.fresh = nodes_are_fresh(w, spec->delay_ms) && kube_is_fresh(w),
		.current = v->queue.seen_ms >= v->slurm.whole_seen_ms,
		.overtaken = v->queue.overtaken,
		.replicas = w->set.replicas,
		.announced = announced(w),
		.min = spec->min,
		.max = spec->max,
		.buffer = spec->buffer,
		.since_ms = since_ms,
		.peak = json_i64(noted(w, "surplusPeak"), 0),
		.delay_ms = spec->delay_ms,
		.now_ms = w->now_wall_ms,
	};
	count_pods(w, &f);
	return f;
}

/* ---- the last pod of a partition ---- */

/* The text before the ordinal in the names of the nodes. */
static const char *prefix_of(struct worksheet *w, const char *name, const struct json *template)
{
	const char *hostname = json_str(json_at(template, "spec", "hostname"), "");
	return str_empty(hostname) ? arena_printf(w->arena, "%s-", name) : hostname;
}

static bool may_be_alone(const struct worksheet *w, const struct autoscaling *spec)
{
	return !spec->min && w->set.replicas && w->view->partition_nodes;
}

/*
 * The partitions are older than the surplus. The start of a surplus is rounded up to a
 * second.
 */
static bool partitions_are_old(const struct worksheet *w, int64_t since_ms)
{
	int64_t age_ms = w->now_ms - w->view->partition_nodes_ms;
	return !since_ms || age_ms > w->now_wall_ms - since_ms + 1000;
}

/*
 * True if a partition would have no node without the pods of this NodeSet and of siblings
 * that may scale to zero.
 */
static bool is_alone(struct worksheet *w)
{
	const struct nodeset_view *v = w->view;
	const char **prefixes = arena_array(w->arena, const char *, v->n_siblings + 1);
	const struct node_features features = node_features_of(w->set.template);
	size_t n = 0;
	prefixes[n++] = prefix_of(w, w->set.name, w->set.template);
	for (size_t i = 0; i < v->n_siblings; i++)
		if (!autoscaling_read(v->siblings[i]).min)
			prefixes[n++] = prefix_of(w,
				json_str(json_at(v->siblings[i], "metadata", "name"), ""),
				json_at(v->siblings[i], "spec", "template"));
	return partition_alone(&features, v->partition_sets, v->partition_nodes, prefixes, n);
}

/* ---- who sets spec.replicas ---- */

/*
 * spec.replicas is absent, so set.replicas is the announced number. It must be written if
 * there are pods.
 */
static bool is_unset(const struct worksheet *w, int64_t from)
{
	return (w->set.replicas || from > 0) &&
		json_is_null(json_at(w->set.object, "spec", "replicas"));
}

/* A conflict is over when spec.replicas has the value that the queue needs. */
static void settle(struct worksheet *w, struct autoscale *a)
{
	int64_t replicas = json_i64(noted(w, "replicas"), -1),
		from = json_i64(noted(w, "from"), -1);
	int64_t now = w->set.replicas;
	bool ours = replicas < 0 || now == replicas || now == from;
	bool sure = a->facts.known && a->facts.current;
	a->conflict = !ours && !(sure && a->answer.wanted == now);
	a->from = a->conflict ? from : now;
	a->replicas = a->conflict ? replicas : a->answer.replicas;
	if (a->conflict) /* no surplus is removed, and timing one would cost writes */
		a->answer.since_ms = a->answer.peak = a->answer.again_in_ms = a->answer.held = 0;
	bool announced = replicas == a->replicas && !a->conflict;
	if (announced && a->facts.known && is_unset(w, from)) {
		a->ordered = true;
		a->from = from;
		return;
	}
	a->ordered = announced && a->replicas != now && now == from;
}

static const char *why_scaled(struct worksheet *w, const struct autoscale *a)
{
	if (a->replicas == a->from)
		return arena_printf(w->arena, "spec.replicas is absent: it is set to %lld",
			(long long)a->replicas);
	if (a->replicas < a->from)
		return arena_printf(w->arena,
			"spec.replicas goes from %lld to %lld: no more were needed for a while",
			(long long)a->from, (long long)a->replicas);
	return arena_printf(w->arena,
		"spec.replicas goes from %lld to %lld: %lld nodes have jobs, and jobs that wait need %lld",
		(long long)a->from, (long long)a->replicas, (long long)a->facts.busy,
		(long long)a->facts.need);
}

static void order_scale(struct worksheet *w, const struct autoscale *a)
{
	struct jval *patch = own_patch(w);
	j_set_int(w->d, j_child(w->d, patch, "spec"), "replicas", a->replicas);
	struct action *act = order_own(w, DO(PATCH, NODESET), why_scaled(w, a),
		j_text(w->d, patch));
	act->event_done = "SuccessfulRescale";
	act->event_failed = "FailedRescale";
}

/* ---- the step ---- */

static void ask(struct worksheet *w, const struct autoscale *a)
{
	bool surplus = a->answer.since_ms,
	     waits = surplus && !a->answer.again_in_ms && !a->answer.held;
	plan_ask_queue(w->out);
	demand_need(&w->out->demand, ASK_PARTITIONS,
		surplus && may_be_alone(w, &a->spec) ? SLURM_WHOLE : SLURM_AT_REST);
	plan_again(w->out, a->answer.again_in_ms);
	if (a->facts.need || waits)
		plan_need(w->out, SLURM_SOON);
	if (waits)
		plan_again(w->out, LOOK_AGAIN_MS);
	if (a->answer.held && !a->alone) /* an equal list of partitions triggers no plan */
		plan_again(w->out, PARTITIONS_AGAIN_MS);
}

void step_autoscale(struct worksheet *w)
{
	struct autoscaling spec = autoscaling_read(w->set.object);
	if (!spec.on || w->set.deleting)
		return;
	struct autoscale *a = arena_array(w->arena, struct autoscale, 1);
	a->spec = spec;
	a->facts = facts_of(w, &spec);
	a->shape = shape_of(w);
	a->need.unfit_why = "";
	if (a->facts.known) {
		share_queue(w, a);
		a->alone = may_be_alone(w, &spec) && is_alone(w);
		a->facts.keep = a->alone ||
			(may_be_alone(w, &spec) && partitions_are_old(w, a->facts.since_ms));
	}
	a->answer = decide_autoscale(&a->facts);
	settle(w, a);
	ask(w, a);
	a->ordered &= !w->view->in_flight;
	if (a->ordered)
		order_scale(w, a);
	w->autoscale = a;
}

/* ---- the status ---- */

static void add_node(struct worksheet *w, const struct autoscale *a, struct jval *status)
{
	struct jval *node = j_child(w->d, status, "node");
	j_set_str(w->d, node, "hash", a->shape.cpus && w->hash ? w->hash : "");
	j_set_int(w->d, node, "cpus", a->shape.cpus);
	j_set_int(w->d, node, "memory", a->shape.memory);
	j_set_str(w->d, node, "gres", a->shape.gres ? a->shape.gres : "");
	j_set_bool(w->d, node, "memoryShared", a->shape.memory_shared);
}

/* Rounds up, so that no pod is removed earlier after the value is read back. */
static const char *time_text(struct worksheet *w, int64_t wall_ms)
{
	char text[TIME_RFC3339_BYTES];
	time_format(wall_ms + 999, text);
	return arena_strdup(w->arena, wall_ms ? text : "");
}

void autoscale_add_status(struct worksheet *w, struct jval *status)
{
	const struct autoscale *a = w->autoscale;
	if (!a) {
		if (!w->set.deleting && !json_is_null(json_get(w->set.status, "autoscaling")))
			j_set(w->d, status, "autoscaling", j_null(w->d));
		return;
	}
	/*
	 * A smaller number is announced, but not written yet: the surplus is still there
	 */
	bool announced = a->replicas < w->set.replicas && !a->conflict;
	int64_t since_ms = announced ? a->facts.since_ms : a->answer.since_ms;
	struct jval *mine = j_child(w->d, status, "autoscaling");
	j_set_int(w->d, mine, "replicas", a->replicas);
	j_set_int(w->d, mine, "from", a->from);
	j_set_str(w->d, mine, "surplusSince", time_text(w, since_ms));
	j_set_int(w->d, mine, "surplusPeak", announced ? a->facts.peak : a->answer.peak);
	add_node(w, a, mine);
}

/* ---- the condition ---- */

static struct condition *says(struct worksheet *w, enum cond_status status, const char *reason,
	const char *message)
{
	struct condition *c = arena_array(w->arena, struct condition, 1);
	*c = (struct condition){ AUTOSCALING, status, reason, message };
	return c;
}

static const char *unfit_sentence(struct worksheet *w, const struct autoscale *a)
{
	return arena_printf(w->arena,
		"job %lld waits in a partition of this NodeSet, but its pods cannot run the job: %s",
		(long long)a->need.unfit, a->need.unfit_why);
}

static const char *reason_before(const struct worksheet *w)
{
	return json_str(json_get(condition_find(json_get(w->set.status, "conditions"), AUTOSCALING),
				"reason"),
		"");
}

static struct condition *unfit(struct worksheet *w, const struct autoscale *a)
{
	const char *text = unfit_sentence(w, a);
	if (!str_eq(reason_before(w), "JobDoesNotFit") && !w->view->in_flight)
		order_warning(w, "JobDoesNotFit", text)->with_status = true;
	return says(w, COND_TRUE, "JobDoesNotFit", text);
}

static struct condition *conflict(struct worksheet *w, const struct autoscale *a)
{
	return says(w, COND_FALSE, "Conflict",
		arena_printf(w->arena,
			"another client has changed spec.replicas from %lld to %lld, so nothing is scaled: let only one client set it (an HPA, a manifest with replicas, or spec.autoscaling), and set it to %lld to continue",
			(long long)a->replicas, (long long)w->set.replicas,
			(long long)(a->facts.known ? a->answer.wanted : a->replicas)));
}

const struct condition *autoscale_condition(struct worksheet *w)
{
	const struct autoscale *a = w->autoscale;
	if (!a)
		return NULL;
	if (a->conflict)
		return conflict(w, a);
	if (!a->facts.known && slurm_not_asked(w) && !str_empty(reason_before(w)))
		return NULL;
	if (!a->facts.known)
		return says(w, COND_UNKNOWN, "QueueUnknown",
			"the queue of Slurm is not known, so spec.replicas stays as it is");
	if (a->need.unfit)
		return unfit(w, a);
	if (a->answer.wanted == a->spec.max && a->answer.wanted < a->facts.busy + a->facts.need)
		return says(w, COND_TRUE, "AtMaximum",
			"the waiting jobs need more pods than spec.autoscaling.maxReplicas");
	if (a->answer.held && a->alone)
		return says(w, COND_TRUE, "LastNode",
			"one pod stays, because without it a partition would have no node and Slurm would refuse its jobs; nodes with the state FUTURE in slurm.conf make this pod unnecessary");
	return says(w, COND_TRUE, "Following", "spec.replicas follows the queue of Slurm");
}
