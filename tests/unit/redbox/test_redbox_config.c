/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of red-box: old files as they were, and every fault with its line. */
#include "lib/test.h"

#include "redbox/config.h"

struct world {
	struct redbox_config config;
	struct str faults, warnings;
};

static int given_nothing(void **state)
{
	*state = own_alloc(sizeof(struct world));
	return 0;
}

static void clear(struct world *w)
{
	redbox_config_free(&w->config);
	str_free(&w->faults);
	str_free(&w->warnings);
}

static int free_world(void **state)
{
	clear(*state);
	free(*state);
	return 0;
}

static void read_text(struct world *w, const char *text)
{
	clear(w);
	redbox_config_read("f.yaml", text, strlen(text), &w->config, &w->faults, &w->warnings);
}

static void is_good(struct world *w, const char *text)
{
	read_text(w, text);
	assert_string_equal(str_text(&w->faults), "");
}

static void has_faults(struct world *w, const char *text, const char *faults)
{
	read_text(w, text);
	assert_string_equal(str_text(&w->faults), faults);
}

static struct wlm_resources of(const struct world *w, const char *partition)
{
	const struct slurm_partition_shown shown = { partition, 8, 4, 1000, SLURM_ABSENT };
	return redbox_config_resources(&w->config, &shown);
}

/* Acceptance: red-box-26 */
static void an_old_file_is_read_as_it_was(void **state)
{
	struct world *w = *state;
	is_good(w,
		"debug:\n"
		"  auto_nodes: true\n"
		"  nodes: 3\n"
		"  cpu_per_node: 2\n"
		"  wall_time: 10h\n"
		"  additional_features:\n"
		"    - name: containers\n"
		"      version: 10\n"
		"      quantity: 20\n"
		"    - name: plain\n"
		"gpu: {}\n");
	struct wlm_resources r = of(w, "debug");
	assert_int_equal(r.nodes, 8); /* auto comes before what is given */
	assert_int_equal(r.cpu_per_node, 2);
	assert_int_equal(r.mem_per_node_mb, 1000);
	assert_int_equal(r.wall_time_s, 36000);
	assert_int_equal(r.n_features, 2);
	assert_string_equal(r.features[0].name, "containers");
	assert_string_equal(r.features[0].version, "10");
	assert_int_equal(r.features[0].quantity, 20);
	assert_string_equal(r.features[1].version, "");
}

static void a_partition_that_is_not_in_it_is_as_slurm_says(void **state)
{
	struct world *w = *state;
	is_good(w, "");
	struct wlm_resources r = of(w, "other");
	assert_int_equal(r.nodes, 8);
	assert_int_equal(r.cpu_per_node, 4);
	assert_int_equal(r.wall_time_s, 0); /* no limit */
	assert_int_equal(r.n_features, 0);
}

/* Acceptance: red-box-26 */
static void the_old_misspelling_is_taken_with_a_warning(void **state)
{
	struct world *w = *state;
	is_good(w, "debug:\n  additional_feautres:\n    - name: a\n");
	assert_int_equal(of(w, "debug").n_features, 1);
	assert_non_null(strstr(str_text(&w->warnings), "additional_feautres is read as"));
}

static void settings_of_the_program(void **state)
{
	struct world *w = *state;
	is_good(w,
		"red-box:\n"
		"  folders: [/home/bridge, /scratch]\n"
		"  state_folder: /srv/red-box\n"
		"  slurm_folder: /opt/slurm/bin\n"
		"  socket_group: bridge\n"
		"  allow_users: [1000, kube]\n"
		"  allow_groups: [bridge]\n");
	assert_int_equal(w->config.n_partitions, 0);
	assert_int_equal(w->config.folders.n, 2);
	assert_string_equal(w->config.folders.rows[1], "/scratch");
	assert_string_equal(w->config.state_folder, "/srv/red-box");
	assert_string_equal(w->config.slurm_folder, "/opt/slurm/bin");
	assert_string_equal(w->config.socket_group, "bridge");
	assert_string_equal(w->config.allow_users.rows[0], "1000");
	assert_string_equal(w->config.allow_groups.rows[0], "bridge");
}

#define SETTINGS                                                                             \
	"folders, state_folder, slurm_folder, socket_group, "                                \
	"container_command, allow_users, allow_groups, metrics_address, metrics_cert_path, " \
	"tcp_address, "                                                                      \
	"tcp_cert_file, tcp_key_file, tcp_client_ca_file, tcp_clients"

/* Acceptance: red-box-26 */
static void all_faults_are_told_with_their_lines(void **state)
{
	struct world *w = *state;
	has_faults(w,
		"red-box:\n"
		"  folders: [home]\n"
		"  colour: red\n"
		"debug:\n"
		"  nodes: many\n"
		"  auto_nodes: 1\n"
		"  wall_time: 36000\n"
		"  additional_features:\n"
		"    - version: 1.10\n"
		"      nmae: a\n"
		"gpu: 5\n",
		"f.yaml:2: folders: each folder is an absolute path, it begins with /\n"
		"f.yaml:3: colour: there is no such key here; there are: " SETTINGS "\n"
		"f.yaml:5: nodes: a whole number is wanted, 0 or more\n"
		"f.yaml:6: auto_nodes: true or false is wanted\n"
		"f.yaml:7: wall_time: a duration with its unit is wanted, such as 10h, 30m, 1h30m\n"
		"f.yaml:9: version: a text is wanted; a number such as 1.10 needs quotes\n"
		"f.yaml:10: nmae: there is no such key here; there are: name, version, quantity\n"
		"f.yaml:9: a feature has a name\n"
		"f.yaml:11: gpu: keys and values are wanted\n");
}

static void a_setting_that_is_not_beneath_red_box_is_told_where_it_belongs(void **state)
{
	struct world *w = *state;
	has_faults(w, "tcp_address: \":7433\"\n",
		"f.yaml:1: tcp_address: this is a setting: it belongs beneath red-box:\n");
	is_good(w, "folders:\n  nodes: 1\nslurmrestd:\n"); /* partitions may be called so */
}

static void what_is_no_yaml_is_one_fault(void **state)
{
	struct world *w = *state;
	read_text(w, "a: [1\nb: 2\n");
	assert_non_null(strstr(str_text(&w->faults), "f.yaml: YAML line 2"));
	read_text(w, "a: 1\na: 2\n");
	assert_non_null(strstr(str_text(&w->faults), "the same key twice"));
	has_faults(w, "- debug\n",
		"f.yaml:1: names of partitions with their settings are wanted\n");
}

static void durations_are_those_of_go(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: refused */
	} rows[] = {
		{ "10h", 36000 },
		{ "30m", 1800 },
		{ "90s", 90 },
		{ "1h30m", 5400 },
		{ "1.5h", 5400 },
		{ "0.1h", 360 },
		{ "1500ms", 1 },
		{ "500ms", 0 },
		{ "0", 0 },
		{ "10", -1 },
		{ "h", -1 },
		{ "-1h", -1 },
		{ "1.2.3h", -1 },
		{ "10d", -1 },
		{ "\"\"", -1 },
		{ "1e5h", -1 },
		{ "nan", -1 },
	};
	struct world *w = *state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char text[64];
		snprintf(text, sizeof(text), "debug: {wall_time: %s}", rows[i].text);
		read_text(w, text);
		assert_int_equal(w->faults.len > 0, rows[i].seconds < 0);
		if (rows[i].seconds >= 0)
			assert_int_equal(of(w, "debug").wall_time_s, rows[i].seconds);
	}
}

static void the_command_of_containers_is_a_plain_name(void **state)
{
	struct world *w = *state;
	is_good(w, "red-box: {container_command: /opt/bin/apptainer}\n");
	assert_string_equal(w->config.container_command, "/opt/bin/apptainer");
	is_good(w, "debug: {}\n");
	assert_null(w->config.container_command);
	has_faults(w, "red-box:\n  container_command: apptainer --debug\n",
		"f.yaml:2: container_command: the name or the absolute path of a program is "
		"wanted, "
		"such as apptainer\n");
}

#define CONFIG_TEST(f) cmocka_unit_test_setup_teardown(f, given_nothing, free_world)

static void metrics_are_nowhere_unless_an_address_is_told(void **state)
{
	struct world *w = *state;
	is_good(w, "debug: {}\n");
	assert_null(w->config.metrics_address);
	is_good(w, "red-box: {metrics_address: 127.0.0.1:7434, metrics_cert_path: /m}\n");
	assert_string_equal(w->config.metrics_address, "127.0.0.1:7434");
	assert_string_equal(w->config.metrics_cert_path, "/m");
	has_faults(w, "red-box:\n  metrics_cert_path: m\n",
		"f.yaml:2: metrics_cert_path: an absolute path is wanted, it begins with /\n");
}

/* Acceptance: red-box-20 */
static void a_slurmrestd_is_refused_in_a_plain_sentence(void **state)
{
	struct world *w = *state;
	has_faults(w,
		"red-box:\n  slurmrestd: http://127.0.0.1:6820\n"
		"  slurmrestd_token_file: /etc/red-box/token\n",
		"f.yaml:2: slurmrestd: there is no such key here; there are: " SETTINGS "\n"
		"f.yaml:3: slurmrestd_token_file: there is no such key here; there are: " SETTINGS
		"\n");
}

static void clients_by_tcp_are_told_in_five_lines(void **state)
{
	struct world *w = *state;
	is_good(w,
		"red-box:\n  tcp_address: 10.0.0.1:7433\n  tcp_cert_file: /c\n  tcp_key_file: /k\n"
		"  tcp_client_ca_file: /a\n  tcp_clients: [hpc-vnode, spiffe://hpc/vnode]\n");
	assert_string_equal(w->config.tcp.address, "10.0.0.1:7433");
	assert_string_equal(w->config.tcp.client_ca_file, "/a");
	assert_int_equal(w->config.tcp.clients.n, 2);
	has_faults(w,
		"red-box:\n  tcp_cert_file: c\n  tcp_clients: vnode\n  tcp_address: 7433.5\n"
		"  tcp_certs: /c\n",
		"f.yaml:2: tcp_cert_file: an absolute path is wanted, it begins with /\n"
		"f.yaml:3: tcp_clients: a list is wanted\n"
		"f.yaml:4: tcp_address: a text is wanted; a number such as 1.10 needs quotes\n"
		"f.yaml:5: tcp_certs: there is no such key here; there are: " SETTINGS "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONFIG_TEST(an_old_file_is_read_as_it_was),
		CONFIG_TEST(a_partition_that_is_not_in_it_is_as_slurm_says),
		CONFIG_TEST(the_old_misspelling_is_taken_with_a_warning),
		CONFIG_TEST(settings_of_the_program),
		CONFIG_TEST(all_faults_are_told_with_their_lines),
		CONFIG_TEST(a_setting_that_is_not_beneath_red_box_is_told_where_it_belongs),
		CONFIG_TEST(what_is_no_yaml_is_one_fault),
		CONFIG_TEST(durations_are_those_of_go),
		CONFIG_TEST(the_command_of_containers_is_a_plain_name),
		CONFIG_TEST(metrics_are_nowhere_unless_an_address_is_told),
		CONFIG_TEST(a_slurmrestd_is_refused_in_a_plain_sentence),
		CONFIG_TEST(clients_by_tcp_are_told_in_five_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
