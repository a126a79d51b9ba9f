/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the webhook's authority: judges them, and makes new ones. */
#include "webhook/authority_parts.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "json/build.h"

void keys_free(struct keys *k)
{
	x509_pair_free(&k->server);
	free(TAKE(k->bundle));
	own_wipe(TAKE(k->ca_key));
}

/* ---- the Secret ---- */

static char *decoded(const struct json *secret, const char *key)
{
	const char *text = json_str(json_at(secret, "data", key), "");
	char *out = NULL;
	size_t n;
	return *text && base64_decode(text, strlen(text), &out, &n) ? out : NULL;
}

struct keys keys_read(const struct json *secret)
{
	return (struct keys){
		.server = { decoded(secret, "tls.crt"), decoded(secret, "tls.key") },
		.bundle = decoded(secret, "ca.crt"),
		.ca_key = decoded(secret, "ca.key"),
	};
}

static void set(struct jdoc *d, struct jval *data, const char *key, const char *text)
{
	AUTO(own_wipe_at) char *packed = base64_encode(text, strlen(text));
	j_set_str(d, data, key, packed);
}

void keys_write(struct jdoc *d, struct jval *data, const struct keys *k)
{
	set(d, data, "tls.crt", k->server.cert_pem);
	set(d, data, "tls.key", k->server.key_pem);
	set(d, data, "ca.crt", k->bundle);
	set(d, data, "ca.key", k->ca_key);
}

/* ---- names ---- */

struct names names_of(const char *service, const char *ns)
{
	struct str texts[NAMES_MOST] = { 0 };
	struct names n;
	str_addf(&texts[0], "%s.%s.svc", service, ns);
	str_addf(&texts[1], "%s.%s.svc.cluster.local", service, ns);
	str_addf(&texts[2], "%s.%s", service, ns);
	str_add(&texts[3], service);
	for (size_t i = 0; i < NAMES_MOST; i++)
		n.list[i] = str_take(&texts[i]);
	return n;
}

void names_free(struct names *n)
{
	for (size_t i = 0; i < NAMES_MOST; i++)
		free(TAKE(n->list[i]));
}

/* ---- judging ---- */

static size_t count(const char *bundle)
{
	size_t n = 0;
	for (char *one; (one = x509_next(&bundle)); free(one))
		n++;
	return n;
}

/* The index in the bundle of the certificate that signed cert; -1: none signed it. */
static int signer_of(const char *cert, const char *bundle)
{
	int found = -1, i = 0;
	for (char *one; (one = x509_next(&bundle)); free(one), i++)
		if (found < 0 && x509_signed_by(cert, one))
			found = i;
	return found;
}

static bool is_for_all(const char *cert, const struct names *names)
{
	for (size_t i = 0; i < NAMES_MOST; i++)
		if (!x509_is_for(cert, names->list[i]))
			return false;
	return true;
}

static bool valid(const struct x509_facts *f, int64_t now_s)
{
	return f->from_s <= now_s && now_s < f->until_s;
}

static void judge_ca(const struct keys *k, int64_t now_s, struct authority_facts *f)
{
	const char *at = k->bundle;
	AUTO(own_free) char *first = x509_next(&at);
	struct x509_facts ca;
	if (!first || failed(x509_read(first, &ca)))
		return;
	f->n_authorities = count(k->bundle);
	f->ca_made_s = ca.from_s + BACKDATED_S;
	f->ca_until_s = ca.until_s;
	f->ca_usable = k->ca_key && ca.authority && valid(&ca, now_s) &&
		x509_key_fits(first, k->ca_key);
}

struct authority_facts keys_judge(const struct keys *k, const struct names *names, int64_t now_s)
{
	struct authority_facts f = { 0 };
	struct x509_facts server;
	judge_ca(k, now_s, &f);
	if (!k->server.cert_pem || !k->server.key_pem ||
		failed(x509_read(k->server.cert_pem, &server)))
		return f;
	int signer = signer_of(k->server.cert_pem, k->bundle);
	f.server_made_s = server.from_s + BACKDATED_S;
	f.server_until_s = server.until_s;
	f.server_of_newest = signer == 0;
	f.server_good = signer >= 0 && valid(&server, now_s) &&
		is_for_all(k->server.cert_pem, names) &&
		x509_key_fits(k->server.cert_pem, k->server.key_pem);
	return f;
}

static bool is_near(int64_t until_s, int64_t now_s, int64_t days)
{
	return until_s - now_s < days * DAY_S;
}

enum authority_step authority_decide(const struct authority_facts *f, int64_t now_s,
	int64_t overlap_s)
{
	bool seen = f->published && now_s - f->ca_made_s >= overlap_s;
	bool last_moment = f->server_until_s - now_s < overlap_s;
	if (!f->server_good)
		return f->ca_usable ? AUTHORITY_NEW_SERVER : AUTHORITY_BEGIN;
	if (!f->stored || !f->ca_usable || is_near(f->ca_until_s, now_s, CA_RENEW_DAYS))
		return AUTHORITY_NEW_CA;
	if ((!f->server_of_newest || is_near(f->server_until_s, now_s, SERVER_RENEW_DAYS)) &&
		(seen || last_moment))
		return AUTHORITY_NEW_SERVER;
	if (f->server_of_newest && f->n_authorities > 1 && now_s - f->server_made_s >= overlap_s)
		return AUTHORITY_DROP_OLD;
	return AUTHORITY_REST;
}

/* ---- making ---- */

static struct err make_ca(int64_t now_s, struct x509_pair *out)
{
	struct str name AUTO(str_free) = { 0 };
	str_addf(&name, "slurm-operator-webhook-ca-%lld", (long long)now_s);
	struct x509_wish w = {
		.name = str_text(&name),
		.from_s = now_s - BACKDATED_S,
		.until_s = now_s + (int64_t)CA_DAYS * DAY_S,
	};
	return x509_make_authority(&w, out);
}

static struct err make_server(const struct names *names, int64_t now_s, const struct x509_pair *ca,
	struct x509_pair *out)
{
	struct x509_wish w = {
		.name = "slurm-operator-webhook",
		.dns = (const char *const *)names->list,
		.n_dns = NAMES_MOST,
		.from_s = now_s - BACKDATED_S,
		.until_s = now_s + (int64_t)SERVER_DAYS * DAY_S,
	};
	return x509_make_server(&w, ca, out);
}

/* A bundle of the first CA and the valid ones of the others. */
static char *bundle_of(const char *first, const char *others, int64_t now_s)
{
	struct str out = { 0 };
	int n = 1;
	str_add(&out, first);
	for (char *one; (one = x509_next(&others)); free(one)) {
		struct x509_facts f;
		if (!str_eq(one, first) && n < BUNDLE_MOST && !failed(x509_read(one, &f)) &&
			f.until_s > now_s) {
			str_add(&out, one);
			n++;
		}
	}
	return str_take(&out);
}

static void copy_pair(struct x509_pair *to, const struct x509_pair *from)
{
	to->cert_pem = own_strdup(from->cert_pem);
	to->key_pem = own_strdup(from->key_pem);
}

struct err keys_after(enum authority_step step, const struct keys *k, const struct names *names,
	int64_t now_s, struct keys *out)
{
	bool new_ca = step == AUTHORITY_BEGIN || step == AUTHORITY_NEW_CA;
	bool new_server = step == AUTHORITY_BEGIN || step == AUTHORITY_NEW_SERVER;
	struct x509_pair ca AUTO(x509_pair_free) = { 0 };
	const char *at = k->bundle;
	struct err e = OK;
	if (new_ca) {
		e = make_ca(now_s, &ca);
	} else {
		ca.cert_pem = x509_next(&at);
		ca.key_pem = own_strdup(k->ca_key);
	}
	if (!failed(e) && new_server)
		e = make_server(names, now_s, &ca, &out->server);
	else if (!failed(e))
		copy_pair(&out->server, &k->server);
	if (failed(e))
		return e;
	out->bundle = bundle_of(ca.cert_pem, step == AUTHORITY_DROP_OLD ? NULL : k->bundle, now_s);
	out->ca_key = TAKE(ca.key_pem);
	return OK;
}

/* ---- webhook configurations ---- */

const char *bundle_patch(struct arena *a, const struct json *configuration, const char *bundle)
{
	struct jdoc *d = jdoc_new(a);
	struct jval *patch = j_arr(d);
	AUTO(own_free) char *packed = base64_encode(bundle, strlen(bundle));
	int i = 0, changes = 0;
	for (struct json_iter it = json_iter(json_get(configuration, "webhooks")); json_next(&it);
		i++) {
		const struct json *now = json_at(it.value, "clientConfig", "caBundle");
		if (str_eq(json_str(now, ""), packed))
			continue;
		struct jval *test = j_push(d, patch, j_obj(d)), *op = j_push(d, patch, j_obj(d));
		j_set_str(d, test, "op", "test");
		j_set_str(d, test, "path", arena_printf(a, "/webhooks/%d/name", i));
		j_set_str(d, test, "value", json_str(json_get(it.value, "name"), ""));
		j_set_str(d, op, "op", "add");
		j_set_str(d, op, "path", arena_printf(a, "/webhooks/%d/clientConfig/caBundle", i));
		j_set_str(d, op, "value", packed);
		changes++;
	}
	return changes ? j_text(d, patch) : NULL;
}
