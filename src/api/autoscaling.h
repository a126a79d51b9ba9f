/* SPDX-License-Identifier: Apache-2.0 */
/* spec.autoscaling of a NodeSet, with defaults for what it leaves out. */
#ifndef API_AUTOSCALING_H
#define API_AUTOSCALING_H

#include "base/err.h"
#include "json/json.h"

struct autoscaling {
	bool on; /* the block exists and is valid */
	int64_t min, max, buffer, weight, delay_ms;
};

/* Reads the block; on is false if it is absent or invalid. */
struct autoscaling autoscaling_read(const struct json *object);
/* ERR_INVALID with a sentence if the block is invalid. OK if it is absent. */
struct err autoscaling_check(const struct json *object);

#endif
