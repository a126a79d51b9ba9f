/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurmctld: nodes and their slurmds, people and troubles. Jobs: sim_slurm_jobs.c; REST:
 * sim_slurm_rest.c.
 */
#include "sim/sim_slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "sim/sim_slurm_jobs.h"

int64_t sim_slurm_clock_s(const struct sim_slurm *s)
{
	return (sim_loop_server_ms(s->loop) + s->clock_ms) / 1000;
}

static struct loop *loop_of(const struct sim_slurm *s) { return &s->loop->loop; }

static void replace(char **at, const char *text)
{
	char *old = *at;
	*at = own_strdup(text);
	free(old);
}

void sim_slurm_note(const struct sim_slurm *s, const char *format, ...)
{
	va_list args;
	if (!s->on_note)
		return;
	va_start(args, format);
	s->on_note(s->ctx, format, args);
	va_end(args);
}

struct sim_node *sim_slurm_node(const struct sim_slurm *s, const char *name)
{
	for (struct sim_node *n = s->nodes; n; n = n->next)
		if (strcmp(n->name, name) == 0)
			return n;
	return NULL;
}

struct sim_node *sim_slurm_node_of(const struct sim_slurm *s, const char *uid)
{
	for (struct sim_node *n = s->nodes; n; n = n->next)
		if (strcmp(n->uid, uid) == 0)
			return n;
	return NULL;
}

static struct sim_slurmd *slurmd_of(const struct sim_slurm *s, const char *uid)
{
	for (struct sim_slurmd *d = s->slurmds; d; d = d->next)
		if (strcmp(d->uid, uid) == 0)
			return d;
	return NULL;
}

void sim_slurm_touch(struct sim_slurm *s, struct sim_node *n)
{
	s->last_update_s = sim_slurm_clock_s(s);
	if (n)
		n->changed_ms = s->loop->now_ms;
}

void sim_slurm_save(struct sim_slurm *s)
{
	for (struct sim_node *n = s->nodes; n; n = n->next)
		n->saved = true;
}

static void node_free(struct sim_slurm *s, struct sim_node *n)
{
	timer_stop(loop_of(s), n->timer);
	free(n->name);
	free(n->reason);
	free(n->comment);
	free(n->uid);
	free(n->address);
	free(n->hostname);
	free(n);
}

static void node_remove(struct sim_slurm *s, struct sim_node *n)
{
	struct sim_node **at = &s->nodes;
	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	node_free(s, n);
	sim_slurm_touch(s, NULL);
}

/* ---- responding or not ---- */

void sim_slurm_set_down(struct sim_slurm *s, struct sim_node *n, const char *reason)
{
	sim_slurm_note(s, "node %s is down: %s", n->name, reason);
	n->down = true;
	if (s->stays_down && *n->reason && !strstr(n->reason, reason)) {
		struct str both = { 0 };
		str_addf(&both, "%s : %s", n->reason, reason);
		replace(&n->reason, str_text(&both));
		str_free(&both);
	} else if (!n->drain) {
		replace(&n->reason, reason);
	}
	sim_job_node_lost(s, n);
	sim_slurm_touch(s, n);
}

static void on_silence(void *arg)
{
	struct sim_node *n = arg;
	struct sim_slurm *s = n->s;
	n->timer = NULL;
	if (!n->not_responding) {
		sim_slurm_note(s, "node %s does not respond", n->name);
		n->not_responding = true;
		sim_slurm_touch(s, n);
		n->timer = timer_start(loop_of(s), sim_rand_range(&s->rand, 8000, 16000),
			on_silence, n);
	} else {
		sim_slurm_set_down(s, n, "Not responding");
	}
}

static void on_ping(void *arg)
{
	struct sim_node *n = arg;
	n->timer = NULL;
	struct sim_slurmd *d = slurmd_of(n->s, n->uid);
	if (!d || !d->registered) {
		on_silence(n);
		return;
	}
	n->not_responding = n->undrain = false;
	sim_slurm_touch(n->s, n);
	sim_slurm_wake(n->s);
}

static void wait_for_ping(struct sim_slurm *s, struct sim_node *n)
{
	if (n->down)
		return;
	n->not_responding = true;
	timer_stop(loop_of(s), n->timer);
	n->timer = timer_start(loop_of(s), sim_rand_range(&s->rand, 200, 4000), on_ping, n);
}

/* ---- slurmd ---- */

static struct sim_node *node_add(struct sim_slurm *s, const char *name)
{
	struct sim_node *n = own_alloc(sizeof(*n)), **at = &s->nodes;
	*n = (struct sim_node){
		.s = s,
		.name = own_strdup(name),
		.reason = own_strdup(""),
		.comment = own_strdup(""),
		.uid = own_strdup(""),
	};
	n->address = own_strdup("");
	n->hostname = own_strdup("");
	n->known_ms = s->loop->now_ms;
	while (*at)
		at = &(*at)->next;
	*at = n;
	return n;
}

/*
 * The slurmd of the node says less than slurm.conf, and Slurm drains it. A reason that
 * stands, stays: under the program's own reason the owner of the drain is unknown, once a
 * slurmd says enough.
 */
static void find_fault(struct sim_slurm *s, struct sim_node *n)
{
	n->invalid_reg = s->invalid_per_mille && sim_rand_chance(&s->rand, s->invalid_per_mille);
	if (!n->invalid_reg || n->drain)
		return;
	n->drain = true;
	n->undrain = false;
	n->drainer = n->their_reason && *n->reason ? DRAINED_BY_OPERATOR : DRAINED_BY_ADMIN;
	n->admin_ms = s->loop->now_ms;
	if (!*n->reason)
		replace(&n->reason, "Low RealMemory");
	sim_slurm_note(s, "node %s is invalid: %s", n->name, n->reason);
}

static void come_up(struct sim_slurm *s, struct sim_node *n)
{
	n->not_responding = n->undrain = false;
	if (!n->down || !s->stays_down || !*n->reason ||
		strncmp(n->reason, "Not responding", 14) == 0) {
		if (n->down && !n->drain)
			replace(&n->reason, "");
		n->down = false;
	}
	find_fault(s, n);
}

static void on_register(void *arg)
{
	struct sim_slurmd *d = arg;
	struct sim_slurm *s = d->s;
	d->timer = NULL;
	if (s->ctld_down) {
		d->timer = timer_start(loop_of(s), sim_rand_range(&s->rand, 500, 2000), on_register,
			d);
		return;
	}
	struct sim_node *n = sim_slurm_node(s, d->name);
	if (!n)
		n = node_add(s, d->name);
	timer_stop(loop_of(s), TAKE(n->timer));
	/* Jobs of the process before are gone, also one that was to restart here. */
	sim_job_node_lost(s, n);
	replace(&n->uid, d->uid);
	replace(&n->address, d->address);
	replace(&n->hostname, d->hostname);
	come_up(s, n);
	n->started_ms = d->started_ms;
	n->registered_ms = s->loop->now_ms;
	n->last_busy_s = sim_slurm_clock_s(s);
	sim_slurm_note(s, "node %s registers for pod %s", n->name, n->uid);
	d->registered = true;
	sim_slurm_touch(s, n);
	sim_slurm_wake(s);
}

void sim_slurmd_started(struct sim_slurm *s, const struct sim_slurmd_id *id)
{
	struct sim_slurmd *d = own_alloc(sizeof(*d));
	*d = (struct sim_slurmd){
		.s = s,
		.name = own_strdup(id->node),
		.uid = own_strdup(id->uid),
		.next = s->slurmds,
	};
	d->address = own_strdup(id->address);
	d->hostname = own_strdup(id->hostname);
	s->slurmds = d;
	d->started_ms = s->loop->now_ms;
	d->timer = timer_start(loop_of(s), sim_rand_range(&s->rand, 100, 2500), on_register, d);
}

static void slurmd_free(struct sim_slurm *s, struct sim_slurmd *d)
{
	timer_stop(loop_of(s), d->timer);
	free(d->name);
	free(d->uid);
	free(d->address);
	free(d->hostname);
	free(d);
}

void sim_slurmd_stopped(struct sim_slurm *s, const char *uid, bool graceful)
{
	struct sim_slurmd **at = &s->slurmds;
	while (*at && strcmp((*at)->uid, uid) != 0)
		at = &(*at)->next;
	struct sim_slurmd *d = *at;
	if (!d)
		return;
	*at = d->next;
	struct sim_node *n = d->registered ? sim_slurm_node(s, d->name) : NULL;
	slurmd_free(s, d);
	if (!n || strcmp(n->uid, uid) != 0)
		return;
	if (graceful && s->prestop && !s->ctld_down) {
		sim_slurm_set_down(s, n, "preStop");
		sim_slurm_note(s, "node %s is deleted by its hook", n->name);
		node_remove(s, n);
	} else if (!n->down) {
		timer_stop(loop_of(s), n->timer);
		n->timer = timer_start(loop_of(s), sim_rand_range(&s->rand, 3000, 18000),
			on_silence, n);
	}
}

/* ---- people ---- */

void sim_slurm_set_drain(struct sim_slurm *s, struct sim_node *n, bool drain, const char *reason,
	enum sim_drainer who)
{
	if (who == DRAINED_BY_ADMIN) {
		n->admin_ms = s->loop->now_ms;
		sim_slurm_note(s, "an administrator %s node %s: %s", drain ? "drains" : "undrains",
			n->name, reason ? reason : "(no reason)");
	}
	if (drain && n->drain && (!reason || strcmp(n->reason, reason) == 0))
		return;
	if (drain) {
		replace(&n->reason, reason ? reason : n->reason);
		/* a drain without a reason keeps the program's own: it looks as ours */
		n->drainer = !reason && n->their_reason && *n->reason ? DRAINED_BY_OPERATOR : who;
		n->their_reason = n->drainer == DRAINED_BY_OPERATOR;
		n->drained_ms = s->loop->now_ms;
	} else {
		n->drainer = DRAINED_BY_NOBODY;
		n->their_reason = n->their_reason && who != DRAINED_BY_OPERATOR;
		if (s->keeps_reasons)
			replace(&n->reason,
				s->newest > 42              ? ""
					: reason && *reason ? reason
							    : n->reason);
		wait_for_ping(s, n);
	}
	if (!drain && n->drain)
		n->last_busy_s = sim_slurm_clock_s(s);
	if (!drain && n->drain && who == DRAINED_BY_OPERATOR)
		n->lifted_ms = s->loop->now_ms;
	n->undrain = !drain && n->drain && sim_rand_chance(&s->rand, 300);
	n->drain = drain;
	sim_slurm_touch(s, n);
	sim_slurm_save(s);
	sim_slurm_wake(s);
}

bool sim_slurm_admin_drain(struct sim_slurm *s, const char *node, const char *reason)
{
	struct sim_node *n = sim_slurm_node(s, node);
	if (n)
		sim_slurm_set_drain(s, n, true, reason, DRAINED_BY_ADMIN);
	return n != NULL;
}

bool sim_slurm_admin_undrain(struct sim_slurm *s, const char *node)
{
	struct sim_node *n = sim_slurm_node(s, node);
	if (n)
		sim_slurm_set_drain(s, n, false, "", DRAINED_BY_ADMIN);
	return n != NULL;
}

bool sim_slurm_admin_resume(struct sim_slurm *s, const char *node)
{
	struct sim_node *n = sim_slurm_node(s, node);
	if (n)
		sim_slurm_set_up(s, n);
	return n && sim_slurm_admin_undrain(s, node);
}

void sim_slurm_set_up(struct sim_slurm *s, struct sim_node *n)
{
	if (!n->down)
		return;
	n->down = false;
	wait_for_ping(s, n);
}

bool sim_slurm_delete_node(struct sim_slurm *s, struct sim_node *n)
{
	if (sim_node_job(n))
		return false;
	struct sim_slurmd *d = slurmd_of(s, n->uid);
	sim_slurm_note(s, "node %s is deleted", n->name);
	if (d)
		d->registered = false; /* it never comes back by itself */
	node_remove(s, n);
	return true;
}

/* ---- slurmctld ---- */

static void forget_node(struct sim_slurm *s, struct sim_node *n)
{
	struct sim_slurmd *d = slurmd_of(s, n->uid);
	sim_slurm_note(s, "slurmctld forgets node %s", n->name);
	if (d)
		d->registered = false;
	node_remove(s, n);
}

static void on_ctld_up(void *arg)
{
	struct sim_slurm *s = arg;
	s->ctld_up = NULL;
	s->ctld_down = false;
	sim_slurm_note(s, "slurmctld is up");
	for (struct sim_node *n = s->nodes; n; n = n->next)
		wait_for_ping(s, n);
	sim_slurm_touch(s, NULL);
	sim_slurm_wake(s);
}

void sim_slurmctld_up(struct sim_slurm *s)
{
	timer_stop(loop_of(s), s->ctld_up);
	on_ctld_up(s);
}

void sim_slurmctld_down(struct sim_slurm *s, int64_t for_ms)
{
	timer_stop(loop_of(s), s->ctld_up);
	sim_slurm_note(s, "slurmctld is down");
	s->ctld_down = true;
	s->ctld_up = for_ms > 0 ? timer_start(loop_of(s), for_ms, on_ctld_up, s) : NULL;
}

void sim_slurmctld_restart(struct sim_slurm *s, bool forget, int64_t down_ms)
{
	for (struct sim_node *n = s->nodes, *next; n; n = next) {
		next = n->next;
		if (!forget || n->saved)
			continue;
		forget_node(s, n);
	}
	sim_slurmctld_down(s, down_ms > 0 ? down_ms : 1);
}

void sim_slurmctld_restore(struct sim_slurm *s, int64_t age_ms, int64_t down_ms)
{
	int64_t saved_ms = s->loop->now_ms - age_ms;
	for (struct sim_node *n = s->nodes, *next; n; n = next) {
		next = n->next;
		if (n->known_ms > saved_ms) {
			sim_job_node_lost(s, n);
			forget_node(s, n);
		} else if (n->drain && n->drained_ms > saved_ms) {
			n->drain = false;
			n->drainer = DRAINED_BY_NOBODY;
			n->admin_ms = s->loop->now_ms;
		}
	}
	sim_slurmctld_down(s, down_ms);
}

void sim_slurm_version(struct sim_slurm *s, bool new_one)
{
	s->oldest = new_one ? 42 : 40;
	s->newest = new_one ? 45 : 42;
	s->partitions_bug = !new_one;
	s->refuse_422 = new_one;
}

void sim_slurm_init(struct sim_slurm *s, struct sim_net *net, const char *base_url, uint64_t seed)
{
	*s = (struct sim_slurm){
		.loop = net->loop,
		.rand = sim_rand_new(seed, 5),
		.next_job = 1,
		.token = "token-of-the-operator-1",
	};
	s->cluster = "quartz";
	s->list_rand = sim_rand_new(seed, 14);
	s->epilog_ms = 3000;
	s->server = (struct sim_server){
		.base_url = base_url,
		.serve = sim_slurm_serve,
		.fault_body = sim_slurm_fault_body,
		.works_ms = sim_slurm_works_ms,
		.ctx = s,
		.errors_inside = true,
	};
	s->id_text = sim_rand_chance(&s->rand, 500);
	s->prestop = sim_rand_chance(&s->rand, 500);
	sim_slurm_version(s, sim_rand_chance(&s->rand, 300));
	sim_slurm_touch(s, NULL);
	sim_net_add(net, &s->server);
}

void sim_slurm_free(struct sim_slurm *s)
{
	timer_stop(loop_of(s), s->ctld_up);
	timer_stop(loop_of(s), s->schedule);
	for (struct sim_node *n = s->nodes, *next; n; n = next) {
		next = n->next;
		node_free(s, n);
	}
	for (struct sim_slurmd *d = s->slurmds, *next; d; d = next) {
		next = d->next;
		slurmd_free(s, d);
	}
	sim_jobs_free(s);
}
