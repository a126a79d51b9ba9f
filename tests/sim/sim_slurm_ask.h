/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request to slurmrestd that has got as far as slurmctld, for the files that answer.
 */
#ifndef SIM_SLURM_ASK_H
#define SIM_SLURM_ASK_H

#include <yyjson.h>

#include "sim/sim_slurm.h"

struct ask {
	struct sim_slurm *s;
	const struct sim_request *rq;
	struct sim_reply *out;
	const char *rest; /* path after the version */
	yyjson_mut_doc *d;
	yyjson_mut_val *root, *errors, *warnings;
};

void sim_ask_refuse(struct ask *a, int status, int number, const char *text); /* with errors[] */
void sim_ask_plain(struct sim_reply *out, int status, const char *text);
/* Slurm's numbers: {"set":true,"infinite":false,"number":5}. */
void sim_ask_number(struct ask *a, yyjson_mut_val *object, const char *key, bool infinite,
	int64_t number);
void sim_ask_last_update(struct ask *a);

/* 304 is the answer to a list of nodes */
bool sim_ask_unchanged(const struct sim_slurm *s, const char *path);
void sim_ask_nodes(struct ask *a);
void sim_ask_partitions(struct ask *a);
void sim_ask_node(struct ask *a, const char *name);
void sim_ask_update(struct ask *a, const char *one); /* NULL: names are in the body */
void sim_ask_delete(struct ask *a, const char *name);
void sim_ask_states(struct ask *a);
void sim_ask_jobs(struct ask *a);
void sim_ask_job(struct ask *a, const char *id);

#endif
