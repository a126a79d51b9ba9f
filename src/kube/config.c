/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the address of the API server and our credentials. */
#include "kube/config_parts.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

static const char account_folder[] = "/var/run/secrets/kubernetes.io/serviceaccount";

/* Reads a token for use in a header, without the line end that editors add. */
static struct err read_token(const char *path, char **token)
{
	struct err e = config_read_file("the token file", path, CONFIG_TOKEN_BYTES, token, NULL);
	if (failed(e))
		return e;
	size_t n = strlen(*token);
	while (n && strchr(" \t\r\n", (*token)[n - 1]))
		(*token)[--n] = 0;
	if (n && strcspn(*token, " \t\r\n") == n)
		return OK;
	own_wipe(*token);
	*token = NULL;
	return err_new(ERR_INVALID, "the token file %s %s", path,
		n ? "should hold one word" : "is empty");
}

/* ---- service account ---- */

struct err config_from_account(const char *folder, const char *host, const char *port,
	const char *context, struct kube_config *out)
{
	AUTO(str_free) struct str path = { 0 };
	AUTO(str_free) struct str server = { 0 };
	struct err e;
	if (!str_empty(context))
		return err_new(ERR_INVALID,
			"a service account has no context \"%.80s\"; give --kubeconfig", context);
	str_addf(&server, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host, port);
	out->server = str_take(&server);
	str_addf(&path, "%s/ca.crt", folder);
	out->ca_file = own_strdup(str_text(&path));
	e = config_read_file("the certificate authority of the service account", out->ca_file,
		CONFIG_FILE_BYTES, &out->ca_pem, NULL);
	if (failed(e))
		return e;
	str_clear(&path);
	str_addf(&path, "%s/namespace", folder);
	/* read_token also reads the namespace */
	if (failed(read_token(str_text(&path), &out->ns)))
		out->ns = own_strdup("default");
	str_clear(&path);
	str_addf(&path, "%s/token", folder);
	out->token_file = str_take(&path);
	return OK;
}

static bool in_cluster(void)
{
	return !str_empty(getenv("KUBERNETES_SERVICE_HOST")) &&
		!str_empty(getenv("KUBERNETES_SERVICE_PORT")) && access(account_folder, F_OK) == 0;
}

/* ---- search order ---- */

static struct err from_home(const char *context, struct kube_config *out)
{
	const char *home = getenv("HOME");
	AUTO(str_free) struct str path = { 0 };
	if (!str_empty(home))
		str_addf(&path, "%s/.kube/config", home);
	if (str_empty(home) || access(str_text(&path), F_OK) != 0)
		return err_new(ERR_NOT_FOUND,
			"no Kubernetes configuration: KUBECONFIG is not set, this is no pod with a service account, and there is no %s",
			home ? str_text(&path) : "~/.kube/config");
	return config_from_files(str_text(&path), false, context, out);
}

static struct err load(const char *path, const char *context, struct kube_config *out)
{
	const char *list = getenv("KUBECONFIG");
	if (!str_empty(path))
		return config_from_files(path, false, context, out);
	if (!str_empty(list))
		return config_from_files(list, true, context, out);
	if (in_cluster())
		return config_from_account(account_folder, getenv("KUBERNETES_SERVICE_HOST"),
			getenv("KUBERNETES_SERVICE_PORT"), context, out);
	return from_home(context, out);
}

struct err kube_config_load(const char *path, const char *context, struct kube_config *out)
{
	struct err e;
	*out = (struct kube_config){ 0 };
	e = load(path, context, out);
	if (failed(e))
		kube_config_free(out);
	return e;
}

/* ---- copy and free ---- */

static void list_free(char **list)
{
	for (char **p = list; p && *p; p++)
		own_wipe(*p); /* may hold a secret for the plug-in */
	free(list);
}

const char *kube_config_host(const struct kube_config *c)
{
	const char *host = c->server ? strstr(c->server, "//") : NULL;
	return host ? host + 2 : "";
}

void kube_config_free(struct kube_config *c)
{
	free(c->server);
	free(c->ca_pem);
	free(c->cert_pem);
	own_wipe(c->key_pem);
	free(c->ca_file);
	free(c->cert_file);
	free(c->key_file);
	free(c->server_name);
	free(c->ns);
	own_wipe(c->token);
	free(c->token_file);
	list_free(c->exec);
	list_free(c->exec_env);
	free(c->exec_api_version);
	*c = (struct kube_config){ 0 };
}

static char **list_copy(char **list)
{
	size_t n = 0;
	if (!list)
		return NULL;
	while (list[n])
		n++;
	char **copy = own_alloc((n + 1) * sizeof(*copy));
	while (n--)
		copy[n] = own_strdup(list[n]);
	return copy;
}

void config_copy(const struct kube_config *from, struct kube_config *to)
{
	*to = *from;
	to->server = own_strdup(from->server);
	to->ca_pem = own_strdup(from->ca_pem);
	to->cert_pem = own_strdup(from->cert_pem);
	to->key_pem = own_strdup(from->key_pem);
	to->ca_file = own_strdup(from->ca_file);
	to->cert_file = own_strdup(from->cert_file);
	to->key_file = own_strdup(from->key_file);
	to->server_name = own_strdup(from->server_name);
	to->ns = own_strdup(from->ns);
	to->token = own_strdup(from->token);
	to->token_file = own_strdup(from->token_file);
	to->exec = list_copy(from->exec);
	to->exec_env = list_copy(from->exec_env);
	to->exec_api_version = own_strdup(from->exec_api_version);
}

/* ---- token ---- */

struct err kube_config_token(struct kube_config *c, char **token, int64_t *expires_in_ms)
{
	*token = NULL;
	*expires_in_ms = -1;
	if (c->token_file)
		return read_token(c->token_file, token);
	if (c->exec)
		return plugin_run(c, token, expires_in_ms);
	*token = own_strdup(c->token);
	return OK;
}
