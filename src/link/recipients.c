/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes tokens of the key into Secrets of users: reads these Secrets periodically, and
 * writes when it is called.
 */
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "base/time.h"
#include "json/build.h"
#include "link/parts.h"
#include "object/metadata.h"
#include "slurm/rest/mint.h"
#include "slurm/rest/token.h"

enum {
	READ_MS = 60000, /* while the Secret is as it should be */
	WRITE_MS = 30000,
	PATCH_BYTES = 64,  /* of a patch, besides metadata and token */
	OURS_BYTES = 1024, /* a longer text cannot be our token, and is not kept */
};

/* ---- facts ---- */

static bool is_well(const struct recipient_secret *r)
{
	return r->known == YES && r->consents && str_empty(r->trouble);
}

static void forget(struct recipient_secret *r)
{
	own_wipe(TAKE(r->token));
	free(TAKE(r->uid));
	free(TAKE(r->version));
	r->consents = false;
}

static char *token_in(const struct json *secret)
{
	char *token = link_secret_text(secret, TOKEN_MEMBER);
	if (token && strlen(token) > OURS_BYTES)
		own_wipe(TAKE(token));
	return token;
}

/* Stores the content of the Secret. Returns true if it changed. */
static bool take(struct recipient_secret *r, const struct json *secret)
{
	struct metadata m = metadata_of(secret);
	char *token = token_in(secret);
	bool consents =
		str_eq(json_str(json_at(secret, "metadata", "annotations", ANNOTATION_TOKEN_OF),
			       ""),
			r->l->cluster);
	bool news = r->known != YES || !is_well(r) != !consents || !str_eq(token, r->token) ||
		!str_eq(m.uid, r->uid);
	forget(r);
	r->known = YES;
	r->trouble[0] = '\0';
	r->consents = consents;
	r->token = token;
	r->uid = own_strdup(m.uid);
	r->version = own_strdup(m.resource_version);
	return news;
}

static bool missing(struct recipient_secret *r)
{
	bool news = r->known != NO;
	forget(r);
	r->known = NO;
	r->trouble[0] = '\0';
	return news;
}

/* Keeps the facts about the Secret. Other code reports that the API server is away. */
static bool unreadable(struct recipient_secret *r, struct err err)
{
	if (err.kind != ERR_DENIED)
		return false;
	struct err e = err_wrap(err, "reading Secret %s/%s", r->l->ns, r->name);
	bool news = !str_eq(r->trouble, e.text);
	memcpy(r->trouble, e.text, sizeof(r->trouble));
	return news;
}

bool link_recipients_users(struct slurm_link *l, const struct json *secret)
{
	const char *users =
		json_str(json_at(secret, "metadata", "annotations", ANNOTATION_TOKEN_USERS), NULL);
	bool news = l->n_recipients && !str_eq(users ? users : "", l->token_users);
	free(l->token_users);
	l->token_users = own_strdup(users ? users : "");
	return news;
}

bool link_recipients_lack_user(const struct slurm_link *l)
{
	for (size_t i = 0; i < l->n_recipients; i++)
		if (!list_names(l->token_users, l->recipients[i].user))
			return true;
	return false;
}

/* ---- reading ---- */

static void answered(void *ctx, struct err err, const struct json *secret, int64_t retry_after_ms)
{
	struct recipient_secret *r = ctx;
	(void)retry_after_ms;
	r->call = NULL;
	r->read_ms = loop_now_ms(r->l->config.loop);
	bool news = !failed(err)            ? take(r, secret)
		: err.kind == ERR_NOT_FOUND ? missing(r)
					    : unreadable(r, err);
	if (news)
		link_changed(r->l);
}

static void read_secret(struct recipient_secret *r)
{
	r->call = link_secret_read(r->l, r->name, answered, r);
}

void link_recipients_look(struct slurm_link *l)
{
	int64_t now_ms = loop_now_ms(l->config.loop);
	for (size_t i = 0; i < l->n_recipients; i++) {
		struct recipient_secret *r = &l->recipients[i];
		bool old = !r->read_ms || !is_well(r) || now_ms - r->read_ms >= READ_MS;
		if (old && !r->call)
			read_secret(r);
	}
}

/* ---- writing ---- */

static void ended(struct recipient_secret *r, struct err err)
{
	slurm_done *done = TAKE(r->done);
	if (done)
		done(r->ctx, err);
}

static void written(void *ctx, struct err err, const struct json *secret, int64_t retry_after_ms)
{
	struct recipient_secret *r = ctx;
	(void)retry_after_ms;
	r->call = NULL;
	r->read_ms = loop_now_ms(r->l->config.loop);
	if (!failed(err)) {
		take(r, secret);
	} else { /* the write may have happened, so read the Secret */
		r->read_ms = 0;
		read_secret(r);
	}
	ended(r, err);
}

/* Builds the patch. The token is never copied to the arena, which is not wiped. */
static void add_patch(struct str *out, const char *token, int64_t ends_s, const char *uid,
	const char *version)
{
	AUTO(arena_free) struct arena a = { 0 };
	AUTO(own_wipe_at) char *bytes = base64_encode(token, strlen(token));
	char ends[TIME_RFC3339_BYTES];
	struct jdoc *d = jdoc_new(&a);
	struct jval *patch = patch_of(d, uid, version);
	time_format(ends_s * 1000, ends);
	j_set_str(d, j_child(d, patch_metadata(d, patch), "annotations"), ANNOTATION_TOKEN_EXPIRES,
		ends);
	const char *metadata = j_text(d, patch);
	str_reserve(out, strlen(metadata) + strlen(bytes) + PATCH_BYTES);
	str_add_bytes(out, metadata, strlen(metadata) - 1);
	str_addf(out, ",\"data\":{\"" TOKEN_MEMBER "\":\"%s\"}}", bytes);
}

static struct err send(struct recipient_secret *r, const char *uid, const char *version)
{
	AUTO(arena_free) struct arena a = { 0 };
	AUTO(own_wipe_at) char *token = NULL;
	AUTO(str_wipe) struct str body = { 0 };
	struct slurm_link *l = r->l;
	int64_t now_s = loop_wall_ms(l->config.loop) / 1000;
	struct err e = token_mint(l->key, r->user, now_s, r->life_s, &token);
	if (failed(e))
		return err_wrap(e, "the key of Secret %s/%s cannot be used", l->ns, l->secret_name);
	add_patch(&body, token, now_s + r->life_s, uid, version);
	struct kube_request request = {
		.method = "PATCH",
		.path = resource_path(&a, RES_SECRET, l->ns, r->name, NULL),
		.patch = PATCH_MERGE,
		.body = str_text(&body),
		.timeout_ms = WRITE_MS,
		.leave_by_ms = l->config.until_ms,
		.secret = true,
	};
	r->call = kube_send(l->config.kube, &request, written, r);
	return OK;
}

static bool is_mintable(const struct slurm_link *l)
{
	return l->key && l->key_taken && l->fact.checked && !link_pass_refused(l);
}

static bool may_write(const struct recipient_secret *r)
{
	return is_mintable(r->l) && is_well(r) && !r->call &&
		list_names(r->l->token_users, r->user) && !str_eq(r->name, r->l->secret_name);
}

static struct recipient_secret *find(struct slurm_link *l, const char *name)
{
	for (size_t i = 0; i < l->n_recipients; i++)
		if (str_eq(l->recipients[i].name, name))
			return &l->recipients[i];
	return NULL;
}

void slurm_link_write_token(struct slurm_link *l, const char *secret, const char *uid,
	const char *resource_version, slurm_done *done, void *ctx)
{
	struct recipient_secret *r = find(l, secret);
	struct err e = err_new(ERR_RETRY, "no token may be written into Secret %s/%s now", l->ns,
		secret);
	if (r && may_write(r))
		e = send(r, uid, resource_version);
	if (failed(e)) {
		done(ctx, e);
		return;
	}
	r->done = done;
	r->ctx = ctx;
}

/* ---- the list of recipients ---- */

static bool are_these(const struct slurm_link *l, const struct recipient *all, size_t n)
{
	bool same = l->n_recipients == n;
	for (size_t i = 0; i < n && same; i++)
		same = str_eq(l->recipients[i].name, all[i].secret) &&
			str_eq(l->recipients[i].user, all[i].user) &&
			l->recipients[i].life_s == all[i].life_s;
	return same;
}

/*
 * Empties the list first: the caller of a write may read the list when it gets its error.
 */
void link_recipients_free(struct slurm_link *l)
{
	struct recipient_secret *all = TAKE(l->recipients);
	size_t n = l->n_recipients;
	l->n_recipients = 0;
	for (size_t i = 0; i < n; i++) {
		http_cancel(l->config.kube->http, TAKE(all[i].call));
		forget(&all[i]);
		ended(&all[i],
			err_new(ERR_LOST,
				"Secret %s/%s was removed from the recipients while it was written",
				l->ns, all[i].name));
		free(all[i].name);
		free(all[i].user);
	}
	free(all);
}

void slurm_link_set_recipients(struct slurm_link *l, const struct recipient *all, size_t n)
{
	if (are_these(l, all, n))
		return;
	link_recipients_free(l);
	l->recipients = own_alloc((n + 1) * sizeof(*l->recipients));
	l->n_recipients = n;
	for (size_t i = 0; i < n; i++)
		l->recipients[i] = (struct recipient_secret){
			.l = l,
			.name = own_strdup(all[i].secret),
			.user = own_strdup(all[i].user),
			.life_s = all[i].life_s,
		};
	link_recipients_look(l);
}

static struct recipient_fact fact_of(const struct recipient_secret *r)
{
	struct recipient_fact f = {
		.who = { r->name, r->user, r->life_s },
		.known = r->known,
		.trouble = r->trouble,
		.uid = r->uid,
		.resource_version = r->version,
		.consents = r->consents,
		.permitted = !r->l->token_users                  ? UNKNOWN
			: list_names(r->l->token_users, r->user) ? YES
								 : NO,
		.in_flight = r->done || !r->read_ms,
	};
	if (r->l->key)
		f.current = token_is_minted(r->token, r->l->key, r->user, &f.begins_s, &f.ends_s);
	else
		token_times(r->token, &f.begins_s, &f.ends_s);
	return f;
}

struct recipients_fact slurm_link_recipients(const struct slurm_link *l, struct arena *a)
{
	struct recipient_fact *all = arena_array(a, struct recipient_fact, l->n_recipients + 1);
	for (size_t i = 0; i < l->n_recipients; i++)
		all[i] = fact_of(&l->recipients[i]);
	return (struct recipients_fact){ is_mintable(l), all, l->n_recipients };
}
