/* SPDX-License-Identifier: Apache-2.0 */
/* Judges responses of slurmrestd, with one row for each error number. */
#include "slurm/rest/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"

enum { CLUSTER_BYTES = 256 };

static const char no_answer[] = "slurmctld gave slurmrestd no answer";
static const char no_connection[] = "slurmctld does not answer slurmrestd";
static const char not_allowed[] = "Slurm does not allow this to the token's user";

/*
 * Error numbers (slurm_errno.h, and errno.h of Linux) that do not mean "the request is
 * wrong". silent: the request may have been done, so it is ERR_LOST for a write. The
 * first row that matches counts.
 */
static const struct {
	int64_t first, last;
	enum slurm_health health;
	enum err_kind kind;
	bool silent;
	const char *what;
} numbers[] = {
	/* EINTR, EIO; EAGAIN; EPIPE; ENETDOWN to EHOSTUNREACH: a connection broke. */
	{ 4, 5, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 11, 11, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 32, 32, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 100, 113, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 1001, 1001, SLURM_CTLD_DOWN, ERR_RETRY, false, no_connection },
	{ 1000, 1004, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 1007, 1007, SLURM_DENIED, ERR_DENIED, false, "Slurm refused the token" },
	{ 1008, 1008, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 1013, 1025, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	/*
	 * slurmrestd has sent the request: 1801 (send), 1802 (receive), 1803 (shutdown).
	 */
	{ 1801, 1803, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 1800, 1899, SLURM_CTLD_DOWN, ERR_RETRY, false, no_connection },
	{ 2002, 2002, SLURM_DENIED, ERR_DENIED, false, not_allowed },
	{ 2010, 2010, SLURM_DENIED, ERR_DENIED, false, not_allowed },
	{ 2016, 2016, SLURM_UP, ERR_CONFLICT, false, "Slurm says that a node is busy" },
	{ 2017, 2017, SLURM_UP, ERR_NOT_FOUND, false, "Slurm does not know the job" },
	{ 2018, 2018, SLURM_UP, ERR_NOT_FOUND, false, "Slurm does not know one of the nodes" },
	{ 2027, 2027, SLURM_CTLD_DOWN, ERR_RETRY, false, "only a standby slurmctld answers" },
	{ 2131, 2131, SLURM_CTLD_DOWN, ERR_RETRY, false, "only a standby slurmctld answers" },
	{ 5003, 5005, SLURM_CTLD_DOWN, ERR_RETRY, true, no_answer },
	{ 7000, 7000, SLURM_CTLD_DOWN, ERR_RETRY, false, "slurmdbd does not answer slurmrestd" },
};

struct verdict verdict_new(enum slurm_health health, struct err err)
{
	return (struct verdict){ .health = health, .err = err };
}

/*
 * Whether the response has members that only slurmrestd sends. Otherwise a user who may
 * set the URL could choose another JSON server, and read its responses in our messages.
 */
static bool is_slurmrestd(const struct json *root)
{
	const struct json *meta = json_get(root, "meta");
	return json_is_arr(json_get(root, "pings")) || json_is_obj(json_get(meta, "slurm")) ||
		json_is_obj(json_get(meta, "plugin")) || slurm_version_choose(root);
}

static struct verdict judge_transport(struct err err)
{
	struct verdict v = { .health = SLURM_UNREACHABLE, .err = err_wrap(err, "slurmrestd") };
	if (err.kind == ERR_DENIED || err.kind == ERR_INVALID)
		v.health = SLURM_TLS;
	else if (err.kind == ERR_TOO_LARGE)
		v.health = SLURM_NOT_SLURM;
	return v;
}

/* The first error in errors[]. "No error" (0) is an entry, but not an error. */
static const struct json *first_error(const struct json *root)
{
	for (struct json_iter it = json_iter(json_get(root, "errors")); json_next(&it);)
		if (json_i64(json_get(it.value, "error_number"), -1) != 0)
			return it.value;
	return NULL;
}

/* A response that reports a failure. */
struct refusal {
	int status;
	const struct json *error; /* NULL: none */
	bool writes;              /* the request was a write */
	bool known;               /* the server has shown that it is slurmrestd */
};

/* "Invalid node name specified (Failure to update node n1,nosuch), error 2018" */
static struct err said(enum err_kind kind, const char *what, const struct refusal *r)
{
	const char *name = json_str(json_get(r->error, "error"), "");
	const char *description = json_str(json_get(r->error, "description"), "");
	int64_t number = json_i64(json_get(r->error, "error_number"), 0);
	struct err e = r->error && r->known
		? err_new(kind, "%s: %s, error %" PRId64 " (%s), HTTP status %d", what, name,
			  number, description, r->status)
		: err_new(kind, "%s: HTTP status %d", what, r->status);
	e.code = number > 0 && number <= INT32_MAX ? (int)number : r->status;
	return e;
}

/*
 * slurmctld may or may not have done the request. Only a read may be repeated without a
 * check.
 */
static enum err_kind kind_of_silence(bool writes) { return writes ? ERR_LOST : ERR_RETRY; }

static struct verdict judge_number(size_t i, const struct refusal *r)
{
	enum err_kind kind = numbers[i].silent ? kind_of_silence(r->writes) : numbers[i].kind;
	return verdict_new(numbers[i].health, said(kind, numbers[i].what, r));
}

static struct verdict judge_error(const struct refusal *r)
{
	int status = r->status;
	enum err_kind silent = kind_of_silence(r->writes);
	int64_t number = json_i64(json_get(r->error, "error_number"), -1);
	if (status == 504)
		return verdict_new(SLURM_CTLD_DOWN,
			said(silent, "slurmctld did not answer slurmrestd in time", r));
	for (size_t i = 0; r->error && i < LENGTH(numbers); i++)
		if (number >= numbers[i].first && number <= numbers[i].last)
			return judge_number(i, r);
	if (status == 401 || status == 511)
		return verdict_new(SLURM_DENIED, said(ERR_DENIED, "Slurm refused the token", r));
	if (status == 403)
		return verdict_new(SLURM_DENIED, said(ERR_DENIED, "access was refused", r));
	if (status == 502 || status == 503)
		return verdict_new(SLURM_CTLD_DOWN, said(ERR_RETRY, no_connection, r));
	/*
	 * 24.11 and 26.05 report "Unspecified error" (-1) for jobs when slurmctld is
	 * down.
	 */
	if (r->error && number == -1)
		return verdict_new(SLURM_CTLD_DOWN, said(silent, no_answer, r));
	if (status == 500 && !r->error)
		return verdict_new(SLURM_CTLD_DOWN, said(silent, "slurmrestd failed", r));
	return verdict_new(SLURM_UP, said(ERR_INVALID, "Slurm refused the request", r));
}

static struct err not_slurm(const struct http_answer *a, const char *what)
{
	struct err e = err_new(ERR_INVALID,
		"the server is not a slurmrestd: %s (HTTP status %d); give the URL of slurmrestd",
		what, a->status);
	e.code = a->status;
	return e;
}

/* A response without JSON: from slurmrestd itself, a proxy, or another server. */
static struct verdict judge_text(const struct http_answer *a, bool writes)
{
	const char *start = a->body + strspn(a->body, " \t\r\n");
	const struct refusal r = { .status = a->status, .writes = writes };
	if (a->status == 404) {
		struct verdict v = verdict_new(SLURM_NOT_SLURM,
			not_slurm(a, "it does not know the paths of Slurm's REST interface"));
		v.other_version = true;
		return v;
	}
	if (a->status == 401 || a->status == 403 || a->status == 511)
		return judge_error(&r);
	if (a->status == 429 || (a->status >= 500 && a->status <= 504))
		return verdict_new(SLURM_UNREACHABLE,
			said(a->status == 504 || a->status == 500 ? kind_of_silence(writes)
								  : ERR_RETRY,
				"slurmrestd cannot answer now", &r));
	if (a->status == 400 || a->status == 422)
		return verdict_new(SLURM_NOT_SLURM,
			said(ERR_INVALID, "slurmrestd refused the request", &r));
	if (a->status >= 300 && a->status < 400)
		return verdict_new(SLURM_NOT_SLURM, not_slurm(a, "it answered with a redirection"));
	return verdict_new(SLURM_NOT_SLURM,
		not_slurm(a,
			*start == '<' ? "it answered with a web page" : "its answer is not JSON"));
}

static struct err parse(const struct http_answer *a, struct answer_items *items,
	struct json_doc **doc)
{
	return items && a->status == 200
		? json_list_end(items->list, doc)
		: json_parse(a->body, a->body_bytes, SLURM_LIST_BYTES, doc);
}

struct err answer_cluster_check(const struct slurm *s)
{
	if (!s->expected_cluster || str_eq(s->cluster, s->expected_cluster))
		return OK;
	return err_new(ERR_INVALID, "Slurm cluster \"%.80s\" answers where \"%.80s\" is expected",
		s->cluster, s->expected_cluster);
}

/*
 * Whether this response of the expected cluster was requested before another cluster
 * answered. Such a response does not show which cluster answers now.
 */
static bool is_overtaken(const struct slurm *s, const char *name, int64_t asked_ms)
{
	return s->cluster && !str_eq(name, s->cluster) && str_eq(name, s->expected_cluster) &&
		asked_ms <= s->cluster_told_ms;
}

/*
 * Checks which cluster answers. Job ids, node names and times of lists mean something
 * else in another cluster, so a change of the cluster drops the cached facts.
 */
static struct err check_cluster(struct slurm *s, const struct json *root, int64_t asked_ms)
{
	char name[CLUSTER_BYTES]; /* Slurm's names are shorter */
	snprintf(name, sizeof(name), "%s", json_str(json_at(root, "meta", "slurm", "cluster"), ""));
	str_make_plain(name);
	if (!name[0])
		return OK;
	s->told = true;
	if (is_overtaken(s, name, asked_ms))
		return answer_cluster_check(s);
	if (s->cluster && !str_eq(name, s->cluster)) {
		s->clusters++;
		s->may_change = false;
		slurm_nodes_forget(s);
		jobs_forget(&s->jobs);
	}
	if (!str_eq(name, s->cluster)) {
		free(s->cluster);
		s->cluster = own_strdup(name);
		s->cluster_told_ms = loop_now_ms(s->loop);
	}
	return answer_cluster_check(s);
}

static struct verdict judge(struct slurm *s, struct err err, const struct http_answer *a,
	bool writes, struct answer_items *items, struct json_doc **doc)
{
	*doc = NULL;
	if (failed(err))
		return judge_transport(err);
	if (a->status == 304)
		return verdict_new(SLURM_UP, OK);
	err = parse(a, items, doc);
	const struct json *root = json_root(*doc);
	if (failed(err) || !json_is_obj(root)) {
		json_free(TAKE(*doc));
		return judge_text(a, writes);
	}
	s->known |= is_slurmrestd(root);
	err = check_cluster(s, root, a->asked_ms);
	if (failed(err))
		return verdict_new(SLURM_OTHER_CLUSTER, err);
	const struct json *error = first_error(root);
	if (a->status == 404 && !error)
		return judge_text(a, writes);
	if (error || a->status != 200)
		return judge_error(&(struct refusal){ a->status, error, writes, s->known });
	return verdict_new(SLURM_UP, OK);
}

struct verdict answer_judge(struct slurm *s, struct err err, const struct http_answer *a,
	bool writes, struct json_doc **doc)
{
	return judge(s, err, a, writes, NULL, doc);
}

struct err answer_vague(void)
{
	return err_new(ERR_LOST,
		"it is unknown whether the request was done: the response has no list \"errors\"");
}

struct err answer_unasked_304(void)
{
	return err_new(ERR_RETRY,
		"the response is \"not modified\" (304), but the request had no condition");
}

int64_t answer_number(const struct json *v)
{
	if (!json_is_obj(v))
		return json_i64(v, -1);
	if (json_bool(json_get(v, "infinite"), false))
		return INT64_MAX;
	return json_bool(json_get(v, "set"), false) ? json_i64(json_get(v, "number"), -1) : -1;
}

int64_t answer_count(const struct json *v)
{
	int64_t n = answer_number(v);
	return n > 0 ? n : 0;
}

int64_t answer_finite(const struct json *v)
{
	int64_t n = answer_count(v);
	return n < INT64_MAX ? n : 0;
}

uint32_t answer_bits(const struct json *v, uint32_t (*bit)(const char *word))
{
	uint32_t bits = json_is_str(v) ? bit(json_str(v, NULL)) : 0;
	for (struct json_iter it = json_iter(json_is_arr(v) ? v : NULL); json_next(&it);)
		bits |= bit(json_str(it.value, NULL));
	return bits;
}

/*
 * The response to a conditional read of unchanged jobs is an empty list with a warning.
 * So an empty list counts only without a warning.
 */
static struct err check_list(const struct json *root, const char *key, size_t n)
{
	const struct json *error = json_item(json_get(root, "errors"), 0);
	const struct json *warning = json_item(json_get(root, "warnings"), 0);
	if (error)
		return err_new(ERR_RETRY, "Slurm's answer lists an error beside \"%s\": %s", key,
			json_str(json_get(error, "description"), "without a text"));
	if (!json_is_arr(json_get(root, key)))
		return err_new(ERR_INVALID, "Slurm's answer has no list \"%s\"", key);
	if (n == 0 && warning)
		return err_new(ERR_RETRY, "Slurm's list \"%s\" is empty with a warning: %s", key,
			json_str(json_get(warning, "description"), "without a text"));
	return OK;
}

struct err answer_list(const struct json *root, const char *key, const struct json **list)
{
	*list = json_get(root, key);
	return check_list(root, key, json_count(*list));
}

struct verdict answer_judge_list(struct slurm *s, struct err err, const struct http_answer *a,
	struct answer_items *items, struct json_doc **doc)
{
	/* items_take stopped the read; its error is the cause */
	if (is_too_much(items->err))
		return judge_transport(items->err);
	struct http_answer bad = { .status = 200, .body = "", .retry_after_ms = -1 };
	if (failed(items->err))
		return judge_text(&bad, false);
	struct verdict v = judge(s, err, a, false, items, doc);
	if (!failed(v.err) && *doc)
		v.err = check_list(json_root(*doc), items->key, items->n);
	return v;
}
