/* SPDX-License-Identifier: Apache-2.0 */
/* Parses YAML into a document. */
#include "json/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include <yyjson.h>

#include "base/own.h"

struct converter {
	yaml_document_t *yaml;
	yyjson_mut_doc *json;
	size_t values;
	struct err err;
};

static yyjson_mut_val *convert(struct converter *c, int index, int depth);

static bool whole_number(const char *s, long long *value)
{
	char *end;
	errno = 0;
	*value = strtoll(s, &end, 10);
	return !errno && end != s && !*end && s[strspn(s, "+-")] >= '0' &&
		s[strspn(s, "+-")] <= '9';
}

static yyjson_mut_val *scalar(struct converter *c, const yaml_node_t *node)
{
	const char *s = (const char *)node->data.scalar.value;
	size_t n = node->data.scalar.length;
	long long i;
	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return yyjson_mut_strncpy(c->json, s, n);
	if (!n || !strcmp(s, "~") || !strcmp(s, "null") || !strcmp(s, "Null") || !strcmp(s, "NULL"))
		return yyjson_mut_null(c->json);
	if (!strcmp(s, "true") || !strcmp(s, "True") || !strcmp(s, "TRUE"))
		return yyjson_mut_bool(c->json, true);
	if (!strcmp(s, "false") || !strcmp(s, "False") || !strcmp(s, "FALSE"))
		return yyjson_mut_bool(c->json, false);
	if (whole_number(s, &i))
		return yyjson_mut_sint(c->json, i);
	if (strspn(s, "0123456789+-.eE") == n && strpbrk(s, "0123456789")) {
		char *end;
		double d = strtod(s, &end);
		if (!*end && d - d == 0)
			return yyjson_mut_real(c->json, d);
	}
	return yyjson_mut_strncpy(c->json, s, n);
}

static yyjson_mut_val *give_up(struct converter *c, const yaml_node_t *node, const char *what)
{
	if (!failed(c->err))
		c->err = err_new(ERR_INVALID, "YAML line %zu: %s", node->start_mark.line + 1, what);
	return NULL;
}

static yyjson_mut_val *mapping(struct converter *c, const yaml_node_t *node, int depth)
{
	yyjson_mut_val *object = yyjson_mut_obj(c->json);
	for (const yaml_node_pair_t *p = node->data.mapping.pairs.start;
		p < node->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = yaml_document_get_node(c->yaml, p->key);
		if (!key || key->type != YAML_SCALAR_NODE)
			return give_up(c, node, "a key is not a plain word");
		const char *name = (const char *)key->data.scalar.value;
		if (yyjson_mut_obj_get(object, name))
			return give_up(c, key, "the same key twice");
		yyjson_mut_val *value = convert(c, p->value, depth + 1);
		if (!value)
			return NULL;
		yyjson_mut_obj_add(object,
			yyjson_mut_strncpy(c->json, name, key->data.scalar.length), value);
	}
	return object;
}

static yyjson_mut_val *convert(struct converter *c, int index, int depth)
{
	const yaml_node_t *node = yaml_document_get_node(c->yaml, index);
	if (!node)
		return yyjson_mut_null(c->json);
	if (depth > JSON_MAX_DEPTH)
		return give_up(c, node, "nested too deeply, or an alias that contains itself");
	if (++c->values > YAML_MAX_VALUES)
		return give_up(c, node, "too many values");
	if (node->type == YAML_SCALAR_NODE)
		return scalar(c, node);
	if (node->type == YAML_MAPPING_NODE)
		return mapping(c, node, depth);
	yyjson_mut_val *array = yyjson_mut_arr(c->json);
	for (const yaml_node_item_t *i = node->data.sequence.items.start;
		i < node->data.sequence.items.top; i++) {
		yyjson_mut_val *value = convert(c, *i, depth + 1);
		if (!value)
			return NULL;
		yyjson_mut_arr_append(array, value);
	}
	return array;
}

static struct err convert_document(yaml_document_t *yaml, struct json_doc **out)
{
	struct converter c = { .yaml = yaml, .json = yyjson_mut_doc_new(NULL) };
	yaml_node_t *root = yaml_document_get_root_node(yaml);
	yyjson_mut_val *value = root ? convert(&c, 1, 0) : yyjson_mut_null(c.json);
	if (value) {
		yyjson_mut_doc_set_root(c.json, value);
		*out = (struct json_doc *)yyjson_mut_doc_imut_copy(c.json, NULL);
	}
	yyjson_mut_doc_free(c.json);
	return c.err;
}

struct err yaml_to_json(const char *text, size_t n, struct json_doc **out)
{
	*out = NULL;
	yaml_parser_t parser;
	yaml_document_t yaml;
	if (!yaml_parser_initialize(&parser))
		return err_new(ERR_INTERNAL, "the YAML parser could not start");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
	struct err e;
	if (yaml_parser_load(&parser, &yaml)) {
		e = convert_document(&yaml, out);
		yaml_document_delete(&yaml);
	} else {
		e = err_new(ERR_INVALID, "YAML line %zu: %s", parser.problem_mark.line + 1,
			parser.problem ? parser.problem : "unreadable");
	}
	yaml_parser_delete(&parser);
	return e;
}
