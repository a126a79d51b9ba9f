/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A single question to slurmrestd that has no operation of its own in
 * slurm/rest/client.h: its answer is short, or one long list.
 *
 *     op = ask_begin(slurm, &(struct slurm_ask){ .path = "/job/42", .list = "jobs",
 *             .begin = forget_jobs, .each = note_job }, done, ctx);
 */
#ifndef SLURM_REST_ASK_H
#define SLURM_REST_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "slurm/rest/client.h"

struct slurm_op;

struct slurm_ask {
	const char *path; /* behind "/slurm/v0.0.NN"; copied */
	/*
	 * The path stands behind "/slurmdb/v0.0.NN". A 404 fails this request, and looks
	 * for no other version: slurmrestd may serve slurmctld alone. An empty list is
	 * good, whatever warning comes with it
	 */
	bool database;
	int64_t from_s, to_s; /* added to the path's query as times; to_s 0: none */
	/*
	 * The key of a long list, whose items each() gets one at a time, before anything
	 * is known of what stands behind them: they count with a good end. begin: they
	 * come from the beginning, again perhaps. NULL: the answer is short
	 */
	const char *list;
	void (*begin)(void *ctx);
	json_item_fn *each;
	size_t max_bytes; /* of a long list; of a short answer, where 0 is 256 KiB */
};

/*
 * root: the answer around the list, or the whole of a short answer; valid during the
 * call. err is as of slurm/rest/client.h, but a server that is no slurmrestd, refuses the
 * token, or is of another cluster, could not be asked: ERR_RETRY.
 */
typedef void slurm_asked(void *ctx, struct err err, const struct json *root);
struct slurm_op *ask_begin(struct slurm *s, const struct slurm_ask *ask, slurm_asked *done,
	void *ctx);
/* done is not called any more. Not after it was; accepts NULL. */
void ask_stop(struct slurm_op *op);

#endif
