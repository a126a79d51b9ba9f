/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of a red-box: each kind is read of any bytes. A record has its texts, which are
 * UTF-8, and its numbers; what was refused gives no job.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wlm/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_text(const char *s)
{
	for (size_t n; *s; s += n)
		if (!(n = str_utf8(s)))
			abort();
}

static void check(const struct wlm_answer *m)
{
	for (size_t i = 0; i < m->n_jobs; i++) {
		const struct slurm_job_shown *j = &m->jobs[i];
		const char *const texts[] = { j->array_id, j->name, j->user, j->exit_code,
			j->partition, j->nodes, j->node_count, j->batch_host, j->work_dir,
			j->std_out, j->std_err, j->state };
		if (j->id <= 0 || !*j->state)
			abort();
		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
			check_text(texts[t]);
	}
	for (size_t i = 0; i < m->n_names; i++) {
		check_text(m->names[i]);
		if (!*m->names[i])
			abort();
	}
	for (size_t i = 0; i < m->resources.n_features; i++)
		check_text(m->resources.features[i].name);
	check_text(m->version ? m->version : "");
}

/* A path below a folder stays there; written again it is the same. */
static void check_file(const struct wlm_file *f)
{
	struct arena a = { 0 };
	struct str again = { 0 };
	struct wlm_answer m;
	check_text(f->path);
	for (const char *s = f->path; *s; s += *s == '/') {
		size_t n = strcspn(s, "/");
		if (n == 0 || (n <= 2 && memcmp(s, "..", n) == 0) || (s[n] == '/' && !s[n + 1]))
			abort();
		s += n;
	}
	wlm_add_file(&again, f);
	if (failed(wlm_answer_read(WLM_ANSWER_FILE, again.text, again.len, &a, &m)))
		abort();
	if (!str_eq(m.file.path, f->path) || m.file.size != f->size || m.file.mode != f->mode ||
		m.file.folder != f->folder || m.file.modified_ns != f->modified_ns)
		abort();
	str_free(&again);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	for (int kind = 0; kind < WLM_ANSWER_KINDS; kind++) {
		struct arena a = { 0 };
		struct wlm_answer m;
		struct err e = wlm_answer_read((enum wlm_answer_kind)kind, bytes, n, &a, &m);
		if (failed(e) && (e.kind != ERR_INVALID || m.n_jobs))
			abort();
		if (!failed(e) && kind == WLM_ANSWER_JOB_ID && m.job_id <= 0)
			abort();
		if (!failed(e))
			check(&m);
		if (!failed(e) && kind == WLM_ANSWER_FILE)
			check_file(&m.file);
		arena_free(&a);
	}
	return 0;
}
