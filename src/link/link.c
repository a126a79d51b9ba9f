/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and frees a link, applies its settings, and returns its facts. */
#include "link/link.h"

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"

const char *slurm_link_ns(const struct slurm_link *l) { return l->ns; }
const char *slurm_link_cluster(const struct slurm_link *l) { return l->cluster; }

struct link_fact slurm_link_fact(const struct slurm_link *l)
{
	struct link_fact f = l->fact;
	f.meant = l->meant;
	f.answers = l->answers;
	return f;
}

void slurm_link_take_over(struct slurm_link *l) { link_take_over(l); }

struct slurm_link *slurm_link_new(const struct link_config *config, const char *ns,
	const char *cluster)
{
	struct slurm_link *l = own_alloc(sizeof(*l));
	l->config = *config;
	l->quota = quota_of(config->memory, ns);
	l->ns = own_strdup(ns);
	l->cluster = own_strdup(cluster);
	l->questions = link_questions;
	for (enum question q = 0; q < ASK_COUNT; q++)
		l->of[q] = own_alloc(l->questions[q]->own_bytes + 1);
	link_take_over(l);
	l->meant = own_strdup("");
	l->answers = own_strdup("");
	l->fact.version = l->version;
	l->fact.trouble = l->trouble;
	return l;
}

void slurm_link_invalid(struct slurm_link *l, const char *why)
{
	if (l->server || (l->unusable && str_eq(l->trouble, why)))
		return;
	l->unusable = true;
	link_set_trouble(l, why);
	link_changed(l);
}

void slurm_link_free(struct slurm_link *l)
{
	if (!l)
		return;
	link_forget(l);
	link_recipients_free(l);
	link_askers_free(l);
	for (enum question q = 0; q < ASK_COUNT; q++)
		free(l->of[q]);
	timer_stop(l->config.loop, l->check_timer);
	quota_leave(l->quota);
	free(l->ns);
	free(l->cluster);
	free(l->server);
	free(l->secret_name);
	free(l->user);
	free(l->meant);
	free(l->answers);
	link_pass_drop(l);
	free(l->ca_pem);
	free(l);
}

/*
 * Does not even resolve the host of a forbidden server. link_check_start sends nothing
 * either.
 */
static void forbid(struct slurm_link *l)
{
	struct err e = err_new(ERR_DENIED,
		"spec.server %.200s fits none of the patterns of --allowed-servers, so the manager does not ask it",
		l->server);
	l->unusable = true;
	link_set_trouble(l, e.text);
	log_warn("Slurm is not usable", "namespace", l->ns, "cluster", l->cluster, "why", e.text);
	link_changed(l);
}

void slurm_link_set(struct slurm_link *l, const char *server, const char *secret_name)
{
	slurm_link_set_minting(l, server, secret_name, NULL);
}

void slurm_link_set_minting(struct slurm_link *l, const char *server, const char *secret_name,
	const char *user)
{
	if (l->server && str_eq(l->server, server) && str_eq(l->secret_name, secret_name) &&
		!l->user == !user && str_eq(l->user, user))
		return;
	link_forget(l);
	l->logged = false;
	free(l->server);
	free(l->secret_name);
	free(l->user);
	link_pass_drop(l);
	l->user = own_strdup(user);
	l->server = own_strdup(server ? server : "");
	l->secret_name = own_strdup(secret_name ? secret_name : "");
	l->fact.secret = UNKNOWN;
	l->fact.consent = CONSENT_UNKNOWN;
	l->fact.forbidden = !server_allowed(l->config.servers.allowed, l->server);
	l->unusable = false;
	link_set_trouble(l, "");
	timer_stop(l->config.loop, l->check_timer);
	l->check_timer = timer_start(l->config.loop, 0, link_check_start, l);
	if (l->fact.forbidden)
		forbid(l);
}

void slurm_link_mean(struct slurm_link *l, const char *slurm_cluster)
{
	if (str_empty(slurm_cluster) || str_eq(l->meant, slurm_cluster))
		return;
	bool another = !str_empty(l->meant);
	free(l->meant);
	l->meant = own_strdup(slurm_cluster);
	if (!another && l->slurm)
		slurm_expect_cluster(l->slurm, slurm_cluster);
	if (!another)
		return;
	link_forget(l);
	timer_stop(l->config.loop, l->check_timer);
	l->check_timer = timer_start(l->config.loop, 0, link_check_start, l);
}

/* ---- facts ---- */

const struct slurm_requests *slurm_link_requests(const struct slurm_link *l)
{
	return &l->requests;
}

struct slurm_fact slurm_link_slurm(const struct slurm_link *l)
{
	int64_t age = loop_now_ms(l->config.loop) - l->nodes_seen_ms;
	struct slurm_fact f = {
		.nodes_seen_ms = l->nodes_seen_ms,
		.whole_seen_ms = l->whole_seen_ms,
		.list_took_ms = l->last_read_took_ms,
		.jobs_seen_ms = l->jobs_seen_ms,
		.trouble = l->trouble,
		.cluster = l->meant,
		.jobs_trouble = l->jobs_trouble,
		.jobs_unread = l->jobs_unread || l->jobs_unplaced,
		.since_ms = l->alone_since_ms,
	};
	if (l->nodes_seen_ms && !l->failing && !link_another_answers(l) &&
		age <= link_patience_ms(l))
		f.usable = YES;
	else
		f.usable = l->failing || link_another_answers(l) || l->unusable ||
				l->fact.secret == NO || l->fact.consent == CONSENT_REFUSED ||
				(l->fact.checked && l->fact.health != SLURM_UP)
			? NO
			: UNKNOWN;
	bool only_lists_fail = l->failing && l->fact.checked && l->fact.health == SLURM_UP;
	if (str_empty(f.trouble) || (only_lists_fail && !str_empty(l->read_trouble)))
		f.trouble = l->read_trouble;
	if (f.usable != YES && str_empty(f.trouble))
		f.trouble = "Slurm has not answered yet";
	return f;
}

static void add_known(const struct slurm_link *l, const struct node *n, struct slurm_node_fact *f)
{
	f->state = n->state;
	f->reason = n->reason ? n->reason : "";
	f->reason_since_s = n->reason_since_s;
	f->comment = n->comment ? n->comment : "";
	f->address = n->address ? n->address : "";
	f->hostname = n->hostname ? n->hostname : "";
	f->gres = n->gres ? n->gres : "";
	f->cpus = n->cpus;
	f->memory = n->memory;
	f->memory_shared = n->memory_shared;
	f->free_since_ms = n->free_since_ms;
	f->busy_since_ms = n->busy_since_ms;
	f->busy_until_s = n->busy_until_s;
	f->confirmed = n->confirmed;
	f->held = link_node_held(l, n);
	if (n->held)
		f->holder = n->held->job;
}

static const struct slurm_node_fact nothing_known = SLURM_NODE_NOTHING;

static struct slurm_node_fact fact_of(const struct slurm_link *l, const struct node *n)
{
	struct slurm_node_fact f = nothing_known;
	f.known = n->known;
	f.seen_ms = link_node_seen_ms(l, n);
	f.named_ms = n->known == YES ? n->seen_ms : 0;
	f.looked_ms = n->looked_ms;
	f.looked_told_ms = n->looked_told_ms;
	f.absent_since_ms = n->absent_since_ms;
	f.in_flight = n->in_flight_until_ms != 0;
	f.drain_until_ms = n->drain_until_ms;
	if (n->known == YES)
		add_known(l, n, &f);
	return f;
}

static bool tells(const struct slurm_link *l)
{
	return l->nodes_seen_ms && slurm_link_slurm(l).usable == YES;
}

bool slurm_link_named(struct slurm_link *l, const char *name, struct slurm_node_fact *out)
{
	const struct node *n = tells(l) ? link_node_find(l, name) : NULL;
	*out = n ? fact_of(l, n) : nothing_known;
	return out->known == YES;
}

static struct slurm_node_fact fact_for(struct slurm_link *l, const struct node *n,
	const struct slurm_who *who)
{
	struct slurm_node_fact f = fact_of(l, n);
	/*
	 * A node of the pod's name at another address may be the record of an earlier
	 * pod.
	 */
	bool at_address = !str_empty(f.address) &&
		(str_eq(f.address, who->address) || str_eq(f.address, who->second_address));
	bool on_machine = !str_empty(who->machine) && str_eq(f.hostname, who->machine);
	bool its_own = n->known == YES && (at_address || on_machine);
	struct node *other = its_own ? NULL : link_node_elsewhere(l, who);
	f.elsewhere = other ? other->name : NULL;
	return f;
}

struct slurm_node_fact slurm_link_node(struct slurm_link *l, const struct slurm_who *who)
{
	if (!tells(l))
		return nothing_known;
	const struct node nobodys = { .known = NO, .absent_since_ms = l->nodes_seen_ms },
			  *known = link_node_find(l, who->name);
	return fact_for(l, known ? known : &nobodys, who);
}

uint64_t slurm_link_begin(struct slurm_link *l)
{
	l->next_guess = 0;
	return ++l->round;
}

struct slurm_node_fact slurm_link_expect(struct slurm_link *l, const struct slurm_who *who)
{
	if (!tells(l))
		return nothing_known;
	struct node *n = link_node_expected(l, who->name);
	n->wanted_ms = loop_now_ms(l->config.loop);
	n->expected_in = l->round;
	return fact_for(l, n, who);
}
