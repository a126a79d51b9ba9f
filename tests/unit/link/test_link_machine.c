/* SPDX-License-Identifier: Apache-2.0 */
/* The owner of a node when the pods are in the network of their machine. */
#include "lib/link_world.h"

/* Where the network rewrites the address of a machine, its host name tells. */
static void test_a_node_of_the_machine_is_the_pods_whatever_its_address(void **state)
{
	struct world *w = *state;
	w->nodes = NODES("{\"name\":\"hn-0\",\"hostname\":\"node-1\",\"address\":\"10.244.0.1\","
			 "\"state\":[\"IDLE\"]},"
			 "{\"name\":\"hn2-0\",\"hostname\":\"node-1\",\"address\":\"10.244.0.1\","
			 "\"state\":[\"IDLE\"]}");
	given_up(w);
	struct slurm_who hn = { "hn-0", "192.168.77.1", .machine = "node-1" };
	assert_null(slurm_link_node(w->link, &hn).elsewhere);
	assert_string_equal(slurm_link_node(w->link, &hn).hostname, "node-1");
	hn.machine = "node-2";
	assert_null(slurm_link_node(w->link, &hn).elsewhere);
	hn = (struct slurm_who){ "hn3-0", "192.168.77.1", .machine = "node-1" };
	assert_string_equal(slurm_link_node(w->link, &hn).elsewhere, "hn-0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_a_node_of_the_machine_is_the_pods_whatever_its_address, given_a_link,
			free_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
