/* SPDX-License-Identifier: Apache-2.0 */
/* spec.autoscaling of a NodeSet, with defaults for what it leaves out. */
#ifndef API_AUTOSCALING_H
#define API_AUTOSCALING_H

#include "base/err.h"
#include "json/json.h"

struct autoscaling {
	bool on; /* the block is there and can be used */
	int64_t min, max, buffer, weight, delay_ms;
};

/* on is false if the block cannot be used. */
struct autoscaling autoscaling_read(const struct json *object);
/* ERR_INVALID with a sentence: what is wrong with it. OK also when it is not there. */
struct err autoscaling_check(const struct json *object);

#endif
