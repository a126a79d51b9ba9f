/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Besides the kubelet API, serves the results of a job to the pod that copies them
 * (docs/results.md):
 *
 *     GET /results/NAMESPACE/POD                           the list (plan/results/list.h)
 *     GET /results/NAMESPACE/POD/file?path=P&offset=N      bytes of a file, from N on
 *     GET /results/NAMESPACE/POD/checksum?path=P           its SHA-256
 *
 * and receives the inputs of a job from the pod that sends them (docs/prepare.md):
 *
 *     GET /prepare/NAMESPACE/POD/checksum?path=P           its SHA-256; 204: no such file
 *     PUT /prepare/NAMESPACE/POD/file?path=P&...          a piece (plan/results/inputs.h)
 *
 * POD is the pod of the job. To read results, a client needs a token of the audience
 * "wlm.sylabs.io/results" that is bound to the current pod POD-collect, and the object of
 * the job must control that pod. The token gives access only to the place that
 * spec.results.from of the object names, or the standard output, and to files beneath it.
 * The pod POD-prepare, with a token of the audience "wlm.sylabs.io/prepare", may write
 * below the folder that spec.prepare names until the job is submitted. The API server's
 * answers about the pod and the object are cached for a minute.
 *
 *     401 unknown client      403 denied, here or by red-box   404 absent   400 invalid
 *     429 too many requests   500 cannot be decided now        503 red-box: retry later
 *
 * Limits: 64 requests at a time, of which 12 for lists, and 8 for one pod. A namespace
 * may use half of what other namespaces leave free.
 */
#ifndef KUBELET_TRANSFER_REQUEST_H
#define KUBELET_TRANSFER_REQUEST_H

#include "kubelet/parts.h"

enum {
	MOST_TRANSFERS = 64,
	/* part of MOST_TRANSFERS; red-box allows 16 for one client (LISTS_MOST) */
	MOST_LISTS = 12,
	MOST_INPUTS_FILES = 64,
};

/* Whether this is a path of results or inputs. */
bool results_is_path(const char *path);
/* Answers an exchange that has a path of results or inputs. */
void results_serve(struct kubelet *k, struct exchange *x);

/* Drops all incomplete uploads: their files are not created. */
void results_end_uploads(struct kubelet *k);

#endif
