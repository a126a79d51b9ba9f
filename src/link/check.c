/* SPDX-License-Identifier: Apache-2.0 */
/* The periodic check of a link: token Secret, client, ping. */
#include <string.h>

#include "base/log.h"
#include "base/own.h"
#include "base/str.h"
#include "link/parts.h"
#include "slurm/rest/token.h"

enum {
	CHECK_MS = 10000,
	SECRET_MS = 60000, /* while the token works */
};

/* This file makes and frees the client. */
void link_forget(struct slurm_link *l)
{
	http_cancel(l->config.kube->http, TAKE(l->secret_call));
	slurm_free(TAKE(l->slurm));
	for (enum question q = 0; q < ASK_COUNT; q++)
		l->questions[q]->end(l);
	l->checking = l->fact.checked = false;
	l->version[0] = '\0';
	link_take_over(l); /* the nodes of its updates are forgotten, too */
	link_updates_lost(l);
	link_looks_lost(l);
}

static void check_in(struct slurm_link *l, int64_t ms)
{
	l->checking = false;
	timer_stop(l->config.loop, l->check_timer);
	l->check_timer = timer_start(l->config.loop, ms, link_check_start, l);
}

static void check_again(struct slurm_link *l) { check_in(l, CHECK_MS); }

/*
 * True if the Secret must be read again: once a minute while all is well, otherwise with
 * each check, and at once if Slurm refuses a token that this check did not read.
 */
static bool secret_is_old(const struct slurm_link *l)
{
	bool well = l->fact.checked && l->fact.health == SLURM_UP && str_empty(l->secret_trouble) &&
		!link_recipients_lack_user(l);
	return !l->slurm || !l->secret_ms || !well ||
		loop_now_ms(l->config.loop) - l->secret_ms >= SECRET_MS;
}

/* Adds the reason of a refusal, if the token itself shows it. */
static struct err about_token(struct slurm_link *l, enum slurm_health health, struct err err)
{
	struct str why AUTO(str_free) = { 0 };
	l->fact.token_expired = false;
	if (health != SLURM_DENIED)
		return err;
	if (l->key)
		return err_new(err.kind,
			"the token that was made of the key in Secret %s/%s is refused (%.200s)",
			l->ns, l->secret_name, err.text);
	enum token_flaw flaw = token_look(l->token, loop_wall_ms(l->config.loop) / 1000, &why);
	l->fact.token_expired = flaw == TOKEN_EXPIRED;
	return flaw == TOKEN_FINE
		? err
		: err_new(err.kind, "the token in Secret %s/%s cannot be used: %s (%.200s)", l->ns,
			  l->secret_name, str_text(&why), err.text);
}

/* Logs each kind of error once, because slurmrestd may word each answer differently. */
static void log_health(struct slurm_link *l)
{
	const struct link_fact *f = &l->fact;
	if (l->logged && l->logged_health == f->health && l->logged_expired == f->token_expired)
		return;
	l->logged = true;
	l->logged_health = f->health;
	l->logged_expired = f->token_expired;
	if (f->health == SLURM_UP)
		log_info("Slurm answers", "namespace", l->ns, "cluster", l->cluster, "version",
			l->version);
	else
		log_warn("Slurm is not usable", "namespace", l->ns, "cluster", l->cluster, "why",
			l->trouble);
}

static void pinged(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	struct slurm_link *l = ctx;
	err = about_token(l, health, err);
	const char *trouble = failed(err) ? err.text : l->secret_trouble;
	bool news = !l->fact.checked || l->fact.health != health || !str_eq(l->trouble, trouble);
	bool back = l->fact.checked && l->fact.health != SLURM_UP && health == SLURM_UP;
	l->fact.checked = true;
	l->fact.health = health;
	l->key_taken |= l->key && health == SLURM_UP;
	link_note_cluster(l);
	link_set_trouble(l, trouble);
	memset(l->version, 0, sizeof(l->version));
	if (version)
		memcpy(l->version, version, strnlen(version, sizeof(l->version) - 1));
	log_health(l);
	if (back)
		link_back(l);
	if (health == SLURM_UP && !l->reading && !l->read_timer)
		link_read_schedule(l, 0);
	check_in(l, health == SLURM_DENIED && !l->secret_asked ? 0 : CHECK_MS);
	if (news)
		link_changed(l);
}

static bool has_node(void *l, const char *name) { return link_node_find(l, name); }

static const struct http_listeners own_users = {
	.remedy =
		"the token would be theirs: let slurmrestd, or a proxy before it, speak https, or run it as root or as the user of the manager",
};

static void ping(struct slurm_link *l)
{
	link_pass_renew(l);
	if (!l->slurm) {
		struct http *http = NULL;
		struct http_config config = {
			.base_url = l->server,
			.ca_pem = l->ca_pem,
			.max_in_flight = 32,
			.refuse_local = !l->config.servers.allow_local,
			.no_proxy = true, /* a proxy would see the token */
			.listeners = &own_users,
		};
		struct err e = l->config.http_new(l->config.http_ctx, &config, &http);
		if (failed(e)) {
			pinged(l, SLURM_UNREACHABLE, e, NULL);
			return;
		}
		l->slurm = slurm_new(l->config.loop, http, l->token);
		slurm_pays_from(l->slurm, l->quota);
		slurm_counts(l->slurm, &l->requests);
		slurm_user_has(l->slurm, has_node, l);
		slurm_expect_cluster(l->slurm, l->meant);
		slurm_may_change(l->slurm, l->config.until_ms);
	}
	slurm_ping(l->slurm, pinged, l);
}

/* Removes the client, so that no request is sent any more. */
static void secret_unusable(struct slurm_link *l, enum tri secret, enum consent consent,
	const char *why)
{
	bool news = l->fact.secret != secret || l->fact.consent != consent ||
		!str_eq(l->trouble, why);
	link_forget(l);
	link_pass_drop(l);
	l->fact.secret = secret;
	l->fact.consent = consent;
	link_set_trouble(l, why);
	check_again(l);
	l->logged = false;
	if (news)
		log_warn("Slurm is not usable", "namespace", l->ns, "cluster", l->cluster, "why",
			why);
	if (news)
		link_changed(l);
}

static void secret_missing(struct slurm_link *l, const char *why)
{
	secret_unusable(l, NO, CONSENT_UNKNOWN, why);
}

/* The error does not name the servers of the Secret: only its readers may know them. */
static void not_consented(struct slurm_link *l)
{
	struct err e = err_new(ERR_DENIED,
		"Secret %s/%s does not name %.200s in its annotation " ANNOTATION_SERVERS
		", so its token is not sent there",
		l->ns, l->secret_name, l->server);
	secret_unusable(l, YES, CONSENT_REFUSED, e.text);
}

static void use_pass(struct slurm_link *l, const struct json *secret, enum consent consent)
{
	AUTO(own_free) char *ca = link_secret_text(secret, "ca.crt");
	bool another = false, said = consent != l->fact.consent;
	l->secret_trouble[0] = '\0';
	said |= link_recipients_users(l, secret);
	struct err e = link_pass_read(l, secret, &another);
	if (failed(e)) {
		secret_missing(l, e.text);
		return;
	}
	if (!str_eq(ca, l->ca_pem))
		link_forget(l);
	free(l->ca_pem);
	l->ca_pem = TAKE(ca);
	l->fact.secret = YES;
	l->secret_ms = loop_now_ms(l->config.loop);
	l->fact.consent = consent;
	l->unusable = false;
	if (another)
		link_well_again(l);
	if (another && l->config.new_token)
		l->config.new_token(l->config.ctx, l);
	ping(l);
	if (said)
		link_changed(l);
}

/* A key can make tokens of every user, so its Secret must name the server. */
static void use_secret(struct slurm_link *l, const struct json *secret)
{
	bool required = l->user || l->config.servers.require_consent;
	enum consent consent = consent_of(secret, l->server, required);
	if (consent == CONSENT_REFUSED)
		not_consented(l);
	else
		use_pass(l, secret, consent);
}

/*
 * Other code reports that the API server is away. A missing role must be reported here,
 * because it hides each new token.
 */
static void note_unreadable(struct slurm_link *l, struct err err)
{
	if (err.kind != ERR_DENIED)
		return;
	struct err e = err_new(err.kind,
		"but Secret %s/%s cannot be read any more, so that a new token would not be used: %.200s%s",
		l->ns, l->secret_name, err.text, kube_remedy(err));
	memcpy(l->secret_trouble, e.text, sizeof(l->secret_trouble));
}

static void secret_read(void *ctx, struct err err, const struct json *secret,
	int64_t retry_after_ms)
{
	struct slurm_link *l = ctx;
	(void)retry_after_ms;
	l->secret_call = NULL;
	if (!failed(err)) {
		use_secret(l, secret);
	} else if (err.kind == ERR_NOT_FOUND) {
		struct err e = err_new(ERR_NOT_FOUND, "Secret %s/%s with the %s does not exist",
			l->ns, l->secret_name, l->user ? "JWT key of Slurm" : "Slurm token");
		secret_missing(l, e.text);
	} else if (l->token) {
		note_unreadable(l, err);
		/* the API server is away, so the present token is still the best one */
		ping(l);
	} else {
		struct err e = err_wrap(err, "reading Secret %s/%s", l->ns, l->secret_name);
		l->unusable = true;
		link_set_trouble(l, e.text);
		check_again(l);
		link_changed(l);
	}
}

void link_check_start(void *ctx)
{
	struct slurm_link *l = ctx;
	l->check_timer = NULL;
	if (l->checking || l->fact.forbidden)
		return;
	l->checking = true;
	link_recipients_look(l);
	l->secret_asked = secret_is_old(l);
	if (l->secret_asked)
		l->secret_call = link_secret_read(l, l->secret_name, secret_read, l);
	else
		ping(l);
}
