#include "engine/slurm_link.h"

#include "base/own.h"
#include "base/str.h"
#include "engine/link_parts.h"

const char *slurm_link_ns(const struct slurm_link *l) { return l->ns; }
const char *slurm_link_cluster(const struct slurm_link *l) { return l->cluster; }
struct link_fact slurm_link_fact(const struct slurm_link *l) { return l->fact; }

struct slurm_link *slurm_link_new(const struct link_config *config, const char *ns, const char *cluster)
{
	struct slurm_link *l = own_alloc(sizeof(*l));
	l->config = *config;
	l->ns = own_strdup(ns);
	l->cluster = own_strdup(cluster);
	l->fact.version = l->version;
	l->fact.trouble = l->trouble;
	return l;
}

void slurm_link_invalid(struct slurm_link *l, const char *why)
{
	if (l->server || (l->no_way && str_eq(l->trouble, why)))
		return;
	l->no_way = true;
	link_set_trouble(l, why);
	link_changed(l);
}

void slurm_link_free(struct slurm_link *l)
{
	if (!l)
		return;
	slurm_free(TAKE(l->slurm));
	link_updates_lost(l, false);
	link_forget(l);
	timer_stop(l->config.loop, l->check_timer);
	http_cancel(l->config.kube->http, l->secret_call);
	free(l->ns);
	free(l->cluster);
	free(l->server);
	free(l->secret_name);
	own_wipe(l->token);
	free(l->ca_pem);
	free(l);
}

void slurm_link_set(struct slurm_link *l, const char *server, const char *secret_name)
{
	if (l->server && str_eq(l->server, server) && str_eq(l->secret_name, secret_name))
		return;
	link_forget(l);
	free(l->server);
	free(l->secret_name);
	own_wipe(TAKE(l->token));
	l->server = own_strdup(server ? server : "");
	l->secret_name = own_strdup(secret_name ? secret_name : "");
	l->fact.secret = UNKNOWN;
	l->no_way = false;
	link_set_trouble(l, "");
	http_cancel(l->config.kube->http, TAKE(l->secret_call));
	timer_stop(l->config.loop, l->check_timer);
	l->check_timer = timer_start(l->config.loop, 0, link_check_start, l);
}

/* ---- facts ---- */

struct slurm_fact slurm_link_slurm(const struct slurm_link *l)
{
	int64_t age = loop_now_ms(l->config.loop) - l->nodes_seen_ms;
	struct slurm_fact f = { .nodes_seen_ms = l->nodes_seen_ms, .jobs_seen_ms = l->jobs_seen_ms, .trouble = l->trouble };
	if (l->nodes_seen_ms && !l->failing && age <= link_patience_ms(l))
		f.usable = YES;
	else
		f.usable = l->failing || l->no_way || l->fact.secret == NO || (l->fact.checked && l->fact.health != SLURM_UP) ? NO : UNKNOWN;
	if (f.usable != YES && str_empty(f.trouble))
		f.trouble = "Slurm has not answered yet";
	return f;
}

struct slurm_node_fact slurm_link_node(struct slurm_link *l, const char *name)
{
	struct slurm_node_fact f = { .reason = "", .comment = "" };
	if (!l->nodes_seen_ms || slurm_link_slurm(l).usable != YES)
		return f;
	struct node *n = link_node_find(l, name);
	if (!n) {
		n = link_node_make(l, name);
		n->known = NO;
		n->absent_since_ms = l->nodes_seen_ms;
	}
	f.known = n->known;
	f.seen_ms = n->known == YES && n->seen_ms > l->nodes_seen_ms ? n->seen_ms : l->nodes_seen_ms;
	f.absent_since_ms = n->absent_since_ms;
	f.in_flight = n->in_flight_until_ms != 0;
	if (n->known == YES) {
		f.state = n->state;
		f.reason = n->reason ? n->reason : "";
		f.comment = n->comment ? n->comment : "";
		f.busy_until_s = n->busy_until_s;
	}
	return f;
}
