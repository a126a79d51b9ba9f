/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the configuration by a table: a row for each key. */
#include "redbox/config.h"

#include <string.h>

#include "base/own.h"
#include "redbox/config_parts.h"
#include "redbox/jobs/container.h"
#include "json/yaml.h"

/* ---- errors ---- */

void config_fault(struct config_reader *r, const char *key, const char *what)
{
	const char *path[CONFIG_DEPTH + 1];
	size_t n = r->depth;
	memcpy(path, r->path, n * sizeof(*path));
	path[n++] = key;
	size_t line = yaml_line(r->text, r->n, path, key ? n : n - 1);
	str_addf(r->faults, "%s:%zu: ", r->file, line);
	if (key) {
		str_add_foreign(r->faults, key, 80);
		str_add(r->faults, ": ");
	}
	str_addf(r->faults, "%s\n", what);
}

/* ---- values ---- */

static void take_bool(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	bool b = json_bool(v, false);
	if (json_bool(v, true) != b)
		config_fault(r, key, "true or false is wanted");
	*(bool *)to = b;
}

static void take_count(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	int64_t i = json_i64(v, -1);
	if (!json_is_int(v) || i < 0)
		config_fault(r, key, "a whole number is wanted, 0 or more");
	*(int64_t *)to = i;
}

static void take_wall_time(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	if (json_is_int(v) && json_i64(v, 1) == 0)
		return;
	if (!config_duration(json_str(v, ""), to))
		config_fault(r, key, "a duration with its unit is wanted, such as 10h, 30m, 1h30m");
}

/* Also reads a whole number as text: a version, a uid. "" if the value is neither. */
static const char *text_of(struct config_reader *r, const struct json *v)
{
	if (json_is_int(v))
		return arena_printf(r->arena, "%lld", (long long)json_i64(v, 0));
	return arena_strdup(r->arena, json_str(v, ""));
}

static void take_text(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	const char *text = text_of(r, v);
	if (!*text)
		config_fault(r, key, "a text is wanted; a number such as 1.10 needs quotes");
	*(const char **)to = text;
}

static void take_path(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	take_text(r, key, v, to);
	if (**(const char **)to && **(const char **)to != '/')
		config_fault(r, key, "an absolute path is wanted, it begins with /");
}

/* The command is written into a script without quotes, so it is checked first. */
static void take_command(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	take_text(r, key, v, to);
	if (**(const char **)to && !container_takes_command(*(const char **)to))
		config_fault(r, key,
			"the name or the absolute path of a program is wanted, such as apptainer");
}

static void take_texts(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	struct redbox_texts *texts = to;
	texts->rows = arena_array(r->arena, const char *, json_count(v));
	if (!json_is_arr(v))
		config_fault(r, key, "a list is wanted");
	for (struct json_iter it = json_iter(v); json_is_arr(v) && json_next(&it);) {
		const char *text = text_of(r, it.value);
		if (!*text)
			config_fault(r, key, "each item is a text");
		texts->rows[texts->n++] = text;
	}
}

static void take_folders(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	const struct redbox_texts *texts = to;
	take_texts(r, key, v, to);
	for (size_t i = 0; i < texts->n; i++)
		if (*texts->rows[i] && *texts->rows[i] != '/')
			config_fault(r, key, "each folder is an absolute path, it begins with /");
}

/* ---- rows ---- */

#define OF(type, member) offsetof(struct type, member)

static const struct config_row feature_rows[] = {
	{ "name", take_text, OF(wlm_feature, name) },
	{ "version", take_text, OF(wlm_feature, version) },
	{ "quantity", take_count, OF(wlm_feature, quantity) },
	{ 0 },
};

static void take_features(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	struct redbox_partition *p = to;
	struct wlm_feature *rows = arena_array(r->arena, struct wlm_feature, json_count(v));
	if (!json_is_arr(v)) {
		config_fault(r, key, "a list is wanted");
		return;
	}
	r->path[r->depth++] = key;
	for (struct json_iter it = json_iter(v); json_next(&it); p->n_features++) {
		struct wlm_feature *f = &rows[p->n_features];
		const char *index = arena_printf(r->arena, "%zu", p->n_features);
		*f = (struct wlm_feature){ "", "", 0 };
		config_take(r, index, it.value, feature_rows, f);
		r->path[r->depth++] = index;
		if (json_is_obj(it.value) && json_is_null(json_get(it.value, "name")))
			config_fault(r, NULL, "a feature has a name");
		r->depth--;
	}
	r->depth--;
	p->features = rows;
}

static void take_misspelt(struct config_reader *r, const char *key, const struct json *v, void *to)
{
	str_addf(r->warnings, "%s: additional_feautres is read as additional_features\n", r->file);
	take_features(r, key, v, to);
}

static const struct config_row partition_rows[] = {
	{ "auto_nodes", take_bool, OF(redbox_partition, auto_nodes) },
	{ "auto_cpu_per_node", take_bool, OF(redbox_partition, auto_cpu_per_node) },
	{ "auto_mem_per_node", take_bool, OF(redbox_partition, auto_mem_per_node) },
	{ "auto_wall_time", take_bool, OF(redbox_partition, auto_wall_time) },
	{ "nodes", take_count, OF(redbox_partition, nodes) },
	{ "cpu_per_node", take_count, OF(redbox_partition, cpu_per_node) },
	{ "mem_per_node", take_count, OF(redbox_partition, mem_per_node_mb) },
	{ "wall_time", take_wall_time, OF(redbox_partition, wall_time_s) },
	{ "additional_features", take_features, 0 },
	{ "additional_feautres", take_misspelt, 0 }, /* spelled so in an old README */
	{ 0 },
};

static const struct config_row settings_rows[] = {
	{ "folders", take_folders, OF(redbox_config, folders) },
	{ "state_folder", take_path, OF(redbox_config, state_folder) },
	{ "slurm_folder", take_path, OF(redbox_config, slurm_folder) },
	{ "socket_group", take_text, OF(redbox_config, socket_group) },
	{ "container_command", take_command, OF(redbox_config, container_command) },
	{ "allow_users", take_texts, OF(redbox_config, allow_users) },
	{ "allow_groups", take_texts, OF(redbox_config, allow_groups) },
	{ "metrics_address", take_text, OF(redbox_config, metrics_address) },
	{ "metrics_cert_path", take_path, OF(redbox_config, metrics_cert_path) },
	{ "tcp_address", take_text, OF(redbox_config, tcp.address) },
	{ "tcp_cert_file", take_path, OF(redbox_config, tcp.cert_file) },
	{ "tcp_key_file", take_path, OF(redbox_config, tcp.key_file) },
	{ "tcp_client_ca_file", take_path, OF(redbox_config, tcp.client_ca_file) },
	{ "tcp_clients", take_texts, OF(redbox_config, tcp.clients) },
	{ 0 },
};

/* ---- the file ---- */

static void unknown(struct config_reader *r, const char *key, const struct config_row *rows)
{
	AUTO(str_free) struct str what = { 0 };
	str_add(&what, "there is no such key here; there are: ");
	for (const struct config_row *row = rows; row->key; row++)
		if (row->take != take_misspelt)
			str_addf(&what, "%s%s", row == rows ? "" : ", ", row->key);
	config_fault(r, key, str_text(&what));
}

/* The row of that key, or the last row, which has no key. */
static const struct config_row *row_of(const struct config_row *rows, const char *key)
{
	while (rows->key && !str_eq(rows->key, key))
		rows++;
	return rows;
}

void config_take(struct config_reader *r, const char *key, const struct json *object,
	const struct config_row *rows, void *to)
{
	if (!json_is_obj(object)) {
		if (!json_is_null(object))
			config_fault(r, key, "keys and values are wanted");
		return;
	}
	r->path[r->depth++] = key;
	for (struct json_iter it = json_iter(object); json_next(&it);) {
		const struct config_row *row = row_of(rows, it.key);
		if (!row->key)
			unknown(r, it.key, rows);
		else if (!json_is_null(it.value))
			row->take(r, it.key, it.value, (char *)to + row->member);
	}
	r->depth--;
}

static void take_file(struct config_reader *r, const struct json *root, struct redbox_config *c)
{
	struct redbox_partition *rows = arena_array(r->arena, struct redbox_partition,
		json_count(root));
	c->partitions = rows;
	if (!json_is_obj(root) && !json_is_null(root))
		config_fault(r, NULL, "names of partitions with their settings are wanted");
	for (struct json_iter it = json_iter(root); json_is_obj(root) && json_next(&it);) {
		if (str_eq(it.key, "red-box")) {
			config_take(r, it.key, it.value, settings_rows, c);
			continue;
		}
		if (!json_is_obj(it.value) && !json_is_null(it.value) &&
			row_of(settings_rows, it.key)->key) {
			config_fault(r, it.key, "this is a setting: it belongs beneath red-box:");
			continue;
		}
		struct redbox_partition *p = &rows[c->n_partitions++];
		p->name = arena_strdup(r->arena, it.key);
		config_take(r, it.key, it.value, partition_rows, p);
	}
}

void redbox_config_read(const char *file, const char *text, size_t n, struct redbox_config *out,
	struct str *faults, struct str *warnings)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	*out = (struct redbox_config){ 0 };
	struct config_reader r = {
		.file = file,
		.text = text,
		.n = n,
		.arena = &out->arena,
		.faults = faults,
		.warnings = warnings,
	};
	struct err e = yaml_to_json(text, n, &doc);
	if (failed(e))
		str_addf(faults, "%s: %s\n", file, e.text);
	else
		take_file(&r, json_root(doc), out);
}

void redbox_config_free(struct redbox_config *c) { arena_free(&c->arena); }
