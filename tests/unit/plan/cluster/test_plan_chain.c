/* SPDX-License-Identifier: Apache-2.0 */
/* The first broken link of the chain behind a Cluster, and what is said of it. */
#include "lib/given.h"
#include "json/build.h"
#include "object/condition.h"
#include "plan/cluster/plan.h"

enum { LONG_MS = 120000, A_MOMENT_MS = 5000, A_WHILE_MS = 30000 };

struct pod_row {
	enum slurm_daemon daemon;
	const char *name;
	bool ready;
	int64_t unready_ms; /* so long */
	const char *ending, *why, *container, *mounts;
};

static struct pod_fact fact_of(const struct pod_row *row)
{
	return (struct pod_fact){ .ns = "ns",
		.name = row->name,
		.daemon = row->daemon,
		.ready = row->ready,
		.phase = POD_RUNNING,
		.unready_since_ms = GIVEN_WALL_MS - row->unready_ms,
		.ending = row->ending ? row->ending : "",
		.why = row->why ? row->why : "",
		.container = row->container ? row->container : "",
		.mounts = row->mounts ? row->mounts : "" };
}

#define READY(daemon, name) { DAEMON_##daemon, name, true, 0, NULL, NULL, NULL, NULL }
#define FATAL                                                                                \
	"ended with exit code 1: error: Parse error in file /etc/slurm/slurm.conf line 31: " \
	"\"X=1\""

static const struct row {
	const char *reason; /* NULL: no link is broken */
	const char *part;
	struct pod_row pods[4];
} rows[] = {
	{ NULL, "", { { 0 } } },
	{ NULL, "", { READY(SLURMCTLD, "c"), READY(SLURMRESTD, "r") } },
	{ "SlurmctldNotReady",
		"slurmctld is not ready: container slurmctld of pod c " FATAL
		"; see kubectl -n ns logs c -c slurmctld",
		{ { DAEMON_SLURMRESTD, "r", false, LONG_MS, NULL, NULL, "slurmrestd" },
			{ DAEMON_SLURMCTLD, "c", false, LONG_MS, FATAL, "CrashLoopBackOff: x",
				"slurmctld" },
			READY(SLURMDBD, "d"), READY(DATABASE, "m") } },
	/* The deepest is the cause, whatever those that wait for it say. */
	{ "DatabaseNotReady",
		"the database is not ready: pod m: Unschedulable: unbound claims; see kubectl -n "
		"ns describe pod m",
		{ { DAEMON_SLURMCTLD, "c", false, LONG_MS, FATAL, NULL, "slurmctld" },
			{ DAEMON_SLURMDBD, "d", false, LONG_MS, NULL, NULL, "init" },
			{ DAEMON_DATABASE, "m", false, LONG_MS, NULL,
				"Unschedulable: unbound claims", NULL } } },
	{ "SlurmdbdNotReady",
		"slurmdbd is not ready: container slurmdbd of pod d runs, and the pod is not ready",
		{ { DAEMON_SLURMDBD, "d", false, LONG_MS, NULL, NULL, "slurmdbd" },
			READY(DATABASE, "m") } },
	{ "SlurmrestdNotReady", "no container of pod r-a has begun",
		{ { DAEMON_SLURMRESTD, "r-b", false, LONG_MS, NULL, NULL, NULL },
			{ DAEMON_SLURMRESTD, "r-a", false, LONG_MS, NULL, NULL, NULL } } },
	{ "SlurmctldNotReady", "exists (kubectl -n ns get configmap/x secret/y); if so",
		{ { DAEMON_SLURMCTLD, "c", false, LONG_MS, NULL, NULL, NULL,
			"configmap/x secret/y" } } },
	/* Volumes may come within a minute, and no Event says that they do not. */
	{ NULL, "",
		{ { DAEMON_SLURMCTLD, "c", false, A_WHILE_MS, NULL, NULL, NULL,
			"configmap/x secret/y" } } },
	/* Either of two is enough. */
	{ NULL, "",
		{ { DAEMON_SLURMRESTD, "r-a", false, LONG_MS, NULL, NULL, NULL },
			READY(SLURMRESTD, "r-b") } },
	/* A pod that has just begun may be ready soon; nothing above is to blame then. */
	{ NULL, "",
		{ { DAEMON_DATABASE, "m", false, A_WHILE_MS, NULL, NULL, NULL },
			{ DAEMON_SLURMCTLD, "c", false, LONG_MS, FATAL, NULL, "slurmctld" } } },
	{ NULL, "",
		{ { DAEMON_DATABASE, "m", false, A_MOMENT_MS, NULL, "Unschedulable: x", NULL } } },
	{ "DatabaseNotReady", "ErrImagePull: image x: not found",
		{ { DAEMON_DATABASE, "m", false, A_WHILE_MS, NULL,
			"ErrImagePull: image x: not found", NULL } } },
};

static struct chain chain_of(const struct row *row, struct pod_fact facts[4])
{
	struct chain c = { 0 };
	for (size_t i = 0; i < LENGTH(row->pods) && row->pods[i].name; i++) {
		facts[i] = fact_of(&row->pods[i]);
		chain_add(&c, &facts[i]);
	}
	return c;
}

/* Acceptance: slurm-chart-51 */
static void test_the_deepest_broken_link_is_the_cause(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		WORLD(g);
		struct pod_fact facts[4];
		struct chain c = chain_of(&rows[i], facts);
		struct broken_link broken = chain_broken(&c, GIVEN_WALL_MS, &g.arena);
		assert_int_equal(c.known, rows[i].pods[0].name != NULL);
		if (!rows[i].reason) {
			assert_null(broken.reason);
			continue;
		}
		assert_string_equal(broken.reason, rows[i].reason);
		if (!strstr(broken.message, rows[i].part))
			fail_msg("\"%s\" lacks \"%s\"", broken.message, rows[i].part);
	}
}

static void test_a_pod_that_goes_or_has_ended_is_no_link(void **state)
{
	(void)state;
	WORLD(g);
	struct chain c = { 0 };
	struct pod_fact goes = fact_of(&rows[2].pods[1]), ended = goes, other = goes;
	goes.terminating = true;
	ended.phase = POD_FAILED;
	other.daemon = DAEMON_NONE;
	chain_add(&c, &goes);
	chain_add(&c, &ended);
	chain_add(&c, &other);
	assert_false(c.known);
	assert_null(chain_broken(&c, GIVEN_WALL_MS, &g.arena).reason);
}

/* The status that is written, and how soon the Cluster is looked at again. */
static const char *when_planned_with(struct given *g, enum slurm_health health, struct chain chain,
	const char *member)
{
	struct cluster_view view = {
		.object = given_json(g,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"slurm\"},\"spec\":{"
			"\"server\":\"http://s:1\",\"token\":{\"secretRef\":\"t\"}}}"),
		.link = { .secret = YES,
			.checked = true,
			.health = health,
			.version = "v0.0.42",
			.trouble = "connection refused" },
		.chain = chain,
	};
	g->d = jdoc_new(&g->arena);
	g->plan = (struct plan){ .arena = &g->arena };
	cluster_plan(&view, GIVEN_NOW_MS, GIVEN_WALL_MS, &g->plan);
	const struct json *body = given_json(g, then(g, DO(PATCH_STATUS, CLUSTER), "slurm")->body);
	return json_str(json_get(condition_find(json_at(body, "status", "conditions"), "Ready"),
				member),
		"");
}

static void test_a_cluster_names_the_cause_while_slurm_is_silent(void **state)
{
	(void)state;
	static const struct {
		enum slurm_health health;
		size_t row; /* of rows: the pods */
		const char *reason;
	} cases[] = {
		{ SLURM_UNREACHABLE, 2, "SlurmctldNotReady" },
		{ SLURM_CTLD_DOWN, 3, "DatabaseNotReady" },
		/* Without pods, and with pods that are all ready. */
		{ SLURM_UNREACHABLE, 0, "Unreachable" },
		{ SLURM_UNREACHABLE, 1, "Unreachable" },
		/* A server that answers is not silent. */
		{ SLURM_UP, 3, "Reachable" },
		{ SLURM_DENIED, 3, "TokenRefused" },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		WORLD(g);
		struct pod_fact facts[4];
		struct chain c = chain_of(&rows[cases[i].row], facts);
		assert_string_equal(when_planned_with(&g, cases[i].health, c, "reason"),
			cases[i].reason);
	}
}

/* No change of a pod wakes its Cluster. */
static void test_a_silent_cluster_looks_at_its_pods_every_ten_seconds(void **state)
{
	(void)state;
	WORLD(g);
	struct pod_fact facts[4];
	const char *said = when_planned_with(&g, SLURM_UNREACHABLE, chain_of(&rows[2], facts),
		"message");
	assert_non_null(strstr(said, rows[2].part));
	assert_non_null(strstr(said, "; the operator sees: connection refused"));
	assert_int_equal(g.plan.again_in_ms, 10000);
	when_planned_with(&g, SLURM_UNREACHABLE, (struct chain){ 0 }, "message");
	assert_int_equal(g.plan.again_in_ms, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_deepest_broken_link_is_the_cause),
		cmocka_unit_test(test_a_pod_that_goes_or_has_ended_is_no_link),
		cmocka_unit_test(test_a_cluster_names_the_cause_while_slurm_is_silent),
		cmocka_unit_test(test_a_silent_cluster_looks_at_its_pods_every_ten_seconds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
