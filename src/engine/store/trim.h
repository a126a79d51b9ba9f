/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of an object that the store keeps. */
#ifndef ENGINE_STORE_TRIM_H
#define ENGINE_STORE_TRIM_H

#include "json/json.h"
#include "object/resource.h"

/*
 * A copy without managedFields and the copy that kubectl apply leaves in an annotation.
 * Claims keep their metadata only: thousands of them may exist and no decision looks at
 * their specs. So do the revisions of DaemonSets and StatefulSets. A job whose status
 * knows of its pod, or says that it is refused, keeps no script. An object that would
 * need more than most_bytes keeps only the part that fits: it is cut (json_is_cut). An
 * object that needs more than its resource may ever have (most_kb of its row) is
 * object_is_large.
 */
struct json_doc *object_trimmed(enum resource r, const struct json *object, size_t most_bytes);
/* The size of the copy when it may have all that its resource may have. */
size_t object_bytes(enum resource r, const struct json *object);
/* The copy would be object_is_large. */
bool object_would_be_large(enum resource r, const struct json *object);

#endif
