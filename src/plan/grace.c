/* SPDX-License-Identifier: Apache-2.0 */
/* A new object may need an object that does not exist yet. */
#include "plan/grace.h"

#include "base/time.h"

enum { NEW_MS = 30 * 1000 }; /* the image of the Job has to be pulled, too */

int64_t grace_left_ms(const struct json *object, int64_t now_wall_ms)
{
	int64_t created_ms = 0;
	const char *created = json_str(json_at(object, "metadata", "creationTimestamp"), "");
	if (!time_parse(created, &created_ms))
		return 0;
	int64_t age_ms = now_wall_ms - created_ms;
	return age_ms < 0 || age_ms >= NEW_MS ? 0 : NEW_MS - age_ms;
}
