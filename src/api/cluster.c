/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Cluster and judges its spec. */
#include "api/cluster.h"

#include <string.h>
#include <strings.h>

#include "api/names.h"
#include "base/str.h"
#include "object/metadata.h"

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
		.status = json_get(object, "status"),
	};
	c->slurm_cluster = json_str(json_at(object, "metadata", "annotations",
					    ANNOTATION_SLURM_CLUSTER),
		json_str(json_get(c->status, "slurmCluster"), ""));
	c->was_ready = json_bool(json_get(c->status, "isReady"), false);
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
			"spec.server is empty; it must be the URL of slurmrestd, such as "
			"http://slurm-restapi:6820");
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

/* As RFC 1123 has it, which Kubernetes demands of the name of a Secret. */
static bool is_dns_name(const char *s)
{
	static const char ends[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	size_t most = 253, n = strlen(s);
	for (const char *label = s; n <= most; label++) {
		size_t used = strcspn(label, ".");
		if (!used || strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789-") < used ||
			!strchr(ends, label[0]) || !strchr(ends, label[used - 1]))
			return false;
		label += used;
		if (!*label)
			return true;
	}
	return false;
}

static struct err check_secret_ref(const struct cluster *c)
{
	if (str_empty(c->secret_ref))
		return err_new(ERR_INVALID,
			"spec.token.secretRef is empty; name the Secret of namespace %s that has "
			"the Slurm token",
			c->ns);
	if (!is_dns_name(c->secret_ref))
		return err_new(ERR_INVALID,
			"spec.token.secretRef \"%.80s\" is no name of a Secret: lower case "
			"letters, "
			"digits, - and ., such as slurm-token",
			c->secret_ref);
	return OK;
}

struct err cluster_check(const struct cluster *c)
{
	struct err e = server_url_check(c->server);
	return failed(e) ? e : check_secret_ref(c);
}

bool cluster_is_plain(const struct cluster *c) { return strncasecmp(c->server, "http:", 5) == 0; }
