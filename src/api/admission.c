/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for changes of Clusters, defaults, and functions that all kinds share. */
#include "api/admission.h"

#include <string.h>
#include <strings.h>

#include "api/admission_parts.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"

/* ---- findings ---- */

static void add(const char *list[ADMISSION_MOST], size_t *n, const char *text)
{
	if (*n < ADMISSION_MOST)
		list[(*n)++] = text;
}

void admission_deny(struct admission *a, const char *text)
{
	add(a->denials, &a->n_denials, arena_strdup(a->arena, text));
}

void admission_warn(struct admission *a, const char *text)
{
	add(a->warnings, &a->n_warnings, arena_strdup(a->arena, text));
}

void admission_judge(struct admission *a, struct err new, struct err old)
{
	if (failed(new) && str_eq(new.text, old.text))
		admission_warn(a, arena_printf(a->arena, "as before: %s", new.text));
	else if (failed(new))
		admission_deny(a, new.text);
}

void admission_judge_all(struct admission *a, const struct err *new, size_t n,
	const struct err *old, size_t n_old)
{
	for (size_t i = 0; i < n; i++) {
		struct err before = OK;
		for (size_t j = 0; j < n_old; j++)
			if (str_eq(old[j].text, new[i].text))
				before = old[j];
		admission_judge(a, new[i], before);
	}
}

bool same_value(const struct json *a, const struct json *b)
{
	size_t n_a = 0, n_b = 0;
	AUTO(own_free) char *text_a = json_text(a, &n_a), *text_b = json_text(b, &n_b);
	return n_a == n_b && (n_a == 0 || memcmp(text_a, text_b, n_a) == 0);
}

const char *admission_message(const struct admission *a)
{
	const char *all = a->n_denials ? a->denials[0] : "";
	if (a->n_denials < 2)
		return all;
	for (size_t i = 1; i < a->n_denials; i++)
		all = arena_printf(a->arena, "%s, %s", all, a->denials[i]);
	return arena_printf(a->arena, "[%s]", all);
}

/* ---- Clusters ---- */

/* The manager refuses addresses of its own machine after it has resolved the name. */
static bool is_local(const char *url)
{
	static const char *const hosts[] = { "localhost", "127.", "[::1]", "0.0.0.0" };
	const char *host = strstr(url, "://");
	for (size_t i = 0; host && i < LENGTH(hosts); i++)
		if (strncasecmp(host + 3, hosts[i], strlen(hosts[i])) == 0)
			return true;
	return false;
}

static void warn_of_server(const struct cluster *old, const struct cluster *new,
	struct admission *out)
{
	if (old && str_eq(old->server, new->server))
		return;
	if (cluster_is_plain(new))
		admission_warn(out,
			"spec.server is plain http: everyone on the network path can read the token, which may drain nodes and end jobs; https with ca.crt in the Secret protects it");
	if (is_local(new->server))
		admission_warn(out,
			"spec.server names a loopback or link-local address: the manager refuses it unless it runs with --allow-local-servers");
	if (old && !str_empty(new->slurm_cluster))
		admission_warn(out,
			err_new(ERR_INVALID,
				"until the Slurm %.80s answers at the new spec.server, its nodes are unknown, and no pod that may have a job is deleted",
				new->slurm_cluster)
				.text);
}

void admit_cluster(const struct cluster *old, const struct cluster *new, struct admission *out)
{
	struct err is[CLUSTER_MAX_FAULTS], was[CLUSTER_MAX_FAULTS];
	if (new->deleting ||
		(old && same_value(json_get(old->object, "spec"), json_get(new->object, "spec"))))
		return;
	size_t n = cluster_faults(new, is), n_was = old ? cluster_faults(old, was) : 0;
	admission_judge_all(out, is, n, was, n_was);
	warn_of_server(old, new, out);
}

/* ---- defaults ---- */

static void set(struct jdoc *d, struct jval *patch, const char *path, struct jval *value)
{
	struct jval *op = j_push(d, patch, j_obj(d));
	j_set_str(d, op, "op", "add");
	j_set_str(d, op, "path", path);
	j_set(d, op, "value", value);
}

const char *nodeset_defaults(struct arena *a, const struct nodeset *n)
{
	struct jdoc *d = jdoc_new(a);
	struct jval *patch = j_arr(d);
	const struct json *spec = json_get(n->object, "spec");
	const struct json *strategy = json_get(spec, "updateStrategy");
	bool limit = !json_is_null(json_get(spec, "revisionHistoryLimit"));
	bool type = json_is_obj(strategy) ? !json_is_null(json_get(strategy, "type")) &&
			!str_eq(json_str(json_get(strategy, "type"), "?"), "")
					  : !json_is_null(strategy);
	if (!json_is_obj(spec) || n->deleting || (limit && type))
		return NULL;
	if (!limit)
		set(d, patch, "/spec/revisionHistoryLimit", j_int(d, 0));
	if (!type && json_is_obj(strategy))
		set(d, patch, "/spec/updateStrategy/type", j_str(d, "RollingUpdate"));
	else if (!type) {
		struct jval *made = j_obj(d);
		j_set_str(d, made, "type", "RollingUpdate");
		set(d, patch, "/spec/updateStrategy", made);
	}
	return j_text(d, patch);
}
