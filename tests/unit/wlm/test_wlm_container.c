/* SPDX-License-Identifier: Apache-2.0 */
/* The request of a container job, byte for byte as clients of wlm-operator have it. */
#include "lib/wlm_hex.h"

#include "wlm/wlm.pb-c.h"

#define CONTAINER                                                                \
	"0a0b6c6962726172793a2f2f781001180220800428d8043205646562756742230a046d" \
	"61696e10011a0262311a02623220012801320574657374313801400148015001"

/* Acceptance: red-box-9 */
static void a_container_has_its_numbers(void **state)
{
	(void)state;
	char *binds[] = { (char *)(uintptr_t)"b1", (char *)(uintptr_t)"b2" };
	Api__SingularityOptions o = API__SINGULARITY_OPTIONS__INIT;
	o.app = (char *)(uintptr_t)"main";
	o.hostname = (char *)(uintptr_t)"test1";
	o.allowunsigned = o.clearenv = o.fakeroot = o.ipc = o.pid = o.noprivs = o.writable = 1;
	o.n_binds = 2;
	o.binds = binds;
	Api__SubmitJobContainerRequest m = API__SUBMIT_JOB_CONTAINER_REQUEST__INIT;
	m.imagename = (char *)(uintptr_t)"library://x";
	m.nodes = 1;
	m.cpupernode = 2;
	m.mempernode = 512;
	m.walltime = 600;
	m.partition = (char *)(uintptr_t)"debug";
	m.options = &o;
	is_message(&m.base, CONTAINER);
}

/* Acceptance: red-box-9, word-32 */
static void a_container_is_read(void **state)
{
	(void)state;
	struct wlm_request r = read_hex(WLM_SUBMIT_JOB_CONTAINER, CONTAINER);
	const struct wlm_container *c = &r.container;
	assert_string_equal(c->image, "library://x");
	assert_string_equal(r.partition, "debug");
	assert_int_equal(c->nodes, 1);
	assert_int_equal(c->cpu_per_node, 2);
	assert_int_equal(c->mem_per_node_mb, 512);
	assert_int_equal(c->wall_time_s, 600);
	assert_string_equal(c->app, "main");
	assert_string_equal(c->hostname, "test1");
	assert_int_equal(c->n_binds, 2);
	assert_string_equal(c->binds[1], "b2");
	assert_true(c->allow_unsigned && c->clean_env && c->fake_root && c->ipc && c->pid);
	assert_true(c->no_privs && c->writable);
	wlm_request_free(&r);
}

/* Each flag alone, by its number in SingularityOptions: none is taken for another. */
/* Acceptance: red-box-9 */
static void each_flag_of_a_container_is_its_own(void **state)
{
	static const struct {
		const char *hex;
		size_t member;
	} rows[] = {
		{ "42021001", offsetof(struct wlm_container, allow_unsigned) },
		{ "42022001", offsetof(struct wlm_container, clean_env) },
		{ "42022801", offsetof(struct wlm_container, fake_root) },
		{ "42023801", offsetof(struct wlm_container, ipc) },
		{ "42024001", offsetof(struct wlm_container, pid) },
		{ "42024801", offsetof(struct wlm_container, no_privs) },
		{ "42025001", offsetof(struct wlm_container, writable) },
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct wlm_request r = read_hex(WLM_SUBMIT_JOB_CONTAINER, rows[i].hex);
		for (size_t j = 0; j < LENGTH(rows); j++)
			assert_int_equal(*((const char *)&r.container + rows[j].member), i == j);
		wlm_request_free(&r);
	}
}

static void a_container_without_options_is_read(void **state)
{
	(void)state;
	struct wlm_request r = read_hex(WLM_SUBMIT_JOB_CONTAINER, "0a0178");
	assert_string_equal(r.container.image, "x");
	assert_string_equal(r.container.app, "");
	assert_int_equal(r.container.n_binds, 0);
	wlm_request_free(&r);
	refused(WLM_SUBMIT_JOB_CONTAINER, "0a017842030a0100", "NUL byte");
	refused(WLM_SUBMIT_JOB_CONTAINER, "0a017842041a026100", "NUL byte");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_container_has_its_numbers),
		cmocka_unit_test(a_container_is_read),
		cmocka_unit_test(each_flag_of_a_container_is_its_own),
		cmocka_unit_test(a_container_without_options_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
