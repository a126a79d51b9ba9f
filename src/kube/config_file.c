/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig files. */
#include "kube/config_parts.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "json/yaml.h"

enum { MOST_FILES = 32 };

/* All files of the list, with their paths: a path in a file is relative to the file. */
struct files {
	struct json_doc *doc[MOST_FILES];
	char *path[MOST_FILES];
	int n;
};

struct found {
	const struct json *value;
	const char *path, *name;
};

static void files_free(struct files *f)
{
	for (int i = 0; i < f->n; i++) {
		json_free(f->doc[i]);
		free(f->path[i]);
	}
}

/* ---- reading ---- */

static struct err add_file(struct files *f, const char *path, size_t n)
{
	AUTO(own_free) char *name = own_strndup(path, n);
	AUTO(own_free) char *text = NULL;
	AUTO(json_auto) struct json_doc *doc = NULL;
	size_t bytes = 0;
	struct err e;
	if (f->n == MOST_FILES)
		return err_new(ERR_TOO_LARGE, "KUBECONFIG lists more than %d files", MOST_FILES);
	e = config_read_file("the kubeconfig", name, CONFIG_FILE_BYTES, &text, &bytes);
	if (failed(e))
		return e;
	e = yaml_to_json(text, bytes, &doc);
	if (failed(e))
		return err_wrap(e, "the kubeconfig %s", name);
	if (!json_is_obj(json_root(doc)))
		return err_new(ERR_INVALID, "the kubeconfig %s is %s", name,
			json_is_null(json_root(doc)) ? "empty" : "not a YAML mapping");
	f->path[f->n] = TAKE(name);
	f->doc[f->n++] = TAKE(doc);
	return OK;
}

static struct err add_list(struct files *f, const char *list)
{
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ":");
		struct err e = n ? add_file(f, at, n) : OK;

		/* A list may name files that do not exist */
		if (failed(e) && e.kind != ERR_NOT_FOUND)
			return e;
		at += n + (at[n] == ':');
	}
	if (f->n == 0)
		return err_new(ERR_NOT_FOUND,
			"no Kubernetes configuration: none of the files in KUBECONFIG (%s) exists",
			list);
	return OK;
}

/* ---- finding ---- */

static struct err find(const struct files *f, const char *list, const char *member,
	const char *name, struct found *out)
{
	for (int i = 0; i < f->n; i++) {
		for (struct json_iter it = json_iter(json_get(json_root(f->doc[i]), list));
			json_next(&it);) {
			if (!str_eq(json_str(json_get(it.value, "name"), NULL), name))
				continue;
			*out = (struct found){ json_get(it.value, member), f->path[i], name };
			if (json_is_obj(out->value))
				return OK;
			return err_new(ERR_INVALID,
				"the kubeconfig %s has the %s \"%s\" without its content",
				f->path[i], member, name);
		}
	}
	return err_new(ERR_NOT_FOUND, "the kubeconfig %s%s has no %s \"%s\"", f->path[0],
		f->n > 1 ? " and those after it" : "", member, name);
}

static const char *current_context(const struct files *f)
{
	for (int i = 0; i < f->n; i++) {
		const char *name = json_str(json_get(json_root(f->doc[i]), "current-context"), "");

		if (name[0])
			return name;
	}
	return NULL;
}

/* ---- values ---- */

static const char *text_of(const struct found *in, const char *key)
{
	return json_str(json_get(in->value, key), "");
}

static struct err decode(const struct found *in, const char *key, char **out)
{
	AUTO(str_free) struct str packed = { 0 };
	size_t bytes = 0;
	for (const char *at = text_of(in, key); *at; at++)
		if (!strchr(" \t\r\n", *at))
			str_add_bytes(&packed, at, 1);
	if (base64_decode(str_text(&packed), packed.len, out, &bytes) && bytes &&
		strlen(*out) == bytes)
		return OK;
	free(TAKE(*out));
	return err_new(ERR_INVALID, "the kubeconfig %s: %s of \"%s\" is not base64 of a text",
		in->path, key, in->name);
}

/*
 * Reads a PEM text from "key-data", or from the file that "key" names, and sets *file to
 * that file. *out stays NULL when both are absent.
 */
static struct err pem_of(const struct found *in, const char *key, char **out, char **file)
{
	AUTO(str_free) struct str data_key = { 0 };
	str_addf(&data_key, "%s-data", key);
	if (text_of(in, str_text(&data_key))[0])
		return decode(in, str_text(&data_key), out);
	if (!text_of(in, key)[0])
		return OK;
	*file = config_relative(in->path, text_of(in, key));
	struct err e = config_read_file(key, *file, CONFIG_FILE_BYTES, out, NULL);
	return failed(e) ? err_wrap(e, "the kubeconfig %s", in->path) : OK;
}

static struct err take_server(const struct found *cluster, struct kube_config *out)
{
	const char *server = text_of(cluster, "server");
	size_t n = strlen(server);
	if (!str_has_prefix(server, "https://") && !str_has_prefix(server, "http://"))
		return err_new(ERR_INVALID,
			"the kubeconfig %s: the server of cluster \"%s\" is \"%s\"; it should start with https://",
			cluster->path, cluster->name, server);
	while (n && server[n - 1] == '/')
		n--;
	out->server = own_strndup(server, n);
	return OK;
}

static struct err take_cluster(const struct found *cluster, struct kube_config *out)
{
	struct err e = take_server(cluster, out);
	if (!failed(e))
		e = pem_of(cluster, "certificate-authority", &out->ca_pem, &out->ca_file);
	if (failed(e))
		return e;
	if (text_of(cluster, "tls-server-name")[0])
		out->server_name = own_strdup(text_of(cluster, "tls-server-name"));
	if (text_of(cluster, "proxy-url")[0])
		return err_new(ERR_INVALID,
			"the kubeconfig %s: proxy-url of cluster \"%s\" is not supported; set the variable HTTPS_PROXY instead",
			cluster->path, cluster->name);
	out->insecure = json_bool(json_get(cluster->value, "insecure-skip-tls-verify"), false);
	if (out->insecure && out->ca_pem)
		return err_new(ERR_INVALID,
			"the kubeconfig %s: cluster \"%s\" has a certificate authority and insecure-skip-tls-verify; only one of them may be set",
			cluster->path, cluster->name);
	return OK;
}

/* ---- users ---- */

static struct err take_env(const struct found *user, const struct json *exec,
	struct kube_config *out)
{
	const struct json *env = json_get(exec, "env");
	size_t n = 0;
	out->exec_env = own_alloc((json_count(env) + 1) * sizeof(char *));
	for (struct json_iter it = json_iter(env); json_next(&it);) {
		const char *name = json_str(json_get(it.value, "name"), "");
		AUTO(str_free) struct str pair = { 0 };

		if (!name[0] || strchr(name, '='))
			return err_new(ERR_INVALID,
				"the kubeconfig %s: a variable of the credential plug-in of \"%s\" has no usable name",
				user->path, user->name);
		str_addf(&pair, "%s=%s", name, json_str(json_get(it.value, "value"), ""));
		out->exec_env[n++] = str_take(&pair);
	}
	return OK;
}

static struct err take_exec(const struct found *user, const struct json *exec,
	struct kube_config *out)
{
	const char *version = json_str(json_get(exec, "apiVersion"), ""),
		   *command = json_str(json_get(exec, "command"), "");
	size_t n = 0;
	if (!str_eq(version, "client.authentication.k8s.io/v1") &&
		!str_eq(version, "client.authentication.k8s.io/v1beta1"))
		return err_new(ERR_INVALID,
			"the kubeconfig %s: the credential plug-in of \"%s\" has apiVersion \"%s\"; it should be %s",
			user->path, user->name, version, "client.authentication.k8s.io/v1");
	if (!command[0])
		return err_new(ERR_INVALID,
			"the kubeconfig %s: the credential plug-in of \"%s\" has no command",
			user->path, user->name);
	out->exec = own_alloc((json_count(json_get(exec, "args")) + 2) * sizeof(char *));
	out->exec[n++] = strchr(command, '/') ? config_relative(user->path, command)
					      : own_strdup(command);
	for (struct json_iter it = json_iter(json_get(exec, "args")); json_next(&it);) {
		if (!json_is_str(it.value))
			return err_new(ERR_INVALID,
				"the kubeconfig %s: an argument of the credential plug-in of \"%s\" is no string",
				user->path, user->name);
		out->exec[n++] = own_strdup(json_str(it.value, ""));
	}
	out->exec_api_version = own_strdup(version);
	return take_env(user, exec, out);
}

static struct err take_certificate(const struct found *user, struct kube_config *out)
{
	struct err e = pem_of(user, "client-certificate", &out->cert_pem, &out->cert_file);
	if (!failed(e))
		e = pem_of(user, "client-key", &out->key_pem, &out->key_file);
	if (!failed(e) && !out->cert_pem != !out->key_pem)
		e = err_new(ERR_INVALID,
			"the kubeconfig %s: user \"%s\" has a client certificate without its key, or a key without its certificate",
			user->path, user->name);
	return e;
}

/*
 * Like client-go: a token file takes precedence over a token, and a token over a plug-in.
 */
static struct err take_user(const struct found *user, struct kube_config *out)
{
	struct err e = take_certificate(user, out);
	const struct json *exec = json_get(user->value, "exec");
	if (failed(e))
		return e;
	if (text_of(user, "tokenFile")[0])
		out->token_file = config_relative(user->path, text_of(user, "tokenFile"));
	else if (text_of(user, "token")[0])
		out->token = own_strdup(text_of(user, "token"));
	else if (!json_is_null(exec))
		return take_exec(user, exec, out);
	else if (!json_is_null(json_get(user->value, "auth-provider")) ||
		text_of(user, "username")[0])
		return err_new(ERR_INVALID,
			"the kubeconfig %s: user \"%s\" has auth-provider or a password, which Kubernetes gave up; use exec or a token",
			user->path, user->name);
	return OK;
}

/* ---- contexts ---- */

static struct err take_context(const struct files *f, const char *name, struct kube_config *out)
{
	struct found context, cluster, user;
	struct err e = find(f, "contexts", "context", name, &context);
	if (failed(e))
		return e;
	out->ns = own_strdup(text_of(&context, "namespace")[0] ? text_of(&context, "namespace")
							       : "default");
	e = find(f, "clusters", "cluster", text_of(&context, "cluster"), &cluster);
	if (!failed(e))
		e = take_cluster(&cluster, out);
	if (failed(e) || !text_of(&context, "user")[0])
		return e;
	e = find(f, "users", "user", text_of(&context, "user"), &user);
	return failed(e) ? e : take_user(&user, out);
}

struct err config_from_files(const char *paths, bool list, const char *context,
	struct kube_config *out)
{
	AUTO(files_free) struct files f = { 0 };
	struct err e = list ? add_list(&f, paths) : add_file(&f, paths, strlen(paths));
	if (failed(e))
		return e;
	const char *name = str_empty(context) ? current_context(&f) : context;
	if (!name)
		return err_new(ERR_INVALID,
			"the kubeconfig %s has no current-context; choose one of its contexts",
			f.path[0]);
	return take_context(&f, name, out);
}
