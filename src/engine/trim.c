/* SPDX-License-Identifier: Apache-2.0 */
/* Drops what nobody reads from an object before it is kept. */
#include "engine/trim.h"

#include <string.h>

#include "base/str.h"

static bool is_nodesets(const struct json *metadata)
{
	struct json_iter it = json_iter(json_get(metadata, "ownerReferences"));
	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller"), false))
			return str_eq(json_str(json_get(it.value, "kind"), ""),
				resource_rows[RES_NODESET].kind);
	return true; /* it may become one's */
}

struct json_doc *object_trimmed(enum resource r, const struct json *object)
{
	struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *copy = j_copy(d, object);
	j_del(j_child(d, copy, "metadata"), "managedFields");
	if (r == RES_PVC) {
		j_del(copy, "spec");
		j_del(copy, "status");
	}
	if (r == RES_REVISION && !is_nodesets(json_get(object, "metadata")))
		j_del(copy, "data");
	const char *text = j_text(d, copy);
	struct json_doc *doc = NULL, *exact = NULL;
	if (!failed(json_parse(text, strlen(text), SIZE_MAX, &doc)))
		exact = json_copy(json_root(doc));
	json_free(doc);
	arena_free(&a);
	return exact;
}
