/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest of the content of a submission, which its client_id stands for from then on
 * (redbox/submit/submission.h).
 *
 * The digest is made of the fields of the request. It is not made of the script that
 * red-box writes for a container, which has a new name for its image in each call. An
 * empty field does not count, so that a later version may add fields. The journal keeps
 * the digests, and compares them with those of calls after an upgrade. So a change here
 * would make red-box refuse repeated calls. A change in what a virtual node sends for an
 * object that it has submitted before would do the same.
 */
#ifndef REDBOX_JOBS_CONTENT_H
#define REDBOX_JOBS_CONTENT_H

#include <stdint.h>

#include "wlm/wlm.h"

/* The first 64 bits of the SHA-256 of all fields; 0: OpenSSL has no SHA-256. */
int64_t content_of_script(const struct wlm_request *r);
int64_t content_of_container(const struct wlm_request *r);

#endif
