#include "plan/cluster/plan.h"

#include "base/own.h"
#include "base/str.h"
#include "kube/condition.h"

#define FINALIZER "cluster.slinky.slurm.net/in-use"

/* What each state of the link means to people. */
static const struct {
	enum slurm_health health;
	const char *reason, *advice;
} health_rows[] = {
	{ SLURM_UP, "Reachable", "slurmrestd and slurmctld answer, and the token is accepted" },
	{ SLURM_UNREACHABLE, "Unreachable", "check spec.server and that slurmrestd runs" },
	{ SLURM_DENIED, "TokenRefused", "put a valid token into the key auth-token of the Secret" },
	{ SLURM_TLS, "TLSFailed", "check the scheme of spec.server and the key ca.crt of the Secret" },
	{ SLURM_VERSION, "VersionUnsupported", "slurmrestd must offer one of v0.0.40 to v0.0.45" },
	{ SLURM_CTLD_DOWN, "ControllerDown", "slurmrestd answers, but slurmctld does not: check that slurmctld runs" },
	{ SLURM_NOT_SLURM, "NotSlurm", "spec.server must be the address of slurmrestd" },
	{ SLURM_OTHER_CLUSTER, "OtherSlurm",
	  "every fact counts as unknown until somebody says that this Slurm is meant" },
};

static struct condition ready_condition(const struct cluster_view *v, struct arena *a)
{
	struct condition c = { .type = "Ready", .status = COND_FALSE };
	if (v->invalid) {
		c.reason = "InvalidSpec";
		c.message = v->invalid;
	} else if (v->link.secret == NO) {
		c.reason = "SecretMissing";
		c.message = v->link.trouble;
	} else if (!v->link.checked) {
		c.status = COND_UNKNOWN;
		c.reason = "NotChecked";
		c.message = str_empty(v->link.trouble) ? "Slurm has not been asked yet" : v->link.trouble;
	} else {
		for (size_t i = 0; i < LENGTH(health_rows); i++) {
			if (health_rows[i].health != v->link.health)
				continue;
			c.reason = health_rows[i].reason;
			c.message = v->link.health == SLURM_UP ? arena_printf(a, "%s (API %s)", health_rows[i].advice, v->link.version)
							       : arena_printf(a, "%s; %s", v->link.trouble, health_rows[i].advice);
		}
		c.status = v->link.health == SLURM_UP ? COND_TRUE : COND_FALSE;
	}
	return c;
}

static void plan_status(const struct cluster_view *v, int64_t now_wall_ms, struct plan *out)
{
	static const char *const ours[] = { "Ready", NULL };
	const struct json *m = json_get(v->object, "metadata"), *old = json_get(v->object, "status");
	struct jdoc *d = jdoc_new(out->arena);
	struct jval *body = j_obj(d), *meta = j_child(d, body, "metadata"), *status = j_child(d, body, "status");
	struct condition c = ready_condition(v, out->arena);
	/* After a restart of ours nothing is known yet: what was published stays until the first check has ended, or cannot even be made. */
	if (c.status == COND_UNKNOWN && str_empty(v->link.trouble) && condition_since_ms(json_get(old, "conditions"), c.type))
		return;
	struct jval *conditions = j_set(d, status, "conditions", j_arr(d));
	j_set_bool(d, status, "isReady", c.status == COND_TRUE);
	if (!str_empty(v->link.meant))
		j_set_str(d, status, "slurmCluster", v->link.meant);
	/* The list of conditions is replaced as a whole: the resourceVersion keeps a foreign one from getting lost. */
	j_set_str(d, meta, "uid", json_str(json_get(m, "uid"), ""));
	j_set_str(d, meta, "resourceVersion", json_str(json_get(m, "resourceVersion"), ""));
	condition_keep_foreign(d, conditions, json_get(old, "conditions"), ours);
	condition_set(d, conditions, json_get(old, "conditions"), &c, json_i64(json_get(m, "generation"), 0), now_wall_ms);

	const char *text = j_text(d, body);
	struct json_doc *doc = NULL;
	bool same = !failed(json_parse(text, __builtin_strlen(text), SIZE_MAX, &doc)) &&
		    json_equal(json_at(json_root(doc), "status", "conditions"), json_get(old, "conditions")) && json_is_null(json_get(old, "isReady")) == false &&
		    json_bool(json_get(old, "isReady"), false) == (c.status == COND_TRUE) &&
		    (str_empty(v->link.meant) || str_eq(v->link.meant, json_str(json_get(old, "slurmCluster"), "")));
	json_free(doc);
	if (same)
		return;
	struct action *a = plan_add(out, ACT_PATCH_STATUS, arena_printf(out->arena, "the Cluster is %s: %s", c.status == COND_TRUE ? "ready" : "not ready", c.message));
	a->resource = RES_CLUSTER;
	a->ns = json_str(json_get(m, "namespace"), "");
	a->name = json_str(json_get(m, "name"), "");
	a->body = text;
}

static bool has_finalizer(const struct json *metadata)
{
	struct json_iter it = json_iter(json_get(metadata, "finalizers"));
	while (json_next(&it))
		if (str_eq(json_str(it.value, ""), FINALIZER))
			return true;
	return false;
}

static void patch_finalizer(const struct json *m, bool add, const char *why, struct plan *out)
{
	struct jdoc *d = jdoc_new(out->arena);
	struct jval *body = j_obj(d), *meta = j_child(d, body, "metadata"), *list = j_set(d, meta, "finalizers", j_arr(d));
	j_set_str(d, meta, "resourceVersion", json_str(json_get(m, "resourceVersion"), "")); /* the list is replaced whole: never over a newer one */
	struct json_iter it = json_iter(json_get(m, "finalizers"));
	while (json_next(&it))
		if (!str_eq(json_str(it.value, ""), FINALIZER))
			j_push(d, list, j_copy(d, it.value));
	if (add)
		j_push(d, list, j_str(d, FINALIZER));
	struct action *a = plan_add(out, ACT_PATCH_OBJECT, why);
	a->resource = RES_CLUSTER;
	a->ns = json_str(json_get(m, "namespace"), "");
	a->name = json_str(json_get(m, "name"), "");
	a->body = j_text(d, body);
}

void cluster_plan(const struct cluster_view *v, int64_t now_wall_ms, struct plan *out)
{
	const struct json *m = json_get(v->object, "metadata");
	bool deleting = !json_is_null(json_get(m, "deletionTimestamp"));
	if (v->in_flight)
		return;
	if (!deleting && v->n_nodesets && !has_finalizer(m))
		patch_finalizer(m, true, "NodeSets need this Cluster to drain their nodes: it must outlive them", out);
	else if (has_finalizer(m) && v->nodesets_known && !v->n_nodesets)
		patch_finalizer(m, false, "no NodeSet needs this Cluster any more", out);
	else
		plan_status(v, now_wall_ms, out);
}
