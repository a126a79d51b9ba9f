#include "engine/slurm_link.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "engine/link_parts.h"

void link_changed(struct slurm_link *l) { l->config.changed(l->config.ctx, l); }

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

static void update_free(struct update *u)
{
	struct update **at = &u->l->updates;
	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	for (size_t i = 0; i < u->n; i++)
		free(u->names[i]);
	free(u->names);
	free(u);
}

/* The client goes away with updates unanswered: whoever waits is told that nobody knows. */
static void updates_lost(struct slurm_link *l, bool tell)
{
	while (l->updates) {
		slurm_done *done = l->updates->done;
		void *ctx = l->updates->ctx;
		update_free(l->updates);
		if (tell)
			done(ctx, err_new(ERR_LOST, "Slurm cluster %s/%s was replaced while an update was under way", l->ns, l->cluster));
	}
}

static void node_free(struct slurm_link *l, struct node *n)
{
	HASH_DEL(l->nodes, n);
	free(n->name);
	free(n->reason);
	free(n->comment);
	free(n);
}

void link_forget(struct slurm_link *l)
{
	struct node *n, *next;
	slurm_free(TAKE(l->slurm));
	link_watch_end(l);
	updates_lost(l, true);
	HASH_ITER(hh, l->nodes, n, next) node_free(l, n);
	timer_stop(l->config.loop, TAKE(l->read_timer));
	l->nodes_seen_ms = l->jobs_seen_ms = 0;
	l->reading = l->read_again = l->reading_jobs = l->checking = l->failing = false;
	l->fact.checked = false;
	l->version[0] = '\0';
}

void slurm_link_free(struct slurm_link *l)
{
	if (!l)
		return;
	slurm_free(TAKE(l->slurm));
	updates_lost(l, false);
	link_forget(l);
	timer_stop(l->config.loop, l->check_timer);
	http_cancel(l->config.kube->http, l->secret_call);
	free(l->ns);
	free(l->cluster);
	free(l->server);
	free(l->secret_name);
	if (l->token)
		explicit_bzero(l->token, strlen(l->token));
	free(l->token);
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
	free(TAKE(l->token));
	l->server = own_strdup(server ? server : "");
	l->secret_name = own_strdup(secret_name ? secret_name : "");
	l->fact.secret = UNKNOWN;
	l->no_way = false;
	link_set_trouble(l, "");
	http_cancel(l->config.kube->http, TAKE(l->secret_call));
	timer_stop(l->config.loop, l->check_timer);
	l->check_timer = timer_start(l->config.loop, 0, link_check_start, l);
}

/* ---- nodes ---- */

struct node *link_node_find(struct slurm_link *l, const char *name)
{
	struct node *n;
	HASH_FIND_STR(l->nodes, name, n);
	return n;
}

struct node *link_node_make(struct slurm_link *l, const char *name)
{
	struct node *n = link_node_find(l, name);
	if (n)
		return n;
	n = own_alloc(sizeof(*n));
	n->name = own_strdup(name);
	HASH_ADD_KEYPTR(hh, l->nodes, n->name, strlen(n->name), n);
	return n;
}

void link_node_seen(struct slurm_link *l, const struct slurm_node *seen)
{
	struct node *n = link_node_make(l, seen->name);
	if (n->seen_ms > seen->asked_ms)
		return;
	n->seen_ms = seen->asked_ms;
	if (n->in_flight_until_ms <= seen->asked_ms)
		n->in_flight_until_ms = 0;
	n->known = YES;
	n->absent_since_ms = 0;
	n->state = seen->state;
	if (!str_eq(n->reason, seen->reason) || !n->reason) {
		free(n->reason);
		n->reason = own_strdup(seen->reason ? seen->reason : "");
	}
	if (!str_eq(n->comment, seen->comment) || !n->comment) {
		free(n->comment);
		n->comment = own_strdup(seen->comment ? seen->comment : "");
	}
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

/* ---- updates ---- */

static void updated(void *ctx, struct err err)
{
	struct update *u = ctx;
	int64_t now = loop_now_ms(u->l->config.loop);
	for (size_t i = 0; i < u->n; i++) {
		struct node *n = link_node_find(u->l, u->names[i]);
		if (n && --n->under_way == 0)
			n->in_flight_until_ms = now;
	}
	/* Whatever Slurm said: what counts is what the nodes say now. On a comment nothing depends that could not wait for the next list. */
	if (u->what != SLURM_COMMENT) {
		u->l->read_again = true;
		if (!u->l->reading)
			link_read_schedule(u->l, 0);
	}
	slurm_done *done = u->done;
	void *done_ctx = u->ctx;
	update_free(u);
	done(done_ctx, err);
}

void slurm_link_update(struct slurm_link *l, enum slurm_update what, const char *const *names, size_t n, const char *text, slurm_done *done, void *ctx)
{
	if (!l->slurm) {
		done(ctx, err_new(ERR_RETRY, "Slurm cluster %s/%s has no client yet", l->ns, l->cluster));
		return;
	}
	struct update *u = own_alloc(sizeof(*u));
	*u = (struct update){ l->updates, l, what, own_alloc(n * sizeof(char *)), n, done, ctx };
	l->updates = u;
	for (size_t i = 0; i < n; i++) {
		u->names[i] = own_strdup(names[i]);
		struct node *node = link_node_make(l, names[i]);
		node->under_way++;
		node->in_flight_until_ms = INT64_MAX;
	}
	slurm_update_nodes(l->slurm, what, names, n, text, updated, u);
}
