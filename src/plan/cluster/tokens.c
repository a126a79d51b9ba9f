/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when tokens are written into other Secrets, and makes the condition. */
#include "plan/cluster/tokens.h"

#include "api/cluster.h"
#include "base/str.h"
#include "object/metadata.h"
#include "plan/grace.h"

enum { CLOCKS_S = 60 }; /* maximum difference of two clocks */

/*
 * A token that begins in the future is replaced: this clock was set back, or the clock of
 * another manager was ahead by more than CLOCKS_S.
 */
static bool is_due(const struct recipient_fact *r, int64_t now_s)
{
	int64_t life_s = r->ends_s - r->begins_s;
	return !r->current || life_s != r->who.life_s || now_s >= r->begins_s + life_s / 2 ||
		r->begins_s > now_s + CLOCKS_S;
}

static bool is_writable(const struct recipient_fact *r)
{
	return r->known == YES && str_empty(r->trouble) && r->consents && r->permitted == YES;
}

static void order(const struct cluster_view *v, const struct recipient_fact *r, struct plan *out)
{
	struct action *a = plan_add(out, DO(WRITE_TOKEN, SECRET),
		arena_printf(out->arena, "Secret %s is to have a current token of user %s",
			r->who.secret, r->who.user));
	a->ns = metadata_of(v->object).ns;
	a->name = r->who.secret;
	a->guard.uid = r->uid;
	a->guard.resource_version = r->resource_version;
}

void order_tokens(const struct cluster_view *v, int64_t now_wall_ms, struct plan *out)
{
	int64_t now_s = now_wall_ms / 1000;
	for (size_t i = 0; i < v->recipients.n; i++) {
		const struct recipient_fact *r = &v->recipients.all[i];
		if (r->known == NO)
			plan_again(out, grace_left_ms(v->object, now_wall_ms));
		if (!v->recipients.mintable || !is_writable(r) || r->in_flight)
			plan_again(out, (r->ends_s - now_s) * INT64_C(1000));
		else if (is_due(r, now_s))
			order(v, r, out);
		else
			plan_again(out, (r->begins_s + r->who.life_s / 2 - now_s) * INT64_C(1000));
	}
}

/* ---- the condition ---- */

/* reason NULL: nothing is wrong. */
struct finding {
	const char *reason, *text;
	bool unclear; /* the cause may disappear in a moment */
};

static const char *failure_of(const struct cluster_view *v, const char *secret)
{
	for (size_t i = 0; i < v->n_failing; i++)
		if (operation_is(v->failing[i].operation, DO(WRITE_TOKEN, SECRET)) &&
			str_eq(v->failing[i].name, secret))
			return v->failing[i].sentence;
	return NULL;
}

/* Why the operator may not write into this Secret. */
static struct finding why_not(const struct cluster_view *v, const struct recipient_fact *r,
	int64_t now_wall_ms, struct arena *a)
{
	struct metadata m = metadata_of(v->object);
	if (!str_empty(r->trouble))
		return (struct finding){ "NotReadable", r->trouble, false };
	if (r->known == UNKNOWN || (r->known == NO && grace_left_ms(v->object, now_wall_ms)))
		return (struct finding){ .unclear = true };
	if (r->known == NO)
		return (struct finding){ "SecretMissing",
			arena_printf(a,
				"Secret %s/%s does not exist: create it, with the annotation " ANNOTATION_TOKEN_OF
				"=%s",
				m.ns, r->who.secret, m.name),
			false };
	return (struct finding){ "NoConsent",
		arena_printf(a,
			"nothing is written into Secret %s/%s, because it lacks the annotation " ANNOTATION_TOKEN_OF
			"=%s",
			m.ns, r->who.secret, m.name),
		false };
}

static struct finding not_named(const struct cluster_view *v, const struct recipient_fact *r,
	struct arena *a)
{
	struct cluster spec;
	cluster_read(v->object, &spec);
	return (struct finding){ "UserNotNamed",
		arena_printf(a,
			"no token of user %s is written, because Secret %s/%s with the key does not name that user in its annotation " ANNOTATION_TOKEN_USERS,
			r->who.user, spec.ns, cluster_secret(&spec)),
		false };
}

/* A Secret that cannot get a new token may still have a valid one. */
static struct finding why_old(const struct cluster_view *v, const struct recipient_fact *r,
	int64_t now_s, struct arena *a)
{
	const char *failure = failure_of(v, r->who.secret);
	if (failure)
		return (struct finding){ "NotWritten",
			arena_printf(a, "Secret %s/%s: %s", metadata_of(v->object).ns,
				r->who.secret, failure),
			false };
	bool heard = v->link.checked || !str_empty(v->link.trouble);
	if (v->recipients.mintable || !heard || r->ends_s > now_s)
		return (struct finding){ .unclear = true };
	return (struct finding){ "NotWritten",
		arena_printf(a,
			"Secret %s/%s has no valid token, and none can be made until Slurm accepts a token of the key",
			metadata_of(v->object).ns, r->who.secret),
		false };
}

static struct finding look_at(const struct cluster_view *v, const struct recipient_fact *r,
	int64_t now_wall_ms, struct arena *a)
{
	int64_t now_s = now_wall_ms / 1000;
	if (r->known != YES || !str_empty(r->trouble) || !r->consents)
		return why_not(v, r, now_wall_ms, a);
	if (r->permitted == NO)
		return not_named(v, r, a);
	return is_due(r, now_s) ? why_old(v, r, now_s, a) : (struct finding){ 0 };
}

enum tokens_said tokens_condition(const struct cluster_view *v, int64_t now_wall_ms,
	struct arena *a, struct condition *out)
{
	bool unclear = false;
	*out = (struct condition){ "TokensWritten", COND_TRUE, "Written",
		"each Secret of spec.token.writeTo has a current token" };
	for (size_t i = 0; i < v->recipients.n; i++) {
		struct finding f = look_at(v, &v->recipients.all[i], now_wall_ms, a);
		unclear |= f.unclear;
		if (!f.reason)
			continue;
		out->message = out->status == COND_FALSE
			? arena_printf(a, "%s; %s", out->message, f.text)
			: f.text;
		out->reason = out->status == COND_FALSE ? out->reason : f.reason;
		out->status = COND_FALSE;
	}
	if (!v->recipients.n)
		return TOKENS_NONE;
	return unclear && out->status == COND_TRUE ? TOKENS_STAYS : TOKENS_SAID;
}
