/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of GRES, in each form in which Slurm writes them. */
#include "lib/test.h"

#include "slurm/gres.h"

/* "gpu/a100/2 fpga//1" */
static void then_is(const char *list, const char *expected)
{
	AUTO(str_free) struct str all = { 0 };
	const char *at = list;
	for (struct gres g; gres_next(&at, &g);)
		str_addf(&all, "%s%.*s/%.*s/%lld", all.len ? " " : "", (int)g.name_n, g.name,
			(int)g.type_n, g.type_n ? g.type : "", (long long)g.count);
	if (!str_eq(str_text(&all), expected))
		fail_msg("\"%s\" is %s", list, str_text(&all));
}

/* Acceptance: exporter-14 */
static void test_gres_of_nodes_and_jobs_in_every_form(void **state)
{
	(void)state;
	static const struct {
		const char *list, *is;
	} rows[] = {
		{ "", "" },
		{ "gpu", "gpu//1" },
		{ "gpu:8", "gpu//8" },
		{ "gpu:a100:3,gpu:v100:1,fpga:2", "gpu/a100/3 gpu/v100/1 fpga//2" },
		{ "gpu:a100:2(S:0-1),nic", "gpu/a100/2 nic//1" },
		/* As slurmctld 24.11.5 wrote what is in use, and what jobs have */
		{ "gpu:a100:3(IDX:0-2),gpu:v100:0(IDX:N/A),fpga:1",
			"gpu/a100/3 gpu/v100/0 fpga//1" },
		{ "gpu:a100:1(IDX:2),gpu:v100:0(IDX:),fpga(CNT:1)",
			"gpu/a100/1 gpu/v100/0 fpga//1" },
		{ "gpu:2(IDX:0,3),fpga", "gpu//2 fpga//1" },
		{ "gpu(CNT:3)", "gpu//3" },
		{ "gpu:a100(CNT:0)", "gpu/a100/0" },
		/* Types that look like counts */
		{ "gpu:1080:2,gpu:1080(CNT:5)", "gpu/1080/2 gpu/1080/5" },
		{ "gpu:1g.5gb:7", "gpu/1g.5gb/7" },
		{ "gpu:3g:2", "gpu/3g/2" },
		/* Counts with a unit */
		{ "lustre:4K,bandwidth:ib:2g", "lustre//4096 bandwidth/ib/2147483648" },
		{ "gpu:no_consume:4,gpu:a100:no_consume:4", "gpu//4 gpu/a100/4" },
		/* The request of a job */
		{ "gres/gpu:2,gres/gpu:a100=1,gres:fpga", "gpu//2 gpu/a100/1 fpga//1" },
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		then_is(rows[i].list, rows[i].is);
}

/* Acceptance: exporter-14 */
static void test_what_is_no_list_has_no_count_without_end(void **state)
{
	(void)state;
	then_is(",,,", "");
	then_is("(null)", "//1");
	then_is("N/A", "N/A//1");
	then_is("gpu:99999999999999999999999999", "gpu//1000000000000000");
	then_is("gpu:999999999P", "gpu//1000000000000000");
	then_is("gpu:::(((,,", "gpu//1");
	then_is("gpu:2(IDX:0", "gpu//2");
	then_is("gpu:2 ", "gpu/2 /1");
	then_is("gpu(CNT:x)", "gpu//1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gres_of_nodes_and_jobs_in_every_form),
		cmocka_unit_test(test_what_is_no_list_has_no_count_without_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
