/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the values of options. */
#include "cmd/values.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "net/listen.h"
#include "object/dns.h"

struct err value_wrong(const char *value, const char *right)
{
	return err_new(ERR_INVALID, "\"%.80s\" %s", value, right);
}

bool value_is_in(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (str_eq(*names, name))
			return true;
	return false;
}

struct err value_text(const char **to, char *value)
{
	if (str_empty(value))
		return value_wrong("", "is empty");
	*to = value;
	return OK;
}

/* The boolean words of a Go program's flags. */
struct err value_bool(bool *to, const char *value)
{
	static const char *const on[] = { "true", "True", "TRUE", "t", "T", "1", NULL };
	static const char *const off[] = { "false", "False", "FALSE", "f", "F", "0", NULL };
	*to = !value || value_is_in(on, value);
	return !value || value_is_in(on, value) || value_is_in(off, value)
		? OK
		: value_wrong(value, "must be true or false");
}

/* The milliseconds of the unit at s, which has *n bytes; 0: there is none. */
static double unit_of(const char *s, size_t *n)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = { { "ms", 1 }, { "us", 1e-3 }, { "\xc2\xb5s", 1e-3 }, { "ns", 1e-6 },
		{ "h", 3600000 }, { "m", 60000 }, { "s", 1000 } };
	for (size_t i = 0; i < LENGTH(units); i++)
		if (str_has_prefix(s, units[i].name)) {
			*n = strlen(units[i].name);
			return units[i].ms;
		}
	return 0;
}

struct err value_duration(int64_t *to, const char *value)
{
	static const char right[] = "should look like 5s, 1m30s or 500ms";
	const double most = 365.0 * 86400000;
	double all = 0;
	const char *at = value;
	do {
		char *end;
		size_t n = 0;
		if (!strchr("0123456789.", *at) || !*at)
			return value_wrong(value, right);
		double number = strtod(at, &end);
		double unit = unit_of(end, &n);
		if (strspn(at, "0123456789.") != (size_t)(end - at) || end == at || !unit)
			return value_wrong(value, right);
		all += number * unit;
		at = end + n;
	} while (*at);
	if (!(all <= most))
		return value_wrong(value, "is longer than a year");
	*to = (int64_t)(all + 1e-6); /* as a double, 1.001 s is a little less than 1001 ms */
	return OK;
}

/* libcurl may read any other form as a URL that the user does not expect. */
struct err value_https(const char **to, char *value)
{
	const char *host = str_has_prefix(value, "https://") ? value + strlen("https://") : "";
	*to = value;
	return *host && !host[strcspn(host, "/?#@ ")]
		? OK
		: value_wrong(value, "should look like https://10.0.0.7:10250");
}

struct err value_public_key(const char **to, char *value)
{
	static const char of_base64[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
	enum { DIGITS = 43 }; /* for 32 bytes, without the "=" at the end */
	const char *key = str_has_prefix(value, "sha256//") ? value + strlen("sha256//") : "";
	*to = value;
	return strspn(key, of_base64) == DIGITS && str_eq(key + DIGITS, "=")
		? OK
		: value_wrong(value, "should look like sha256//BASE64, as curl --pinnedpubkey");
}

struct err value_pod(const char **to, char *value)
{
	const char *slash = strchr(value, '/');
	AUTO(own_free) char *ns = own_strndup(value, slash ? (size_t)(slash - value) : 0);
	*to = value;
	return slash && is_dns_label(ns) && is_dns_name(slash + 1)
		? OK
		: value_wrong(value, "should look like default/cow-job");
}

struct err value_count(size_t *to, const char *value)
{
	int64_t n;
	if (!str_to_i64(value, 0, 1000000, &n))
		return value_wrong(value, "must be a whole number from 0 to 1000000");
	*to = (size_t)n;
	return OK;
}

struct err value_mib(int64_t *to, const char *value)
{
	return str_to_i64(value, 8, 65536, to)
		? OK
		: value_wrong(value, "must be a whole number of MiB from 8 to 65536");
}

struct err value_user(int64_t *uid, int64_t *gid, char *value)
{
	char *colon = strchr(value, ':');
	const char *group = colon ? colon + 1 : value;
	if (colon)
		*colon = '\0';
	if (str_to_i64(value, 1, INT32_MAX, uid) && str_to_i64(group, 0, INT32_MAX, gid))
		return OK;
	if (colon)
		*colon = ':';
	return value_wrong(value, "is no user: UID or UID:GID, numbers, the UID from 1 on");
}

#define NAMESPACE_RULE \
	"is no name of a namespace: up to 63 of a-z, 0-9 and -, neither first nor last a -"

struct err value_namespace(const char **to, char *value)
{
	*to = value;
	return is_dns_label(value) ? OK : value_wrong(value, NAMESPACE_RULE);
}

struct err value_object(const char **to, char *value)
{
	*to = value;
	return is_dns_name(value)
		? OK
		: value_wrong(value, "is no name: up to 253 of a-z, 0-9, - and .");
}

struct err value_service(const char **to, char *value)
{
	*to = value;
	return is_dns_label(value)
		? OK
		: value_wrong(value, "is no name of a Service: up to 63 of a-z, 0-9 and -");
}

/* Cuts value at its commas into a list without duplicates. rule: the form of an item. */
static struct err read_list(char ***to, char *value, bool (*good)(const char *), const char *rule)
{
	size_t n = 0;
	free(*to);
	*to = own_alloc((strlen(value) + 2) * sizeof(char *));
	for (char *item; (item = strsep(&value, ","));) {
		if (!good(item))
			return value_wrong(item, rule);
		if (!value_is_in((const char *const *)*to, item))
			(*to)[n++] = item;
	}
	return OK;
}

struct err value_namespaces(char ***to, char *value)
{
	return read_list(to, value, is_dns_label, NAMESPACE_RULE);
}

/*
 * A pattern of a host, as in a URL, but without the brackets of IPv6. A ":" is allowed
 * only in an IPv6 address, because a pattern with a port would match no host.
 */
static bool is_host_pattern(const char *s)
{
	static const char of_name[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*";
	static const char of_v6[] = "abcdefABCDEF0123456789:.*";
	bool v6 = strchr(s, ':');
	if (v6 && strchr(s, '.') && !strstr(s, "::"))
		return false; /* 10.0.0.1:6820 */
	return *s && strspn(s, v6 ? of_v6 : of_name) == strlen(s);
}

struct err value_hosts(char ***to, char *value)
{
	return read_list(to, value, is_host_pattern,
		"is no pattern of a host: it should look like *.svc or 10.0.*, without scheme and port");
}

/* True for a DNS subdomain, such as the name of a Secret or the prefix of a label key. */
static bool is_subdomain(const char *s, size_t n)
{
	return n > 0 && n <= 253 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-.") >= n &&
		!strchr("-.", s[0]) && !strchr("-.", s[n - 1]);
}

static bool is_secret(const char *s) { return is_subdomain(s, strlen(s)); }

struct err value_secrets(char ***to, char *value)
{
	return read_list(to, value, is_secret,
		"is no name of a Secret: up to 253 of a-z, 0-9, - and .");
}

static bool is_url(const char *s)
{
	const char *host = strstr(s, "://");
	return host && host[3] && host[3] != '/' &&
		(str_has_prefix(s, "http://") || str_has_prefix(s, "https://"));
}

struct err value_urls(char ***to, char *value)
{
	return read_list(to, value, is_url, "is no URL: it begins with http:// or https://");
}

/* True for a host, by name or address, and a port. */
static bool is_host_port(const char *s)
{
	static const char of_v6[] = "0123456789abcdefABCDEF:.%";
	static const char of_name[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	char host[MAX_HOST_BYTES];
	const char *port;
	return address_split(s, host, &port) && *host && !str_eq(port, "0") &&
		host[strspn(host, *s == '[' ? of_v6 : of_name)] == '\0';
}

/* Refuses a list in which two entries have the same text before the "=". */
static struct err check_once(char **list, const char *right)
{
	for (size_t i = 0; list[i]; i++)
		for (size_t k = 0; k < i; k++) {
			size_t n = strcspn(list[i], "=") + 1;
			if (strncmp(list[i], list[k], n) == 0)
				return value_wrong(list[i], right);
		}
	return OK;
}

/* The length of the name of a Slurm, which is a part of node names between hyphens. */
static size_t slurm_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
	return n <= 20 ? n : 0;
}

static bool is_where(const char *s) { return *s == '/' || is_host_port(s); }

/* The length of the name of an account of Unix or of a directory service. */
static size_t account_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
	return n <= 63 && *s != '-' ? n : 0;
}

size_t value_red_box_user(const char *where)
{
	size_t n = *where == '/' ? 0 : strcspn(where, "@");
	return where[n] == '@' ? n : 0;
}

static bool is_red_box(const char *s)
{
	size_t n = slurm_name(s);
	if (!n || s[n] != '=')
		return false;
	const char *where = s + n + 1;
	size_t user = value_red_box_user(where);
	return user ? account_name(where) == user && is_where(where + user + 1) : is_where(where);
}

struct err value_red_boxes(char ***to, char *value)
{
	struct err e = read_list(to, value, is_red_box,
		"is no red-box: NAME=/path/of/socket or NAME=HOST:PORT, the name of up to 20 of a-z and 0-9; the user that it runs as may follow the =: NAME=USER@HOST:PORT");
	return failed(e)
		? e
		: check_once(*to, "has the name of another red-box: give each Slurm its own name");
}

static bool is_account_box(const char *s)
{
	size_t n = slurm_name(s), m = n && s[n] == '/' ? account_name(s + n + 1) : 0;
	return m > 0 && s[n + 1 + m] == '=' && is_where(s + n + m + 2);
}

struct err value_account_boxes(char ***to, char *value)
{
	struct err e = read_list(to, value, is_account_box,
		"is no red-box of an account: NAME/ACCOUNT=/path/of/socket or NAME/ACCOUNT=HOST:PORT, the account of up to 63 of a-z, A-Z, 0-9, ., _ and -");
	return failed(e) ? e : check_once(*to, "is there already: an account has one red-box");
}

/* An empty account means that of the Slurm's own red-box. */
static bool is_account(const char *s)
{
	size_t n = slurm_name(s), m = n && s[n] == '/' ? strcspn(s + n + 1, "=") : 0;
	const char *equals = s + n + 1 + m;
	AUTO(own_free) char *ns = own_strndup(s + n + (m > 0), m);
	if (!m || !*equals || !is_dns_label(ns))
		return false;
	size_t account = account_name(equals + 1);
	return equals[1 + account] == '\0';
}

struct err value_accounts(char ***to, char *value)
{
	struct err e = read_list(to, value, is_account,
		"is no account of a namespace: NAME/NAMESPACE=ACCOUNT, NAME as in --red-box; an empty ACCOUNT means that of --red-box");
	return failed(e)
		? e
		: check_once(*to,
			  "has an account already: a namespace has one account in each Slurm");
}

static bool is_partition(const char *s) { return *s; }

struct err value_partitions(char ***to, char *value)
{
	return read_list(to, value, is_partition, "is empty: A,B");
}

/* True for the value of a label, or for its key after the /. */
static bool is_label_word(const char *s, size_t n)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	return n > 0 && n <= 63 && strspn(s, letters) >= n && !strchr("-._", s[0]) &&
		!strchr("-._", s[n - 1]);
}

static bool is_label_key(const char *s, size_t n)
{
	const char *slash = memchr(s, '/', n);
	size_t prefix = slash ? (size_t)(slash - s) : 0, word = slash ? prefix + 1 : 0;
	return (!slash || is_subdomain(s, prefix)) && is_label_word(s + word, n - word);
}

struct err value_label(const char **key, const char **of_key, char *value)
{
	char *equals = strchr(value, '=');
	if (!equals || !is_label_key(value, (size_t)(equals - value)) ||
		!is_label_word(equals + 1, strlen(equals + 1)))
		return value_wrong(value, "is no label: KEY=VALUE, such as example.com/slurm=yes");
	*equals = '\0';
	*key = value;
	*of_key = equals + 1;
	return OK;
}

/*
 * True for a word in the form of a volume type, or for nfs or csi with a server or
 * driver. An unknown type does no harm, because it is never mounted.
 */
static bool is_volume_type(const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t n = strspn(s, letters);
	bool named = strncmp(s, "nfs:", 4) == 0 || strncmp(s, "csi:", 4) == 0;
	if (named && s[4])
		return s[4 +
			       strspn(s + 4,
				       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789-.:_")] == '\0';
	return s[0] >= 'a' && s[0] <= 'z' && !s[n];
}

struct err value_volumes(char ***to, char *value)
{
	return read_list(to, value, is_volume_type,
		"is no type of a volume: persistentVolumeClaim, nfs, as pods name them, or nfs:SERVER or csi:DRIVER");
}

bool value_uid(const char *value, uid_t *out)
{
	int64_t number;
	const struct passwd *p = NULL;
	if (str_to_i64(value, 0, UINT32_MAX - 1, &number))
		*out = (uid_t)number;
	else if ((p = getpwnam(value)))
		*out = p->pw_uid;
	else
		return false;
	return true;
}

struct err value_users(uid_t **to, size_t *n, char *value)
{
	free(*to);
	*to = own_alloc((strlen(value) + 1) * sizeof(**to));
	*n = 0;
	for (char *item; (item = strsep(&value, ",")); (*n)++)
		if (!value_uid(item, &(*to)[*n]))
			return value_wrong(item, "is no user of this machine, by name or number");
	return OK;
}
