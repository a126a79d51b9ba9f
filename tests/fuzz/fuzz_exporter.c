/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exporter reads foreign bytes: the header Accept, and lists whose names become
 * labels. The input: one byte that chooses, then the header, or a list.
 */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "exporter/take.h"
#include "plan/exporter/text.h"
#include "plan/exporter/waits.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST_BYTES = 1 << 20 };

static void (*const takers[])(struct source_answer *, const struct json *) = {
	[EXPORTER_NODES] = take_node,
	[EXPORTER_JOBS] = take_job,
	[EXPORTER_PARTITIONS] = take_partition,
};

/* "name{labels} number": each line is whole, and no name has broken out of its label. */
static void look_at_page(const struct str *page)
{
	for (const char *line = str_text(page), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end || (strncmp(line, "slurm_", 6) != 0 && *line != '#'))
			abort();
	}
}

static void look_at_list(enum exporter_source of, const struct json *list)
{
	enum { NOW_S = 1795715300 };
	AUTO(str_free) struct str page = { 0 };
	struct exporter_waits waits = { .begun = true };
	struct source_answer *t = take_new(of);
	for (struct json_iter it = json_iter(list); json_next(&it);)
		takers[of](t, it.value);
	const struct exporter_partition all = { "all", 1, 1 };
	const struct exporter_partitions one = { &all, 1 };
	if (!failed(take_end(t))) {
		exporter_waits_take(&waits, &t->jobs, NOW_S);
		exporter_waits_take(&waits, &t->jobs, NOW_S);
		exporter_gauges(
			&(struct exporter_facts){
				.nodes = of == EXPORTER_NODES ? &t->nodes : NULL,
				.jobs = of == EXPORTER_JOBS ? &t->jobs : NULL,
				.partitions = of == EXPORTER_PARTITIONS ? &t->partitions : &one,
				.waits = &waits,
				.per_user_names = true,
				.limits = { 3, 3, 3, 3 },
			},
			&page);
		look_at_page(&page);
	}
	exporter_waits_free(&waits);
	take_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < 1)
		return 0;
	AUTO(own_free) char *text = own_strndup((const char *)bytes + 1, n - 1);
	AUTO(json_auto) struct json_doc *doc = NULL;
	exporter_format_for(text);
	exporter_takes_gzip(text);
	if (!failed(json_parse((const char *)bytes + 1, n - 1, MOST_BYTES, &doc)))
		look_at_list((enum exporter_source)(bytes[0] % LENGTH(takers)), json_root(doc));
	return 0;
}
