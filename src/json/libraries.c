/* SPDX-License-Identifier: Apache-2.0 */
/* The versions that the libraries of this folder report. */
#include "json/libraries.h"

#include <yaml.h>
#include <yyjson.h>

void json_libraries(struct str *out)
{
	uint32_t v = yyjson_version(); /* 0x000a00 is 0.10.0 */
	str_addf(out, "libyaml %s\nyyjson %u.%u.%u\n", yaml_get_version_string(), v >> 16 & 0xff,
		v >> 8 & 0xff, v & 0xff);
}
