/* The link to a Slurm cluster: what is under way to a node, until when. */
#include "slurm_fake.h"

#include "engine/slurm_link.h"

#define NODES "GET /slurm/v0.0.42/nodes/"
#define POST "POST /slurm/v0.0.42/nodes/"
#define ONE_NODE "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\",\"DRAIN\"]}]," \
	"\"last_update\":{\"set\":true,\"number\":0},\"errors\":[],\"warnings\":[]}"
#define DONE "{\"errors\":[],\"warnings\":[]}"

static void nobody_cares(void *ctx, struct slurm_link *l) { (void)ctx, (void)l; }
static void told(void *ctx, struct err err) { *(int *)ctx += !failed(err); }

static struct err http_of_test(void *ctx, const struct http_config *config, struct http **out)
{
	(void)config;
	*out = ctx;
	return OK;
}

struct setup {
	struct fake *f;
	struct kube kube;
	struct slurm_link *l;
};

/* A link that has read one node, n1, which is drained. */
static void begin(struct setup *t)
{
	*t = (struct setup){ .f = fake_new() };
	t->kube = (struct kube){ &t->f->http, &t->f->loop };
	struct link_config config = { &t->kube, &t->f->loop, http_of_test, &t->f->http, nobody_cares, NULL };
	t->l = slurm_link_new(&config, "ns", "slurm");
	slurm_link_set(t->l, "http://slurmrestd", "token");
	fake_pass(t->f, 0);
	fake_answer(t->f, "GET /api/v1/namespaces/ns/secrets/token", 200, "{\"data\":{\"auth-token\":\"ZXlK\"}}");
	fake_negotiate(t->f);
	fake_answer(t->f, "GET /slurm/v0.0.42/ping/", 200, "{\"pings\":[{\"hostname\":\"c\",\"pinged\":\"UP\",\"responding\":true}],\"errors\":[]}");
	fake_answer(t->f, NODES "?update_time=4000000000", 304, "");
	fake_pass(t->f, 0);
	fake_answer(t->f, NODES, 200, ONE_NODE);
}

static void end(struct setup *t)
{
	slurm_link_free(t->l);
	fake_free(t->f);
}

/* The oldest request lets the others by. */
static void wait_longer(struct fake *f)
{
	struct http_call *first = f->calls, **at = &f->calls;
	*at = first->next;
	first->next = NULL;
	while (*at)
		at = &(*at)->next;
	*at = first;
}

static void test_a_node_is_in_flight_until_every_update_of_it_is_answered(void **state)
{
	(void)state;
	struct setup t;
	int answered = 0;
	const char *const names[] = { "n1" };
	begin(&t);
	assert_false(slurm_link_node(t.l, "n1").in_flight);
	slurm_link_update(t.l, SLURM_UNDRAIN, names, 1, "slurm-operator: x", told, &answered);
	slurm_link_update(t.l, SLURM_COMMENT, names, 1, "c", told, &answered);
	wait_longer(t.f);
	fake_answer(t.f, POST, 200, DONE); /* the comment; the end of the drain is still on its way */
	fake_pass(t.f, 10);
	wait_longer(t.f);
	fake_answer(t.f, NODES, 200, ONE_NODE);
	assert_int_equal(answered, 1);
	assert_true(slurm_link_node(t.l, "n1").in_flight);

	fake_answer(t.f, POST, 200, DONE);
	assert_true(slurm_link_node(t.l, "n1").in_flight);
	fake_pass(t.f, 10);
	fake_answer(t.f, NODES, 200, ONE_NODE);
	assert_int_equal(answered, 2);
	assert_false(slurm_link_node(t.l, "n1").in_flight);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_a_node_is_in_flight_until_every_update_of_it_is_answered) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
