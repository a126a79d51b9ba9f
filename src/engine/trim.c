/* SPDX-License-Identifier: Apache-2.0 */
/* Drops what nobody reads from an object before it is kept. */
#include "engine/trim.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "object/metadata.h"

/* Of any version. */
static bool is_of_group(const struct json *reference, const char *group)
{
	const char *version = json_str(json_get(reference, "apiVersion"), "");
	size_t n = strlen(group);
	return strncmp(version, group, n) == 0 && version[n] == '/';
}

static bool is_kind_of_ours(const struct json *reference)
{
	const char *kind = json_str(json_get(reference, "kind"), "");
	for (const struct resource_row *r = resource_rows; r < resource_rows + RES_COUNT; r++)
		if (r->custom && str_eq(r->kind, kind) && is_of_group(reference, r->group))
			return true;
	return false;
}

/* Or may become ours, while nothing controls it. */
static bool is_ours(const struct json *object)
{
	const struct json *controller = controller_of(object);
	return !controller || is_kind_of_ours(controller);
}

struct json_doc *object_trimmed(enum resource r, const struct json *object)
{
	struct arena a = { 0 };
	struct jdoc *d = jdoc_new(&a);
	struct jval *copy = j_copy(d, object);
	j_del(j_child(d, copy, "metadata"), "managedFields");
	const struct resource_row *row = &resource_rows[r];
	for (size_t i = 0; i < LENGTH(row->unread) && row->unread[i]; i++)
		j_del(copy, row->unread[i]);
	if (row->unread_of_others && !is_ours(object))
		j_del(copy, row->unread_of_others);
	const char *text = j_text(d, copy);
	struct json_doc *doc = NULL, *exact = NULL;
	if (!failed(json_parse(text, strlen(text), SIZE_MAX, &doc)))
		exact = json_copy(json_root(doc));
	json_free(doc);
	arena_free(&a);
	return exact;
}
