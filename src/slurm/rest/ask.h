/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A single request to slurmrestd for which slurm/rest/client.h has no function. The
 * response is short, or has one long list.
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
	const char *path; /* the part after "/slurm/v0.0.NN"; copied */
	/*
	 * The path follows "/slurmdb/v0.0.NN". A 404 fails this request and starts no
	 * negotiation, because slurmrestd may serve slurmctld alone. An empty list is
	 * valid, even with a warning
	 */
	bool database;
	int64_t from_s, to_s; /* a time range for the query of the path; to_s 0: none */
	/*
	 * The key of a long list; NULL: the response is short. each() receives one item
	 * at a time, before the rest has arrived, so items count only if done reports
	 * success. begin() is called before the first item, and again if the request is
	 * repeated
	 */
	const char *list;
	void (*begin)(void *ctx);
	json_item_fn *each;
	size_t max_bytes; /* of the list, or of a short response (0: 256 KiB) */
};

/*
 * root is the response without the list items, or the whole short response; valid during
 * the call. err is as in slurm/rest/client.h, with one exception: ERR_RETRY if the server
 * is not a slurmrestd, refuses the token, or belongs to another cluster.
 */
typedef void slurm_asked(void *ctx, struct err err, const struct json *root);
struct slurm_op *ask_begin(struct slurm *s, const struct slurm_ask *ask, slurm_asked *done,
	void *ctx);
/* Cancels the request without a call of done. Not allowed after done; accepts NULL. */
void ask_stop(struct slurm_op *op);

#endif
