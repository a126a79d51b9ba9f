/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renews the Lease of a virtual node every ten seconds, to show that the node is served.
 * If nothing changes, this is the only write.
 */
#include "base/log.h"
#include "base/own.h"
#include "base/time.h"
#include "json/build.h"
#include "virtual_node/parts.h"
#include "object/metadata.h"

enum { RENEW_MS = 10000, LEASE_S = 40, SOON_MS = 1000 };
#define LEASE_NS "kube-node-lease"

static void renew(void *part);

static void again(struct part *p, int64_t ms)
{
	p->lease_timer = timer_start_urgent(p->box->all->loop, ms, renew, p);
}

static void add_spec(const struct part *p, struct jdoc *d, struct jval *lease)
{
	char now[TIME_RFC3339_BYTES];
	struct jval *spec = j_child(d, lease, "spec");
	time_format_micro(loop_wall_ms(p->box->all->loop), now);
	j_set_str(d, spec, "holderIdentity", p->node_name);
	j_set_int(d, spec, "leaseDurationSeconds", LEASE_S);
	j_set_str(d, spec, "renewTime", now);
}

static void send(struct part *p, const char *method, struct jdoc *d, const struct jval *body,
	kube_done *done)
{
	struct arena a AUTO(arena_free) = { 0 };
	bool creates = str_eq(method, "POST");
	struct kube_request r = {
		.method = method,
		.path = resource_path(&a, RES_LEASE, LEASE_NS, creates ? NULL : p->node_name, NULL),
		.patch = creates ? PATCH_NONE : PATCH_MERGE,
		.body = j_text(d, body),
		.timeout_ms = RENEW_MS,
	};
	p->lease_call = kube_send(p->box->all->kube, &r, done, p);
}

static void over(struct part *p, struct err e)
{
	if (failed(e) && !p->lease_fails)
		log_warn("the Lease of a virtual node is not written", "node", p->node_name, "why",
			e.text, "remedy", kube_remedy(e));
	p->lease_fails = failed(e);
	again(p, failed(e) ? SOON_MS : RENEW_MS);
}

static void made(void *part, struct err e, const struct json *lease, int64_t retry_after_ms)
{
	struct part *p = part;
	(void)lease, (void)retry_after_ms;
	p->lease_call = NULL;
	p->no_lease = false;
	over(p, e);
}

/* The Node owns its Lease, so both are deleted together. */
static void make(struct part *p)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *lease = j_obj(d);
	struct metadata node = metadata_of(json_root(p->node));
	j_set_str(d, lease, "apiVersion", resource_rows[RES_LEASE].api_version);
	j_set_str(d, lease, "kind", resource_rows[RES_LEASE].kind);
	struct jval *m = j_child(d, lease, "metadata");
	j_set_str(d, m, "name", p->node_name);
	j_set_str(d, m, "namespace", LEASE_NS);
	j_push(d, j_set(d, m, "ownerReferences", j_arr(d)),
		owner_reference(d, RES_NODE, p->node_name, node.uid, false));
	add_spec(p, d, lease);
	send(p, "POST", d, lease, made);
}

static void renewed(void *part, struct err e, const struct json *lease, int64_t retry_after_ms)
{
	struct part *p = part;
	(void)lease, (void)retry_after_ms;
	p->lease_call = NULL;
	p->no_lease = e.kind == ERR_NOT_FOUND && p->node;
	if (p->no_lease)
		again(p, 0);
	else
		over(p, e);
}

static void renew(void *part)
{
	struct part *p = part;
	struct arena a AUTO(arena_free) = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *lease = j_obj(d);
	p->lease_timer = NULL;
	if (!p->node) { /* the Node does not exist yet */
		p->no_lease = false;
		again(p, SOON_MS);
		return;
	}
	if (p->no_lease) {
		make(p);
		return;
	}
	add_spec(p, d, lease);
	send(p, "PATCH", d, lease, renewed);
}

void part_lease_start(struct part *p) { again(p, SOON_MS); }
