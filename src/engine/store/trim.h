/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of an object that the store keeps. */
#ifndef ENGINE_STORE_TRIM_H
#define ENGINE_STORE_TRIM_H

#include "json/json.h"
#include "object/resource.h"

/*
 * A copy without managedFields and without the annotation in which kubectl apply keeps
 * another copy. The copy of a claim has only its metadata, because there may be thousands
 * and no decision reads their specs. Revisions of DaemonSets and StatefulSets are kept
 * without their data. A job keeps no script once its status names its pod or refuses the
 * job. An object that needs more than most_bytes is cut to the part that fits
 * (json_is_cut). An object that needs more than most_kb of its row is object_is_large.
 */
struct json_doc *object_trimmed(enum resource r, const struct json *object, size_t most_bytes);
/* The size of the copy, limited only by most_kb of its row. */
size_t object_bytes(enum resource r, const struct json *object);
/* True if the copy would be object_is_large. */
bool object_would_be_large(enum resource r, const struct json *object);

#endif
