/* SPDX-License-Identifier: Apache-2.0 */
/* The paths by rows; longer ones first, so that /sjob/steps/ID is no job "steps/ID". */
#include "redbox/rest/request.h"

#include <string.h>

#include "base/own.h"
#include "json/json.h"
#include "redbox/rest/rest.h"

enum { FOREIGN_BYTES = 80 }; /* of a foreign text in a sentence of ours */

static const struct {
	enum rest_what what;
	const char *name, *method, *path;
	bool has_id; /* behind the path */
} rows[] = {
	{ REST_SBATCH, "sbatch", "POST", "/sbatch", false },
	{ REST_STEPS, "steps", "GET", "/sjob/steps/", true },
	{ REST_SJOB, "sjob", "GET", "/sjob/", true },
	{ REST_SCANCEL, "scancel", "GET", "/scancel/", true },
	{ REST_OPEN, "open", "GET", "/open", false },
	{ REST_TAIL, "tail", "GET", "/tail", false },
};

const char *rest_name(enum rest_what what)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].what == what)
			return rows[i].name;
	return "other";
}

/* The rest of the path is one part, and not empty: the id, such as it is. */
static bool is_row(size_t i, const char *path)
{
	if (!rows[i].has_id)
		return str_eq(path, rows[i].path);
	const char *id = path + strlen(rows[i].path);
	return str_has_prefix(path, rows[i].path) && *id && !strchr(id, '/');
}

static bool read_id(const char *text, int64_t *id)
{
	return str_to_i64(text + (*text == '+'), 1, INT64_MAX, id);
}

int rest_route(const char *method, const char *path, struct rest_route *out, struct str *why)
{
	size_t i = 0;
	*out = (struct rest_route){ .what = REST_WHATS };
	while (i < LENGTH(rows) && !is_row(i, path))
		i++;
	if (i == LENGTH(rows)) {
		str_add(why, "there is nothing at ");
		str_add_foreign(why, path, FOREIGN_BYTES);
		return 404;
	}
	*out = (struct rest_route){ .what = rows[i].what };
	if (!str_eq(method, rows[i].method)) {
		out->allow = rows[i].method;
		str_addf(why, "%s takes %s alone", rows[i].path, rows[i].method);
		return 405;
	}
	if (rows[i].has_id && !read_id(path + strlen(rows[i].path), &out->job_id)) {
		str_add(why, "the id of a job is a number from 1 on, not ");
		str_add_foreign(why, path + strlen(rows[i].path), FOREIGN_BYTES);
		return 400;
	}
	return 200;
}

static struct err take_script(const struct json *command, char **script)
{
	const char *text = json_str(command, "");
	if (!json_is_null(command) && !json_is_str(command))
		return err_new(ERR_INVALID, "command must be a string");
	if (!*text && !json_str_bytes(command))
		return err_new(ERR_INVALID, "command must not be empty");
	if (strlen(text) != json_str_bytes(command))
		return err_new(ERR_INVALID, "command has a NUL character");
	if (strlen(text) > SUBMIT_SCRIPT_BYTES)
		return err_new(ERR_INVALID, "command has %zu bytes, and may have %d", strlen(text),
			SUBMIT_SCRIPT_BYTES);
	*script = own_strdup(text);
	return OK;
}

struct err rest_read_script(const char *body, size_t n, char **script)
{
	AUTO(json_auto) struct json_doc *doc = NULL;
	*script = NULL;
	if (!n)
		return err_new(ERR_INVALID, "the body is empty: {\"command\": SCRIPT} is wanted");
	struct err e = json_parse(body, n, REST_BODY_BYTES, &doc);
	if (failed(e))
		return err_new(ERR_INVALID, "the body is %s", e.text);
	const struct json *root = json_root(doc), *command = NULL;
	if (!json_is_null(root) && !json_is_obj(root))
		return err_new(ERR_INVALID, "the body must be a JSON object with a command");
	for (struct json_iter it = json_iter(root); json_next(&it);)
		if (str_eq(it.key, "command"))
			command = it.value;
	return take_script(command, script);
}

struct err rest_read_key(const char *header, char **key)
{
	*key = NULL;
	if (!header)
		return OK;
	size_t n = strlen(header);
	bool quoted = n >= 2 && header[0] == '"' && header[n - 1] == '"';
	AUTO(own_free) char *text = own_strndup(header + quoted, n - 2 * (size_t)quoted);
	if (!slurm_takes_key(text))
		return err_new(ERR_INVALID,
			"an Idempotency-Key has 1 to %d letters, digits and ._:/@+-",
			SLURM_KEY_BYTES);
	*key = TAKE(text);
	return OK;
}

int rest_status(enum err_kind kind, bool has_key)
{
	if (kind == ERR_TOO_LARGE)
		return 503;
	if (has_key && (kind == ERR_RETRY || kind == ERR_LOST))
		return 503;
	return has_key && kind == ERR_EXISTS ? 409 : 500;
}
