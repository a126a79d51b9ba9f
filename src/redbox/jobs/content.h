/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest of what a submission asks for: what its client_id stands for from then on
 * (redbox/submit/submission.h).
 *
 * It is made of the fields of the request, and not of the script that red-box makes for a
 * container, which has a new name for its image in each call. A field that is empty does
 * not count, so that a later version may add fields. The digests are in the journal, and
 * are compared with those of calls that come after an upgrade: a change here, or in what
 * a virtual node sends for an object that it has submitted before, would refuse calls
 * that are repeated.
 */
#ifndef REDBOX_JOBS_CONTENT_H
#define REDBOX_JOBS_CONTENT_H

#include <stdint.h>

#include "wlm/wlm.h"

/* The first 64 bits of the SHA-256 of all fields; 0: OpenSSL has none. */
int64_t content_of_script(const struct wlm_request *r);
int64_t content_of_container(const struct wlm_request *r);

#endif
