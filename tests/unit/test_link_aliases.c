/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by address and by host name, while nodes come and go. */
#include "lib/test.h"

#include "link/parts.h"

enum { NODES = 1000, HALF = NODES / 2 };

struct scene {
	struct slurm_link link;
	struct node nodes[NODES];
	char names[NODES][24], addresses[NODES][24];
};

/* Nodes n and HALF + n have one address, and the first of them a host name, too. */
static int given_nodes(void **state)
{
	struct scene *s = own_alloc(sizeof(*s));
	for (int i = 0; i < NODES; i++) {
		struct node *n = &s->nodes[i];
		snprintf(s->names[i], sizeof(s->names[i]), "node-%d", i);
		snprintf(s->addresses[i], sizeof(s->addresses[i]), "10.0.0.%d", i % HALF);
		n->name = s->names[i];
		n->address = s->addresses[i];
		n->hostname = i < HALF ? s->names[HALF + i] : NULL;
		aliases_put(&s->link, n);
	}
	*state = s;
	return 0;
}

static int free_scene(void **state)
{
	struct scene *s = *state;
	free(s->link.alias_chains);
	free(s);
	return 0;
}

static const char *at(struct scene *s, int address, const char *name)
{
	char text[24];
	snprintf(text, sizeof(text), "10.0.0.%d", address);
	struct slurm_who who = { name, text };
	const struct node *n = link_node_elsewhere(&s->link, &who);
	return n ? n->name : "";
}

static void test_of_two_the_first_is_found(void **state)
{
	struct scene *s = *state;
	for (int i = 0; i < HALF; i++) {
		assert_string_equal(at(s, i, "pod"), s->names[i]);
		assert_string_equal(at(s, i, s->names[i]), s->names[HALF + i]);
	}
}

static void test_what_has_gone_is_not_found(void **state)
{
	struct scene *s = *state;
	for (int i = 0; i < HALF; i++)
		aliases_take(&s->link, &s->nodes[i]);
	for (int i = 0; i < HALF; i++)
		assert_string_equal(at(s, i, "pod"), s->names[HALF + i]);
	for (int i = 0; i < NODES; i++)
		aliases_take(&s->link, &s->nodes[i]); /* half of them once more */
	assert_int_equal(s->link.n_aliases, 0);
	for (int i = 0; i < HALF; i++)
		assert_string_equal(at(s, i, "pod"), "");
}

static void test_what_is_down_is_not_found(void **state)
{
	struct scene *s = *state;
	for (int i = 0; i < HALF; i++)
		s->nodes[i].state = NODE_DOWN;
	for (int i = 0; i < HALF; i++)
		assert_string_equal(at(s, i, "pod"), s->names[HALF + i]);
}

#include <time.h>

/* HUNT: all nodes have the address of one machine: multiple slurmd, or a test cluster. */
static void hunt_ten_thousand_nodes_at_one_address_cost_little(void **state)
{
	enum { MANY = 10000 };
	struct slurm_link *l = own_alloc(sizeof(*l));
	struct node *nodes = own_alloc(MANY * sizeof(*nodes));
	(void)state;
	for (int same = 0; same < 2; same++) {
		struct timespec from, to;
		static char texts[MANY][24];
		clock_gettime(CLOCK_MONOTONIC, &from);
		for (int i = 0; i < MANY; i++) {
			snprintf(texts[i], sizeof(texts[i]), "10.0.%d", same ? 0 : i);
			nodes[i].name = texts[i];
			nodes[i].address = texts[i];
			nodes[i].hostname = NULL;
			aliases_put(l, &nodes[i]);
		}
		clock_gettime(CLOCK_MONOTONIC, &to);
		long ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
		print_message("%s addresses: %ld ms\n", same ? "same" : "different", ms);
		for (int i = MANY; i-- > 0;)
			aliases_take(l, &nodes[i]);
		if (same)
			assert_true(ms < 50);
	}
	free(l->alias_chains);
	free(l);
	free(nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hunt_ten_thousand_nodes_at_one_address_cost_little),
		cmocka_unit_test_setup_teardown(test_of_two_the_first_is_found, given_nodes,
			free_scene),
		cmocka_unit_test_setup_teardown(test_what_has_gone_is_not_found, given_nodes,
			free_scene),
		cmocka_unit_test_setup_teardown(test_what_is_down_is_not_found, given_nodes,
			free_scene),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
