/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the lease and the controller. */
#include "engine/lead.h"

#include "base/log.h"
#include "base/metric.h"
#include "base/own.h"
#include "kube/lease.h"

enum { SHUTDOWN_MS = 20000, LOOK_MS = 50 };

METRIC(up_gauge, "slurm_operator_leading", METRIC_GAUGE, "1 while this manager acts.", "",
	METRIC_OF_MANAGER);

/* The name that dashboards of Go operators know. */
METRIC(master_gauge, "leader_election_master_status", METRIC_GAUGE,
	"1 while this manager holds the Lease of this name.", "name", METRIC_OF_MANAGER);

struct lead {
	struct lead_config config;
	struct lease *lease; /* NULL: it acts without a lease */
	struct timer *timer;
	int64_t end_by_ms;
	bool ending;
};

static void set_leading(const struct lead *l, bool is)
{
	metric_set(&up_gauge, is);
	if (l->config.name)
		metric_set(&master_gauge, is, l->config.name);
}

static void leading(void *ctx)
{
	struct lead *l = ctx;
	log_info("leading: acting from now on");
	set_leading(l, true);
	controller_lead(l->config.controller);
}

static void holds(void *ctx, int64_t until_ms)
{
	controller_may_act(((struct lead *)ctx)->config.controller, until_ms);
}

static void lost(void *ctx, struct err why)
{
	struct lead *l = ctx;
	log_error("leadership lost: ending at once, so that no two managers act", "why", why.text);
	set_leading(l, false);
	controller_stop(l->config.controller);
	l->config.ended(l->config.ctx, why);
}

static void released(void *ctx)
{
	struct lead *l = ctx;
	l->config.ended(l->config.ctx, OK);
}

static void wait_for_rest(void *ctx)
{
	struct lead *l = ctx;
	l->timer = NULL;
	if (controller_in_flight(l->config.controller) &&
		loop_now_ms(l->config.loop) < l->end_by_ms) {
		l->timer = timer_start(l->config.loop, LOOK_MS, wait_for_rest, l);
		return;
	}
	if (l->lease)
		lease_release(l->lease, released, l);
	else
		released(l);
}

void lead_end(struct lead *l)
{
	if (l->ending)
		return;
	l->ending = true;
	l->end_by_ms = loop_now_ms(l->config.loop) + SHUTDOWN_MS;
	controller_stop(l->config.controller);
	wait_for_rest(l);
}

const char *lead_trouble(const struct lead *l) { return l->lease ? lease_trouble(l->lease) : ""; }

struct lead *lead_new(const struct lead_config *config)
{
	static const struct lease_handler handler = { leading, lost, holds };
	struct lead *l = own_alloc(sizeof(*l));
	l->config = *config;
	set_leading(l, false); /* so that a standby has the series, with 0 */
	if (config->name)
		l->lease = lease_new(config->kube, config->ns, config->name, config->identity,
			&handler, l);
	else
		leading(l);
	return l;
}

void lead_free(struct lead *l)
{
	if (!l)
		return;
	timer_stop(l->config.loop, l->timer);
	lease_free(l->lease);
	free(l);
}
