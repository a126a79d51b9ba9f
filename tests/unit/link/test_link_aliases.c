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
	for (int i = 0; i < HALF; i++) {
		aliases_take(&s->link, &s->nodes[i]);
		s->nodes[i].state = NODE_DOWN;
		aliases_put(&s->link, &s->nodes[i]);
	}
	for (int i = 0; i < HALF; i++)
		assert_string_equal(at(s, i, "pod"), s->names[HALF + i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_of_two_the_first_is_found, given_nodes,
			free_scene),
		cmocka_unit_test_setup_teardown(test_what_has_gone_is_not_found, given_nodes,
			free_scene),
		cmocka_unit_test_setup_teardown(test_what_is_down_is_not_found, given_nodes,
			free_scene),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
