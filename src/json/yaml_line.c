/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the line of a key: parses the text once more, and follows the path of keys. */
#include "json/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/str.h"

static yaml_node_t *item(yaml_document_t *yaml, const yaml_node_t *list, const char *index)
{
	int64_t i, n = list->data.sequence.items.top - list->data.sequence.items.start;
	if (!str_to_i64(index, 0, n - 1, &i))
		return NULL;
	return yaml_document_get_node(yaml, list->data.sequence.items.start[i]);
}

/* Returns the value of key below node, and its line in *line; NULL: there is none. */
static yaml_node_t *below(yaml_document_t *yaml, const yaml_node_t *node, const char *key,
	size_t *line)
{
	if (node->type == YAML_SEQUENCE_NODE) {
		yaml_node_t *found = item(yaml, node, key);
		*line = found ? found->start_mark.line + 1 : *line;
		return found;
	}
	if (node->type != YAML_MAPPING_NODE)
		return NULL;
	for (const yaml_node_pair_t *p = node->data.mapping.pairs.start;
		p < node->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = yaml_document_get_node(yaml, p->key);
		if (k && k->type == YAML_SCALAR_NODE &&
			str_eq((const char *)k->data.scalar.value, key)) {
			*line = k->start_mark.line + 1;
			return yaml_document_get_node(yaml, p->value);
		}
	}
	return NULL;
}

size_t yaml_line(const char *text, size_t n, const char *const *path, size_t keys)
{
	yaml_parser_t parser;
	yaml_document_t yaml;
	size_t line = 1;
	if (!yaml_parser_initialize(&parser))
		return line;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
	if (yaml_parser_load(&parser, &yaml)) {
		const yaml_node_t *node = yaml_document_get_root_node(&yaml);
		for (size_t i = 0; i < keys && node; i++)
			node = below(&yaml, node, path[i], &line);
		yaml_document_delete(&yaml);
	}
	yaml_parser_delete(&parser);
	return line;
}
