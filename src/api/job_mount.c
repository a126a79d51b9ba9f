/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the volumes of a job. The manager mounts them with its own right to create pods,
 * so every user who may create a job can mount the volumes that are allowed here.
 */
#include <string.h>

#include "api/job_results.h"
#include "base/own.h"
#include "base/str.h"

enum { NAME_MOST = 200 };

/* Members that name the Secret with which the driver of a volume logs in. */
static const char *const secret_members[] = { "nodePublishSecretRef", "secretRef", "secretName" };

/* The member that names the server or the driver of a volume of this type. */
static const struct {
	const char *type, *member;
} named_types[] = {
	{ "nfs", "server" },
	{ "csi", "driver" },
};

static const char *name_of(const char *type, const struct json *volume)
{
	for (size_t i = 0; i < LENGTH(named_types); i++)
		if (str_eq(type, named_types[i].type))
			return json_str(json_get(volume, named_types[i].member), "");
	return "";
}

/* name "": only an entry without a name allows it. */
static bool is_allowed(const struct job_options *o, const char *type, const char *name)
{
	size_t n = strlen(type);
	for (const char *const *v = o->volumes; *v; v++)
		if (strncmp(*v, type, n) == 0 &&
			(!(*v)[n] || ((*v)[n] == ':' && *name && str_eq(*v + n + 1, name))))
			return true;
	return false;
}

static void add_allowed(struct str *out, const struct job_options *o)
{
	for (const char *const *v = o->volumes; *v; v++)
		str_addf(out, "%s%s", v == o->volumes ? "" : ", ", *v);
}

static struct err check_type(const char *part, const char *type, const char *name,
	const struct job_options *o)
{
	AUTO(str_free) struct str allowed = { 0 }, of = { 0 };
	if (is_allowed(o, type, name))
		return OK;
	add_allowed(&allowed, o);
	if (*name) {
		str_add(&of, " (");
		str_add_foreign(&of, name, NAME_MOST);
		str_add(&of, ")");
	}
	return err_new(ERR_INVALID,
		"spec.%s.mount is of the type %.60s%s; only volumes of these types are mounted: %.400s (the option --results-volumes of manager and webhook says which)",
		part, type, str_text(&of), str_text(&allowed));
}

/* A volume of the type secret is a Secret itself, and is_allowed checks its type. */
static struct err check_secrets(const char *part, const char *type, const struct json *volume,
	const struct job_options *o)
{
	for (size_t i = 0; !str_eq(type, "secret") && i < LENGTH(secret_members); i++)
		if (!json_is_null(json_get(volume, secret_members[i])) &&
			!is_allowed(o, secret_members[i], ""))
			return err_new(ERR_INVALID,
				"spec.%s.mount names a Secret (%s), with which its driver would log in; the option --results-volumes of manager and webhook allows no %s",
				part, secret_members[i], secret_members[i]);
	return OK;
}

/* A volume without a type would be an emptyDir, which is deleted with its pod. */
struct err job_mount_check(const char *part, const struct json *mount, const struct job_options *o)
{
	AUTO(str_free) struct str allowed = { 0 };
	size_t types = 0;
	for (struct json_iter it = json_iter(mount); json_next(&it);) {
		if (str_eq(it.key, "name"))
			continue;
		types++;
		struct err e = check_type(part, it.key, name_of(it.key, it.value), o);
		if (!failed(e))
			e = check_secrets(part, it.key, it.value, o);
		if (failed(e))
			return e;
	}
	if (types == 1)
		return OK;
	add_allowed(&allowed, o);
	return err_new(ERR_INVALID,
		"spec.%s.mount names %s type of a volume; name one of these: %.400s", part,
		types ? "more than one" : "no", str_text(&allowed));
}
