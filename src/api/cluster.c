/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Cluster and judges its spec. */
#include "api/cluster.h"

#include <string.h>
#include <strings.h>

#include "api/names.h"
#include "base/own.h"
#include "base/str.h"
#include "object/dns.h"
#include "object/metadata.h"

enum { LIFE_S = 3600, LIFE_LEAST_S = 600, LIFE_MOST_S = 86400 };

void cluster_read(const struct json *object, struct cluster *c)
{
	const struct json *spec = json_get(object, "spec");
	struct metadata m = metadata_of(object);
	*c = (struct cluster){
		.object = object,
		.ns = m.ns,
		.name = m.name,
		.uid = m.uid,
		.resource_version = m.resource_version,
		.generation = m.generation,
		.deleting = m.deleting,
		.server = json_str(json_get(spec, "server"), ""),
		.secret_ref = json_str(json_at(spec, "token", "secretRef"), ""),
		.key_ref = json_str(json_at(spec, "token", "jwtKeyRef"), ""),
		.user = json_str(json_at(spec, "token", "user"), "slurm"),
		.write_to = json_at(spec, "token", "writeTo"),
		.status = json_get(object, "status"),
	};
	c->slurm_cluster = json_str(json_at(object, "metadata", "annotations",
					    ANNOTATION_SLURM_CLUSTER),
		json_str(json_get(c->status, "slurmCluster"), ""));
}

static struct err bad(const char *url, const char *what)
{
	return err_new(ERR_INVALID,
		"spec.server \"%.200s\" %s; write it as http://HOST:PORT or https://HOST:PORT", url,
		what);
}

static struct err check_port(const char *url, const char *port, size_t n)
{
	char digits[8] = "";
	int64_t value;
	if (n >= sizeof(digits))
		return bad(url, "has a port that is not a number from 1 to 65535");
	memcpy(digits, port, n);
	return str_to_i64(digits, 1, 65535, &value)
		? OK
		: bad(url, "has a port that is not a number from 1 to 65535");
}

/* host, host:port or [v6]:port, n bytes. */
static struct err check_authority(const char *url, const char *at, size_t n)
{
	static const char name[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	static const char v6[] = "0123456789abcdefABCDEF:.";
	bool bracket = n && at[0] == '[';
	size_t host = bracket ? strspn(at + 1, v6) : strspn(at, name);
	if (!host || host > n)
		return bad(url, "names no host");
	size_t used = bracket ? host + 2 : host;
	if (bracket && (used > n || at[host + 1] != ']'))
		return bad(url, "has an IPv6 address without its closing bracket");
	if (used == n)
		return OK;
	if (at[used] != ':')
		return bad(url, "has a host with characters that no host name has");
	return check_port(url, at + used + 1, n - used - 1);
}

struct err server_url_check(const char *url)
{
	static const char *const schemes[] = { "http://", "https://" };
	const char *rest = NULL;
	if (str_empty(url))
		return err_new(ERR_INVALID,
			"spec.server is empty; it must be the URL of slurmrestd, such as http://slurm-restapi:6820");
	for (size_t i = 0; i < 2; i++)
		if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0)
			rest = url + strlen(schemes[i]);
	if (!rest)
		return bad(url, "starts with neither http:// nor https://");
	for (const char *p = url; *p; p++)
		if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f)
			return bad(url, "has spaces or other characters that no URL has");
	if (strpbrk(rest, "?#@"))
		return bad(url, "has a user, a query or a fragment");
	return check_authority(url, rest, strcspn(rest, "/"));
}

const char *cluster_secret(const struct cluster *c)
{
	return str_empty(c->key_ref) ? c->secret_ref : c->key_ref;
}

static struct err check_secret(const struct cluster *c)
{
	const char *member = str_empty(c->key_ref) ? "secretRef" : "jwtKeyRef";
	if (str_empty(cluster_secret(c)))
		return err_new(ERR_INVALID,
			"spec.token.secretRef is empty; name the Secret of namespace %s that has the Slurm token",
			c->ns);
	if (!is_dns_name(cluster_secret(c)))
		return err_new(ERR_INVALID,
			"spec.token.%s \"%.80s\" is no name of a Secret: lower case letters, digits, - and ., such as slurm-token",
			member, cluster_secret(c));
	return OK;
}

/* Accepts the ASCII names that useradd accepts (shadow 4.17). */
static struct err check_user_name(const char *user, const char *member)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-";
	size_t n = strlen(user);
	if (n && n <= 32 && strspn(user, letters) == n && user[0] != '-')
		return OK;
	return err_new(ERR_INVALID,
		"spec.token.%s \"%.80s\" is no name of a user: at most 32 letters, digits, _, . and -, such as slurm",
		member, user);
}

static struct err check_user(const struct cluster *c)
{
	return str_empty(c->key_ref) ? OK : check_user_name(c->user, "user");
}

/* ---- Secrets of other owners ---- */

static struct recipient recipient_of(const struct cluster *c, const struct json *row)
{
	return (struct recipient){
		.secret = json_str(json_get(row, "secretRef"), ""),
		.user = json_str(json_get(row, "user"), c->user),
		.life_s = json_i64(json_get(row, "expirationSeconds"), LIFE_S),
	};
}

size_t cluster_recipients(const struct cluster *c, struct recipient out[static RECIPIENTS_MOST])
{
	size_t n = 0;
	struct json_iter it = json_iter(c->write_to);
	while (n < RECIPIENTS_MOST && json_next(&it))
		out[n++] = recipient_of(c, it.value);
	return n;
}

static struct err check_recipient(const struct cluster *c, const struct recipient *r)
{
	if (!is_dns_name(r->secret))
		return err_new(ERR_INVALID,
			"spec.token.writeTo.secretRef \"%.80s\" is no name of a Secret: lower case letters, digits, - and ., such as slurm-token-exporter",
			r->secret);
	if (str_eq(r->secret, c->key_ref) || str_eq(r->secret, c->secret_ref))
		return err_new(ERR_INVALID,
			"spec.token.writeTo names Secret %.80s, which has the token or key of the Cluster itself: name another Secret",
			r->secret);
	if (r->life_s < LIFE_LEAST_S || r->life_s > LIFE_MOST_S)
		return err_new(ERR_INVALID,
			"spec.token.writeTo.expirationSeconds is %lld, and must be from %d to %d",
			(long long)r->life_s, LIFE_LEAST_S, LIFE_MOST_S);
	return check_user_name(r->user, "writeTo.user");
}

static struct err check_recipients(const struct cluster *c)
{
	struct recipient all[RECIPIENTS_MOST];
	size_t n = cluster_recipients(c, all);
	if (n && str_empty(c->key_ref))
		return err_new(ERR_INVALID,
			"spec.token.writeTo needs spec.token.jwtKeyRef: tokens for others are made of Slurm's key");
	if (json_count(c->write_to) > RECIPIENTS_MOST)
		return err_new(ERR_INVALID, "spec.token.writeTo names %zu Secrets, and may name %d",
			json_count(c->write_to), RECIPIENTS_MOST);
	for (size_t i = 0; i < n; i++) {
		struct err e = check_recipient(c, &all[i]);
		for (size_t j = 0; j < i && !failed(e); j++)
			if (str_eq(all[i].secret, all[j].secret))
				e = err_new(ERR_INVALID,
					"spec.token.writeTo names Secret %.80s twice",
					all[i].secret);
		if (failed(e))
			return e;
	}
	return OK;
}

static struct err check_server(const struct cluster *c) { return server_url_check(c->server); }

size_t cluster_faults(const struct cluster *c, struct err out[static CLUSTER_MAX_FAULTS])
{
	static struct err (*const rows[])(const struct cluster *c) = { check_server, check_secret,
		check_user, check_recipients };
	_Static_assert(LENGTH(rows) <= CLUSTER_MAX_FAULTS, "every row must fit");
	size_t found = 0;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		out[found] = rows[i](c);
		found += failed(out[found]);
	}
	return found;
}

struct err cluster_check(const struct cluster *c)
{
	struct err faults[CLUSTER_MAX_FAULTS];
	return cluster_faults(c, faults) ? faults[0] : OK;
}

bool cluster_is_plain(const struct cluster *c) { return strncasecmp(c->server, "http:", 5) == 0; }
