/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for Slurm's tools, and what came of a call. */
#include "lib/tools_world.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/test.h"

static const char stand_in[] = "#!/bin/sh\n"
			       "dir=${0%/*} name=${0##*/}\n"
			       "all=$name\n"
			       "for one; do all=\"$all [$one]\"; done\n"
			       "printf '%s\\n' \"$all\" >>\"$dir/calls\"\n"
			       "env >\"$dir/$name.env\"\n"
			       "cat >\"$dir/$name.in\"\n"
			       "if [ -f \"$dir/$name.sh\" ]; then . \"$dir/$name.sh\"; fi\n";

static char *path_of(const struct tools_world *w, const char *name)
{
	struct str path = { 0 };
	str_addf(&path, "%s/%s", w->folder, name);
	return str_take(&path);
}

static void write_file(const struct tools_world *w, const char *name, const char *text, mode_t mode)
{
	AUTO(own_free) char *path = path_of(w, name);
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(path, mode);
}

char *tool_file(struct tools_world *w, const char *name)
{
	AUTO(own_free) char *path = path_of(w, name);
	struct str bytes = { 0 };
	char piece[4096];
	FILE *f = fopen(path, "re");
	for (size_t n; f && (n = fread(piece, 1, sizeof(piece), f)) > 0;)
		str_add_bytes(&bytes, piece, n);
	if (f)
		fclose(f);
	return str_take(&bytes);
}

void tool_does(struct tools_world *w, const char *name, const char *script)
{
	AUTO(str_free) struct str file = { 0 };
	str_addf(&file, "%s.sh", name);
	write_file(w, str_text(&file), script, 0600);
}

void tool_fails(struct tools_world *w, const char *name, const char *errors)
{
	AUTO(str_free) struct str file = { 0 };
	str_addf(&file, "%s.errors", name);
	write_file(w, str_text(&file), errors, 0600);
	tool_does(w, name, "cat \"$dir/$name.errors\" >&2; exit 1");
}

void begin_tools(struct tools_world *w, struct slurm_tools_config config)
{
	config.folder = w->folder;
	slurm_tools_free(TAKE(w->tools));
	w->err = slurm_tools_new(w->loop, &config, &w->tools);
}

int given_tools(void **state)
{
	static const char *const names[] = { "sacct", "sbatch", "scancel", "scontrol", "sinfo",
		"squeue" };
	struct tools_world *w = own_alloc(sizeof(*w));
	char template[] = "/tmp/slurm-tools-XXXXXX";
	assert_non_null(mkdtemp(template));
	w->folder = own_strdup(template);
	for (size_t i = 0; i < LENGTH(names); i++)
		write_file(w, names[i], stand_in, 0700);
	w->loop = loop_uv_new();
	begin_tools(w, (struct slurm_tools_config){ 0 });
	if (failed(w->err))
		fail_msg("%s", w->err.text);
	*state = w;
	return 0;
}

static int remove_one(const char *path, const struct stat *about, int flag, struct FTW *at)
{
	(void)about, (void)flag, (void)at;
	return remove(path);
}

int free_tools_world(void **state)
{
	struct tools_world *w = *state;
	slurm_tools_free(w->tools);
	loop_uv_free(w->loop);
	nftw(w->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	str_free(&w->words);
	free(w->folder);
	free(w);
	return 0;
}

static void note(struct tools_world *w, const struct slurm_tools_told *told)
{
	str_clear(&w->words);
	for (size_t i = 0; i < told->n && told->jobs; i++)
		str_addf(&w->words, "%lld:%s ", (long long)told->jobs[i].id, told->jobs[i].state);
	for (size_t i = 0; i < told->n && told->steps; i++)
		str_addf(&w->words, "%s:%s ", told->steps[i].id, told->steps[i].state);
	for (size_t i = 0; i < told->n && told->partitions; i++)
		str_addf(&w->words, "%s ", told->partitions[i].name);
	for (size_t i = 0; i < told->n && told->found; i++)
		str_addf(&w->words, "%lld ", (long long)told->found[i].id);
	if (told->version)
		str_add(&w->words, told->version);
	if (told->n && told->jobs) {
		w->first_submit_s = told->jobs[0].submit_s;
		w->first_limit_s = told->jobs[0].limit_s;
	}
	if (told->n && told->partitions) {
		w->first_cpus = told->partitions[0].cpus_per_node;
		w->first_usable = told->partitions[0].usable_nodes;
	}
}

void tools_told(void *ctx, struct err err, const struct slurm_tools_told *told)
{
	struct tools_world *w = ctx;
	w->told++;
	w->err = err;
	w->job_id = told->job_id;
	w->no_accounting = told->no_accounting;
	w->behind = told->accounts_behind;
	w->controller = told->controller;
	w->n = told->n;
	if (!failed(err))
		note(w, told);
	if (w->told >= w->wanted)
		loop_uv_stop(w->loop);
}

void when_so_many_told(struct tools_world *w, int n)
{
	w->wanted = w->told + n;
	loop_uv_run(w->loop);
	assert_int_equal(w->told, w->wanted);
}

void when_told(struct tools_world *w)
{
	when_so_many_told(w, 1);
	if (failed(w->err))
		fail_msg("%s", w->err.text);
}

void was_told(struct tools_world *w, enum err_kind kind, const char *sentence)
{
	when_so_many_told(w, 1);
	assert_string_equal(err_kind_name(w->err.kind), err_kind_name(kind));
	if (!strstr(w->err.text, sentence))
		fail_msg("\"%s\" is not in: %s", sentence, w->err.text);
}

void was_called(struct tools_world *w, const char *calls)
{
	AUTO(own_free) char *all = tool_file(w, "calls");
	assert_string_equal(all, calls);
	write_file(w, "calls", "", 0600);
}
