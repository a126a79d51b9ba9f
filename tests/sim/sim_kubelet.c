/* SPDX-License-Identifier: Apache-2.0 */
/* The kubelet and the scheduler of the simulated world. */
#include "sim/sim_kubelet_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static void on_turn(void *arg);

static void again_in(struct sim_kubelet_pod *p, int64_t longest_ms)
{
	struct loop *l = &p->k->kube->loop->loop;
	timer_stop(l, p->timer);
	p->timer = timer_start(l, sim_rand_range(&p->k->rand, 5, longest_ms), on_turn, p);
}

static void process_stops(struct sim_kubelet_pod *p, bool graceful)
{
	if (p->process && p->k->stopped)
		p->k->stopped(p->k->ctx, p->uid, graceful);
	p->process = false;
}

static void process_starts(struct sim_kubelet_pod *p)
{
	if (!p->process && p->k->started)
		p->k->started(p->k->ctx, kubelet_version_of(p), p->address);
	p->process = true;
}

static void report(const struct sim_kubelet_pod *p, const char *phase, bool ready)
{
	kubelet_report(p, phase, ready, strcmp(phase, "Pending") == 0 ? "ErrImagePull" : NULL);
}

/* ---- the life of a pod ---- */

static bool claims_exist(const struct sim_kubelet_pod *p, const struct sim_version *v)
{
	yyjson_val *volume;
	yyjson_arr_iter it = yyjson_arr_iter_with(sim_at(v->root, "spec", "volumes"));
	while ((volume = yyjson_arr_iter_next(&it))) {
		const char *claim = sim_str(sim_get(volume, "persistentVolumeClaim"), "claimName");
		const struct sim_version *c = *claim
			? sim_store_find(&p->k->kube->store, RES_PVC, p->ns, claim)
			: NULL;
		if (*claim && (!c || sim_terminating(c)))
			return false;
	}
	return true;
}

static void schedule(struct sim_kubelet_pod *p, const struct sim_version *v)
{
	char patch[160];
	if (!claims_exist(p, v))
		return; /* a new claim wakes it */
	if (!*sim_str(sim_get(v->root, "spec"), "nodeName")) {
		snprintf(patch, sizeof(patch), "{\"spec\":{\"nodeName\":\"worker-%lld\"}}",
			(long long)sim_rand_range(&p->k->rand, 0, SIM_MACHINES - 1));
		sim_patch_text(p->k->kube, ACTOR_SCHEDULER, RES_POD, p->ns, p->name, "", patch);
	}
	p->stage = STAGE_STARTS;
	again_in(p, p->k->start_ms);
}

static bool image_says(const struct sim_version *v, const char *word)
{
	return strstr(sim_str(yyjson_arr_get_first(sim_at(v->root, "spec", "containers")), "image"),
		       word) != NULL;
}

static bool waits_for_secret(const struct sim_kubelet_pod *p, const struct sim_version *v)
{
	return image_says(v, "keyed") &&
		!sim_store_find(&p->k->kube->store, RES_SECRET, p->ns, SIM_KUBELET_SECRET);
}

/*
 * A pod whose image comes after some tries, or whose slurmd finds what it needs after
 * some: the kubelet waits between them, longer each time, and tells of each a moment
 * later.
 */
static bool fails_to_start(struct sim_kubelet_pod *p, const struct sim_version *v)
{
	enum { FIRST_MS = 10000, DOUBLES = 4, WELL_PER_MILLE = 250 };
	if (!image_says(v, "crashing") && !image_says(v, "pulling"))
		return false;
	if (sim_rand_chance(&p->k->rand, WELL_PER_MILLE))
		return false;
	p->next_ms = p->k->kube->loop->now_ms +
		((int64_t)FIRST_MS << (p->tries < DOUBLES ? p->tries : DOUBLES));
	p->tries++;
	time_format(sim_loop_server_ms(p->k->kube->loop), p->ended);
	p->stage = STAGE_FAILED_TO_START;
	again_in(p, p->k->tell_ms);
	return true;
}

static void wait_for_next_try(struct sim_kubelet_pod *p)
{
	int64_t left_ms = p->next_ms - p->k->kube->loop->now_ms;
	p->stage = STAGE_STARTS;
	p->timer = timer_start(&p->k->kube->loop->loop, left_ms > 0 ? left_ms : 0, on_turn, p);
}

static void tell_failed_start(struct sim_kubelet_pod *p, const struct sim_version *v)
{
	if (image_says(v, "crashing")) {
		p->restarts++;
		kubelet_report(p, "Running", false, "CrashLoopBackOff");
		wait_for_next_try(p);
		return;
	}
	kubelet_report(p, "Pending", false, "ErrImagePull");
	p->stage = STAGE_BACKS_OFF;
	again_in(p, p->k->tell_ms);
}

/* -1: on none of them. */
static int machine_of(const struct sim_version *v)
{
	const char *name = sim_str(sim_get(v->root, "spec"), "nodeName");
	return strncmp(name, "worker-", 7) == 0 ? atoi(name + 7) % SIM_MACHINES : -1;
}

static int64_t away_for_ms(const struct sim_kubelet *k, const struct sim_version *v)
{
	int machine = machine_of(v);
	return machine >= 0 && k->back_ms[machine] ? k->back_ms[machine] - k->kube->loop->now_ms
						   : 0;
}

static void end_pod(struct sim_kubelet_pod *p)
{
	process_stops(p, true);
	sim_pod_ended(p->k->kube, p->ns, p->name, p->uid);
}

/* A machine that takes no pod: each that comes has failed before anything of it ran. */
static bool rejected(struct sim_kubelet_pod *p, const struct sim_version *v)
{
	int machine = machine_of(v);
	if (machine < 0 || !p->k->rejects[machine])
		return false;
	p->stage = STAGE_FAILED;
	report(p, "Failed", false);
	return true;
}

/*
 * Factor by which the kubelet is later to report a container that runs beside one whose
 * image is being pulled: it reports both when it has begun with both.
 */
enum { SLOW_TELL = 10 };

static bool tells_late(const struct sim_version *v)
{
	return image_says(v, "keyed") || image_says(v, "crashing") || image_says(v, "pulling");
}

static void start(struct sim_kubelet_pod *p, const struct sim_version *v)
{
	if (rejected(p, v))
		return;
	if (image_says(v, "broken")) {
		report(p, "Pending", false);
		return;
	}
	if (waits_for_secret(p, v)) {
		kubelet_report(p, "Pending", false, "ContainerCreating");
		return; /* the Secret wakes it */
	}
	if (fails_to_start(p, v))
		return;
	/*
	 * The container runs, and its pod is still shown as Pending: seen on a real
	 * kubelet, for more than a second.
	 */
	p->stage = STAGE_STARTED;
	process_starts(p);
	again_in(p, tells_late(v) ? SLOW_TELL * p->k->tell_ms : p->k->tell_ms);
}

static void on_turn(void *arg)
{
	struct sim_kubelet_pod *p = arg;
	const struct sim_version *v = kubelet_version_of(p);
	p->timer = NULL;
	if (!v)
		return;
	int64_t away_ms = away_for_ms(p->k, v);
	if (away_ms > 0) {
		p->timer = timer_start(&p->k->kube->loop->loop, away_ms, on_turn, p);
		return;
	}
	switch (p->stage) {
	case STAGE_WAITS:
		schedule(p, v);
		break;
	case STAGE_STARTS:
		start(p, v);
		break;
	case STAGE_FAILED_TO_START:
		tell_failed_start(p, v);
		break;
	case STAGE_BACKS_OFF:
		kubelet_report(p, "Pending", false, "ImagePullBackOff");
		wait_for_next_try(p);
		break;
	case STAGE_STARTED:
		p->stage = STAGE_RUNS;
		report(p, "Running", false);
		again_in(p, p->k->ready_ms);
		break;
	case STAGE_RUNS:                /* also: comes back after a crash or a failed probe */
		p->restarts += p->died; /* counted when it starts again, not when it ended */
		p->died = false;
		process_starts(p);
		p->stage = STAGE_READY;
		report(p, "Running", true);
		break;
	case STAGE_ENDS:
		end_pod(p); /* p is gone, unless a finalizer holds the pod */
		break;
	case STAGE_READY:
	case STAGE_FAILED:
		break;
	}
}

static void pod_free(struct sim_kubelet_pod *p)
{
	timer_stop(&p->k->kube->loop->loop, p->timer);
	*p->self = p->next;
	if (p->next)
		p->next->self = p->self;
	free(p->ns);
	free(p->name);
	free(p->uid);
	free(p);
}

static struct sim_kubelet_pod *find_uid(struct sim_kubelet *k, const char *uid)
{
	for (struct sim_kubelet_pod *p = k->pods; p; p = p->next)
		if (strcmp(p->uid, uid) == 0)
			return p;
	return NULL;
}

static bool address_taken_by_another(const struct sim_kubelet_pod *p)
{
	for (const struct sim_kubelet_pod *each = p->k->pods; each; each = each->next)
		if (each != p && strcmp(each->address, p->address) == 0)
			return true;
	return false;
}

static void give_address(struct sim_kubelet_pod *p)
{
	struct sim_kubelet *k = p->k;
	int tries = 0;
	do {
		k->last_address = (k->last_address + 1) % k->addresses;
		snprintf(p->address, sizeof(p->address), "10.0.%d.%d", k->last_address / 250,
			k->last_address % 250 + 1);
	} while (address_taken_by_another(p) && ++tries < k->addresses);
}

static void pod_added(struct sim_kubelet *k, const struct sim_version *v)
{
	struct sim_kubelet_pod *p = own_alloc(sizeof(*p));
	*p = (struct sim_kubelet_pod){
		.k = k,
		.ns = own_strdup(v->ns),
		.name = own_strdup(v->name),
		.uid = own_strdup(v->uid),
		.next = k->pods,
		.self = &k->pods,
	};
	give_address(p);
	if (p->next)
		p->next->self = &p->next;
	k->pods = p;
	again_in(p, 300);
}

static void on_change(void *ctx, const struct sim_change *c)
{
	struct sim_kubelet *k = ctx;
	if (c->after->resource == RES_SECRET && c->type == CHANGE_ADDED) {
		for (struct sim_kubelet_pod *p = k->pods; p; p = p->next)
			if (p->stage == STAGE_STARTS && !p->timer)
				again_in(p, k->start_ms);
		return;
	}
	if (c->after->resource == RES_PVC && c->type == CHANGE_ADDED) {
		for (struct sim_kubelet_pod *p = k->pods; p; p = p->next)
			if (p->stage == STAGE_WAITS)
				again_in(p, 300);
		return;
	}
	if (c->after->resource != RES_POD)
		return;
	if (c->type == CHANGE_ADDED) {
		pod_added(k, c->after);
		return;
	}
	struct sim_kubelet_pod *p = find_uid(k, c->after->uid);
	if (!p)
		return;
	if (c->type == CHANGE_DELETED) {
		process_stops(p, false); /* by force: no time for a hook */
		pod_free(p);
	} else if (sim_terminating(c->after) && p->stage != STAGE_ENDS) {
		p->stage = STAGE_ENDS;
		again_in(p, k->end_ms);
	}
}

void sim_kubelet_init(struct sim_kubelet *k, struct sim_kube *kube, uint64_t seed)
{
	*k = (struct sim_kubelet){
		.kube = kube,
		.rand = sim_rand_new(seed, 4),
		.start_ms = 3000,
		.tell_ms = 2000,
		.ready_ms = 2000,
		.end_ms = 3000,
		.addresses = 60000,
	};
	sim_store_listen(&kube->store, on_change, k);
}

void sim_kubelet_free(struct sim_kubelet *k)
{
	while (k->pods)
		pod_free(k->pods);
}

/* ---- troubles ---- */

static struct sim_kubelet_pod *find_running(struct sim_kubelet *k, const char *ns, const char *name)
{
	for (struct sim_kubelet_pod *p = k->pods; p; p = p->next)
		if (strcmp(p->ns, ns) == 0 && strcmp(p->name, name) == 0 &&
			(p->stage == STAGE_RUNS || p->stage == STAGE_READY))
			return p;
	return NULL;
}

bool sim_kubelet_fail(struct sim_kubelet *k, const char *ns, const char *name)
{
	struct sim_kubelet_pod *p = find_running(k, ns, name);
	if (!p)
		return false;
	timer_stop(&k->kube->loop->loop, p->timer);
	p->timer = NULL;
	p->stage = STAGE_FAILED;
	process_stops(p, false);
	report(p, "Failed", false);
	return true;
}

static bool unready(struct sim_kubelet *k, const char *ns, const char *name, int64_t for_ms,
	bool dies)
{
	struct sim_kubelet_pod *p = find_running(k, ns, name);
	if (!p)
		return false;
	if (dies) {
		process_stops(p, false);
		p->died = true;
	}
	p->stage = STAGE_RUNS;
	report(p, "Running", false);
	again_in(p, for_ms);
	return true;
}

bool sim_kubelet_crash(struct sim_kubelet *k, const char *ns, const char *name, int64_t for_ms)
{
	return unready(k, ns, name, for_ms, true);
}
bool sim_kubelet_unready(struct sim_kubelet *k, const char *ns, const char *name, int64_t for_ms)
{
	return unready(k, ns, name, for_ms, false);
}

void sim_kubelet_machine_lost(struct sim_kubelet *k, int machine, int64_t for_ms)
{
	k->back_ms[machine] = k->kube->loop->now_ms + for_ms;
	for (struct sim_kubelet_pod *p = k->pods; p; p = p->next) {
		const struct sim_version *v = kubelet_version_of(p);
		if (!v || machine_of(v) != machine)
			continue;
		if (p->stage == STAGE_RUNS || p->stage == STAGE_READY)
			unready(k, p->ns, p->name, for_ms, true);
		else
			process_stops(p, false);
	}
}

void sim_kubelet_machine_back(struct sim_kubelet *k, int machine)
{
	k->back_ms[machine] = 0;
	for (struct sim_kubelet_pod *p = k->pods; p; p = p->next) {
		const struct sim_version *v = kubelet_version_of(p);
		bool backs_off = p->next_ms > k->kube->loop->now_ms;
		if (v && machine_of(v) == machine && p->timer && !backs_off)
			again_in(p, k->ready_ms);
	}
}
