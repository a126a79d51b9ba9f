/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of a job, for the pod that copies them (docs/results.md), beside the
 * kubelet API:
 *
 *     GET /results/NAMESPACE/POD                           the list (plan/results/list.h)
 *     GET /results/NAMESPACE/POD/file?path=P&offset=N      bytes of a file, from N on
 *     GET /results/NAMESPACE/POD/checksum?path=P           its SHA-256
 *
 * and its inputs, of the pod that brings them (docs/prepare.md):
 *
 *     GET /prepare/NAMESPACE/POD/checksum?path=P           the same; 204: nothing is
 *     PUT /prepare/NAMESPACE/POD/file?path=P&...          a piece (plan/results/inputs.h)
 *
 * POD is the pod of the job. The client shows a token of the audience
 * "wlm.sylabs.io/results" of the pod POD-collect that is there now, which the object of
 * the job controls. That token opens the place that spec.results.from of the object
 * names, or the standard output, and all beneath; nothing else. The pod POD-prepare, with
 * tokens of "wlm.sylabs.io/prepare", writes below the folder that spec.prepare names, as
 * long as the job is not submitted. The API server's answers about the pod and the object
 * are cached for a minute.
 *
 *     401 not known   403 may not, or red-box may not   404 not there   400 wrong
 *     429 too many    500 not known now                 503 red-box: again later
 *
 * Limits: 64 at a time, 12 of them lists, 8 of one pod. A namespace has half of what the
 * others leave.
 */
#ifndef KUBELET_TRANSFER_REQUEST_H
#define KUBELET_TRANSFER_REQUEST_H

#include "kubelet/parts.h"

enum {
	MOST_TRANSFERS = 64,
	MOST_LISTS = 12, /* among them; red-box makes 16 for one client (LISTS_MOST) */
	MOST_INPUTS_FILES = 64,
};

/* A path of results or inputs. */
bool results_is_path(const char *path);
/* Answers an exchange with such a path. */
void results_serve(struct kubelet *k, struct exchange *x);

/* Files that came in part are not made. */
void results_end_uploads(struct kubelet *k);

#endif
