/* SPDX-License-Identifier: Apache-2.0 */
/* The Node object of a partition: made whole, kept as it should be, never deleted. */
#include "lib/vnode_world.h"

#include <unistd.h>

#include "api/names.h"

#define W struct vnode_world *w = *state

static bool has_taint(struct vnode_world *w, const char *key)
{
	struct json_iter it = json_iter(json_at(json_root(w->node), "spec", "taints"));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "key"), ""), key))
			return true;
	return false;
}

static const char *label(struct vnode_world *w, const char *key)
{
	return json_str(json_get(json_at(json_root(w->node), "metadata", "labels"), key), "(none)");
}

/* V15, V16: at once with all its labels, and what has no limit lets every pod in. */
/* Acceptance: vnode-23, V15, V16 */
static void test_a_node_is_made_with_labels_and_taint(void **state)
{
	W;
	assert_non_null(w->node);
	assert_int_equal(w->node_writes, 1);
	assert_string_equal(label(w, LABEL_NODE_TYPE), "virtual-kubelet");
	assert_string_equal(label(w, LABEL_PARTITION), "debug");
	assert_string_equal(label(w, LABEL_PARTITION_NODES), "4");
	assert_string_equal(label(w, LABEL_PARTITION_CPUS), "8");
	assert_string_equal(label(w, LABEL_PARTITION_MEM), "9223372036854775807");
	assert_string_equal(label(w, LABEL_PARTITION_WALL_TIME), "9223372036854775807");
	assert_true(has_taint(w, TAINT_PROVIDER));
	assert_string_equal(node_text(w, "status.conditions.0.status"), "True");
	assert_string_equal(node_text(w, "status.addresses.0.address"), "10.0.0.7");
	assert_string_equal(node_text(w, "status.addresses.0.type"), "InternalIP");
	assert_string_equal(node_text(w, "status.addresses.1.type"), "");
	assert_string_equal(node_text(w, "status.capacity.pods"), "10k");
	assert_string_equal(node_text(w, "status.allocatable.ephemeral-storage"), "1Pi");
}

static void test_a_node_without_an_address_has_none(void **state)
{
	W;
	when_killed(w);
	w->no_address = true;
	when_begun(w);
	when_time_passed(w, 5000);
	assert_string_equal(node_text(w, "status.addresses.0.type"), "");
	int writes = w->node_writes;
	when_time_passed(w, 60000);
	assert_int_equal(w->node_writes, writes);
}

static const char *node_note(const struct vnode_world *w, const char *key)
{
	return json_str(json_get(json_at(json_root(w->node), "metadata", "annotations"), key), "");
}

/* Acceptance: result-7 */
static void test_a_node_says_where_results_are(void **state)
{
	W;
	assert_string_equal(node_note(w, ANNOTATION_RESULTS_URL), "");
	vnode_listens(w->vnode, 10250, "sha256//one=");
	when_time_passed(w, 5000);
	assert_string_equal(node_note(w, ANNOTATION_RESULTS_URL), "https://10.0.0.7:10250");
	assert_string_equal(node_note(w, ANNOTATION_RESULTS_KEY), "sha256//one=");

	/* another certificate has another key */
	vnode_listens(w->vnode, 10250, "sha256//two=");
	when_time_passed(w, 5000);
	assert_string_equal(node_note(w, ANNOTATION_RESULTS_KEY), "sha256//two=");

	/* and one that listens nowhere says nothing of it */
	when_killed(w);
	when_begun(w);
	when_time_passed(w, 5000);
	assert_string_equal(node_note(w, ANNOTATION_RESULTS_URL), "");
	assert_string_equal(node_note(w, ANNOTATION_RESULTS_KEY), "");
	int writes = w->node_writes;
	when_time_passed(w, 60000);
	assert_int_equal(w->node_writes, writes);
}

/* V18: a LimitRange may give each pod that stands for a job CPUs and memory. */
/* Acceptance: vnode-13, V18 */
static void test_a_node_has_room_for_all_its_pods_whatever_they_are_given(void **state)
{
	W;
	assert_string_equal(node_text(w, "status.allocatable.pods"), "10k");
	assert_string_equal(node_text(w, "status.allocatable.cpu"), "1M");
	assert_string_equal(node_text(w, "status.allocatable.memory"), "1Pi");
	assert_string_equal(node_text(w, "status.allocatable.ephemeral-storage"), "1Pi");
}

/* V34 */
/* Acceptance: vnode-25, V34 */
static void test_at_rest_only_the_lease_is_renewed(void **state)
{
	W;
	int writes = w->node_writes, leases = w->leases;
	when_time_passed(w, 600000);
	assert_int_equal(w->node_writes, writes);
	assert_in_range(w->leases - leases, 59, 61);
	when_time_passed(w, 3000000);
	assert_int_equal(w->node_writes, writes + 1);
}

/* V33 */
/* Acceptance: vnode-25, V33 */
static void test_what_others_take_away_comes_back_and_theirs_stays(void **state)
{
	W;
	given_node_changed(w,
		"{\"metadata\":{\"labels\":{\"rack\":\"7\"}},\"spec\":{\"taints\":[{\"key\":"
		"\"mine\",\"effect\":\"NoExecute\"}]},\"status\":{\"capacity\":{\"x.y/z\":"
		"\"3\"}}}");
	when_time_passed(w, 5000);
	assert_true(has_taint(w, TAINT_PROVIDER));
	assert_true(has_taint(w, "mine"));
	assert_string_equal(label(w, "rack"), "7");
	when_time_passed(w, 310000);
	assert_string_equal(json_str(json_get(json_at(json_root(w->node), "status", "capacity"),
					     "x.y/z"),
				    ""),
		"3");
}

/* Acceptance: vnode-21 */
static void test_a_quarrel_about_a_node_or_a_pod_makes_no_storm(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	int node_writes = w->node_writes, pod_writes = w->pod_writes;
	for (int i = 0; i < 15; i++) {
		given_node_changed(w, "{\"spec\":{\"taints\":null}}");
		given_pod_changed(w, "cow", "{\"status\":{\"containerStatuses\":null}}");
		when_time_passed(w, 700);
	}
	assert_in_range(w->node_writes - node_writes, 3, 6);
	assert_in_range(w->pod_writes - pod_writes, 5, 11);
}

/* Acceptance: vnode-30 */
static void test_a_node_whose_red_box_is_away_says_since_when(void **state)
{
	W;
	w->down = true;
	when_time_passed(w, 30000);
	const struct json *taint = json_item(json_at(json_root(w->node), "spec", "taints"), 1);
	AUTO(own_free) char *since = own_strdup(json_str(json_get(taint, "timeAdded"), ""));
	assert_true(*since);
	int writes = w->node_writes;
	when_time_passed(w, 60000);
	taint = json_item(json_at(json_root(w->node), "spec", "taints"), 1);
	assert_string_equal(json_str(json_get(taint, "timeAdded"), ""), since);
	assert_int_equal(w->node_writes, writes);
}

/* V14 */
/* Acceptance: vnode-24, V14 */
static void test_while_red_box_is_away_no_new_jobs_come_and_the_node_stays_ready(void **state)
{
	W;
	w->down = true;
	when_time_passed(w, 30000);
	assert_true(has_taint(w, TAINT_UNAVAILABLE));
	assert_string_equal(node_text(w, "status.conditions.0.status"), "True");
	assert_string_equal(node_text(w, "status.conditions.0.reason"), "RedBoxAway");
	assert_string_equal(vnode_trouble(w->vnode),
		"Slurm hpc cannot be reached through its red-box");
	w->down = false;
	when_time_passed(w, 10000);
	assert_false(has_taint(w, TAINT_UNAVAILABLE));
	assert_string_equal(node_text(w, "status.conditions.0.reason"), "KubeletReady");
	assert_string_equal(vnode_trouble(w->vnode), "");
}

/* The number of log lines with this text, of a process that begins now. */
static int times_logged(struct vnode_world *w, int64_t ms, const char *text)
{
	FILE *log = tmpfile();
	int before = dup(STDERR_FILENO), n = 0;
	char line[2000];
	dup2(fileno(log), STDERR_FILENO);
	when_killed(w);
	when_begun(w);
	when_time_passed(w, ms);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(log);
	while (fgets(line, sizeof(line), log))
		n += strstr(line, text) != NULL;
	fclose(log);
	return n;
}

/* Acceptance: vnode-24 */
static void test_a_red_box_that_has_never_answered_is_told_of_once(void **state)
{
	W;
	w->down = true;
	assert_int_equal(times_logged(w, 60000, "\"why\":\"nobody listens\""), 1);
	w->down = false;
	assert_int_equal(times_logged(w, 60000, "cannot be reached"), 0);
}

static void test_a_short_silence_changes_nothing(void **state)
{
	W;
	int writes = w->node_writes;
	w->down = true;
	when_time_passed(w, 15000);
	w->down = false;
	when_time_passed(w, 20000);
	assert_int_equal(w->node_writes, writes);
}

/* Acceptance: vnode-24 */
static void test_a_partition_that_has_gone_keeps_its_node_and_its_jobs(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	w->no_partition = true;
	when_time_passed(w, 60000);
	assert_non_null(w->node);
	assert_true(has_taint(w, TAINT_UNAVAILABLE));
	slurm_job(w, "cow")->state = "COMPLETED";
	when_time_passed(w, 6000);
	then_phase(w, "cow", "Succeeded");
}

static void test_a_partition_that_is_missed_for_a_moment_stays(void **state)
{
	W;
	int writes = w->node_writes;
	w->no_partition = true;
	when_time_passed(w, 15000);
	w->no_partition = false;
	when_time_passed(w, 20000);
	assert_int_equal(w->node_writes, writes);
}

static void test_nothing_is_submitted_to_a_partition_that_is_not_there(void **state)
{
	W;
	w->no_partition = true;
	when_time_passed(w, 11000);
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 20000);
	assert_int_equal(w->submits, 0);
	w->no_partition = false;
	when_time_passed(w, 20000);
	assert_int_equal(w->sbatches, 1);
}

/* Scripts are kept for a few pods at a time: who waits without end keeps none of them. */
static void test_for_a_partition_that_is_not_there_no_script_is_read(void **state)
{
	W;
	w->no_partition = true;
	when_time_passed(w, 11000);
	w->keeps = "/slurmjobs/";
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 20000);
	assert_null(fake_open(&w->http, "/slurmjobs/cow"));
	w->no_partition = false;
	when_time_passed(w, 20000);
	assert_non_null(fake_open(&w->http, "/slurmjobs/cow"));
}

/* Also by a process that never saw the partition. */
/* Acceptance: vnode-24 */
static void test_pods_of_a_partition_of_before_are_served(void **state)
{
	W;
	given_a_job(w, "cow", "SlurmJob");
	when_time_passed(w, 2000);
	when_killed(w);
	w->no_partition = true;
	slurm_job(w, "cow")->state = "COMPLETED";
	when_begun(w);
	when_time_passed(w, 20000);
	then_phase(w, "cow", "Succeeded");
	when_time_passed(w, 30000);
	assert_true(has_taint(w, TAINT_UNAVAILABLE));
}

/* V16, V17 */
/* Acceptance: vnode-23, V16, V17 */
static void test_features_are_labels_and_go_with_them(void **state)
{
	W;
	static const struct wlm_feature features[] = { { "containers", "singularity", 0 },
		{ "cuda", "10.1", 4 }, { "bad", "+3", 1 }, { "nodes", "9", 9 }, { "-x", "", 1 } };
	w->resources.features = features;
	w->resources.n_features = LENGTH(features);
	when_time_passed(w, 15000);
	assert_string_equal(label(w, "wlm.sylabs.io/containers"), "singularity");
	assert_string_equal(label(w, "wlm.sylabs.io/cuda"), "10.1");
	assert_string_equal(label(w, "wlm.sylabs.io/cuda_10.1"), "4");
	assert_string_equal(label(w, "wlm.sylabs.io/bad"), "(none)");
	assert_string_equal(label(w, "wlm.sylabs.io/bad__3"), "1");
	assert_string_equal(label(w, LABEL_PARTITION_NODES), "4");
	/* Withdrawn while no process runs. */
	when_killed(w);
	w->resources.n_features = 1;
	when_begun(w);
	when_time_passed(w, 15000);
	assert_string_equal(label(w, "wlm.sylabs.io/cuda"), "(none)");
	assert_string_equal(label(w, "wlm.sylabs.io/containers"), "singularity");
}

/* V16: for five minutes in which red-box comes and goes. */
/* Acceptance: V16 */
static void test_no_label_goes_while_its_node_lives(void **state)
{
	W;
	static const struct wlm_feature features[] = { { "containers", "singularity", 0 } };
	static const char *const keys[] = { LABEL_NODE_TYPE, LABEL_PARTITION, LABEL_PARTITION_NODES,
		LABEL_PARTITION_CPUS, LABEL_PARTITION_MEM, LABEL_PARTITION_WALL_TIME,
		"wlm.sylabs.io/containers" };
	w->resources.features = features;
	w->resources.n_features = LENGTH(features);
	when_time_passed(w, 15000);
	for (int second = 0; second < 300; second++) {
		w->down = second / 7 % 3 == 1;
		w->no_partition = second / 40 % 2 == 1;
		when_time_passed(w, 1000);
		for (size_t i = 0; i < LENGTH(keys); i++)
			assert_string_not_equal(label(w, keys[i]), "(none)");
		assert_true(has_taint(w, TAINT_PROVIDER));
	}
}

static void test_a_node_that_was_deleted_is_made_again(void **state)
{
	W;
	struct json_doc *doc AUTO(json_auto) = w->node;
	w->node = NULL;
	w->refuses = NULL;
	char *text AUTO(own_free) = json_text(json_root(doc), NULL);
	struct str event AUTO(str_free) = { 0 };
	str_addf(&event, "{\"type\":\"DELETED\",\"object\":%s}\n", text);
	for (int i = 0; i < FAKE_CALLS; i++)
		if (w->http.calls[i].open && strstr(w->http.calls[i].path, "/nodes?"))
			fake_data(&w->http.calls[i], str_text(&event));
	when_time_passed(w, 5000);
	assert_non_null(w->node);
	assert_true(has_taint(w, TAINT_PROVIDER));
}

/* Acceptance: vnode-25 */
static void test_a_machine_that_has_the_name_is_not_touched(void **state)
{
	W;
	when_killed(w);
	given_node_changed(w,
		"{\"metadata\":{\"labels\":null,\"annotations\":null},\"spec\":{\"taints\":"
		"null}}");
	when_begun(w);
	when_time_passed(w, 30000);
	assert_false(has_taint(w, TAINT_PROVIDER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VNODE_TEST(test_a_node_is_made_with_labels_and_taint),
		VNODE_TEST(test_a_node_without_an_address_has_none),
		VNODE_TEST(test_a_node_says_where_results_are),
		VNODE_TEST(test_a_node_has_room_for_all_its_pods_whatever_they_are_given),
		VNODE_TEST(test_at_rest_only_the_lease_is_renewed),
		VNODE_TEST(test_what_others_take_away_comes_back_and_theirs_stays),
		VNODE_TEST(test_a_quarrel_about_a_node_or_a_pod_makes_no_storm),
		VNODE_TEST(test_a_node_whose_red_box_is_away_says_since_when),
		VNODE_TEST(test_while_red_box_is_away_no_new_jobs_come_and_the_node_stays_ready),
		VNODE_TEST(test_a_red_box_that_has_never_answered_is_told_of_once),
		VNODE_TEST(test_a_short_silence_changes_nothing),
		VNODE_TEST(test_a_partition_that_has_gone_keeps_its_node_and_its_jobs),
		VNODE_TEST(test_pods_of_a_partition_of_before_are_served),
		VNODE_TEST(test_a_partition_that_is_missed_for_a_moment_stays),
		VNODE_TEST(test_nothing_is_submitted_to_a_partition_that_is_not_there),
		VNODE_TEST(test_for_a_partition_that_is_not_there_no_script_is_read),
		VNODE_TEST(test_features_are_labels_and_go_with_them),
		VNODE_TEST(test_no_label_goes_while_its_node_lives),
		VNODE_TEST(test_a_node_that_was_deleted_is_made_again),
		VNODE_TEST(test_a_machine_that_has_the_name_is_not_touched),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
