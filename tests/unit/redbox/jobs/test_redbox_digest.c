/* SPDX-License-Identifier: Apache-2.0 */
/* The content of a client_id: each field of a request counts, and nothing else. */
#include "lib/test.h"

#include "base/own.h"
#include "redbox/jobs/content.h"

static char *text(const char *s) { return (char *)(uintptr_t)s; }

static struct wlm_request request(void)
{
	return (struct wlm_request){
		.script = text("#!/bin/sh\n"),
		.partition = text("debug"),
		.key = text("k"),
		.container = { .image = text("library://x"),
			.app = text(""),
			.hostname = text("") },
	};
}

static void a_script_counts_with_its_partition(void **state)
{
	struct wlm_request a = request(), b = request(), c = request(), d = request();
	(void)state;
	b.script = text("#!/bin/sh\n\n");
	c.partition = text("");
	d.key = text("l");
	d.job_id = 53;
	assert_int_equal(content_of_script(&a), content_of_script(&d));
	assert_int_not_equal(content_of_script(&a), content_of_script(&b));
	assert_int_not_equal(content_of_script(&a), content_of_script(&c));
	assert_int_not_equal(content_of_script(&a), 0);
}

/* The journals of before have it: a change here refuses calls that are repeated. */
static void a_digest_is_the_same_for_ever(void **state)
{
	struct wlm_request a = request();
	(void)state;
	/* printf 'partition 5\ndebugscript 10\n#!/bin/sh\n' | sha256sum */
	assert_int_equal(content_of_script(&a), INT64_C(7971560878722199778));
	/* printf 'partition 5\ndebugimage 11\nlibrary://x' | sha256sum */
	assert_int_equal(content_of_container(&a), INT64_C(-387748397152877565));
}

static void one_text_does_not_run_into_the_next(void **state)
{
	struct wlm_request a = request(), b = request();
	(void)state;
	a.partition = text("debug"), a.script = text("script 1\nx");
	b.partition = text("debugscript 1\nx"), b.script = text("");
	assert_int_not_equal(content_of_script(&a), content_of_script(&b));
}

static void each_wish_of_a_container_counts(void **state)
{
	char *one[] = { text("/a:/b") }, *two[] = { text("/a"), text("/b") };
	struct wlm_request all[20];
	int64_t sums[20];
	size_t n = 0;
	(void)state;
	for (size_t i = 0; i < LENGTH(all); i++)
		all[i] = request();
	n++; /* the first has no wish */
	all[n++].partition = text("long");
	all[n++].container.image = text("library://y");
	all[n++].container.app = text("a");
	all[n++].container.hostname = text("a");
	all[n].container.binds = one, all[n++].container.n_binds = 1;
	all[n].container.binds = two, all[n++].container.n_binds = 2;
	all[n++].container.nodes = 1;
	all[n++].container.nodes = 2;
	all[n++].container.cpu_per_node = 1;
	all[n++].container.mem_per_node_mb = 1;
	all[n++].container.wall_time_s = 1;
	all[n++].container.allow_unsigned = true;
	all[n++].container.clean_env = true;
	all[n++].container.fake_root = true;
	all[n++].container.ipc = true;
	all[n++].container.pid = true;
	all[n++].container.no_privs = true;
	all[n++].container.writable = true;
	for (size_t i = 0; i < n; i++) {
		sums[i] = content_of_container(&all[i]);
		assert_int_not_equal(sums[i], content_of_script(&all[i]));
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(sums[i], sums[j]);
	}
}

/* The script that red-box makes has a new name for the image each time. */
static void the_script_of_a_container_does_not_count(void **state)
{
	struct wlm_request a = request(), b = request();
	(void)state;
	b.script = text("#!/bin/sh\nred-box-2.sif");
	assert_int_equal(content_of_container(&a), content_of_container(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_script_counts_with_its_partition),
		cmocka_unit_test(a_digest_is_the_same_for_ever),
		cmocka_unit_test(one_text_does_not_run_into_the_next),
		cmocka_unit_test(each_wish_of_a_container_counts),
		cmocka_unit_test(the_script_of_a_container_does_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
