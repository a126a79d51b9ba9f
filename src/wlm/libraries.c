/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of this folder report their versions. */
#include "wlm/libraries.h"

#include <protobuf-c/protobuf-c.h>

void wlm_libraries(struct str *out) { str_addf(out, "protobuf-c %s\n", protobuf_c_version()); }
