/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder with stand-ins for Slurm's tools, and slurm/tools/tools.h before it. A
 * stand-in notes its arguments, its environment and its input, then does what the test
 * said.
 *
 *     tool_does(w, "sbatch", "echo 42");
 *     slurm_tools_submit(w->tools, &submission, tools_told, w);
 *     when_told(w);
 *     was_called(w, "sbatch [--parsable]\n");
 */
#ifndef TESTS_LIB_TOOLS_WORLD_H
#define TESTS_LIB_TOOLS_WORLD_H

#include "base/str.h"
#include "slurm/tools/tools.h"

struct tools_world {
	struct loop *loop;
	struct slurm_tools *tools;
	char *folder;
	int told, wanted; /* calls of done; the loop stops after so many */
	struct err err;   /* of the last one; and what it told: */
	int64_t job_id, first_submit_s, first_limit_s, first_cpus, first_usable;
	struct slurm_controller_shown controller;
	bool no_accounting, behind;
	size_t n;
	struct str words; /* ids and names of what was told, a blank behind each */
};

/* In a fresh folder; begin_tools begins them again, differently */
int given_tools(void **state);
int free_tools_world(void **state);
void begin_tools(struct tools_world *w, struct slurm_tools_config config);

/* A line of shell. The stand-in's arguments are "$@", its folder is $dir */
void tool_does(struct tools_world *w, const char *name, const char *script);
/* A tool that fails with this on its standard error */
void tool_fails(struct tools_world *w, const char *name, const char *errors);
/* "calls", "sbatch.in", "sbatch.env" and what stand-ins wrote; "" when there is none */
char *tool_file(struct tools_world *w, const char *name);

slurm_tools_done tools_told;
/* Until one more call, or so many more, were told; the first checks that it is fine */
void when_told(struct tools_world *w);
void when_so_many_told(struct tools_world *w, int n);
void was_told(struct tools_world *w, enum err_kind kind, const char *sentence);

/* Compares, and forgets what was called so far */
void was_called(struct tools_world *w, const char *calls);

#endif
