/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a credential plug-in: a program of the user that prints an ExecCredential. */
#include "kube/config_parts.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/time.h"
#include "net/process.h"

struct plugin {
	struct process *process;
	struct kube_config *config;
	plugin_done *done;
	void *ctx;
};

static int64_t wall_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- starting ---- */

static size_t count(char **list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

static bool names(const char *pair, const char *other)
{
	size_t n = strcspn(pair, "=");
	return strncmp(pair, other, n) == 0 && other[n] == '=';
}

/*
 * Our environment, the plug-in's variables, which override ours, and info. The caller
 * frees only the array.
 */
static char **environment(const struct kube_config *c, char *info)
{
	char **all = own_alloc((count(environ) + count(c->exec_env) + 2) * sizeof(char *));
	size_t n = 0;
	for (char **p = environ; *p; p++) {
		bool replaced = names(info, *p);

		for (char **own = c->exec_env; own && *own && !replaced; own++)
			replaced = names(*own, *p);
		if (!replaced)
			all[n++] = *p;
	}
	for (char **own = c->exec_env; own && *own; own++)
		all[n++] = *own;
	all[n] = info;
	return all;
}

/* ---- output ---- */

static bool same_kind(const struct kube_config *c, const struct json *v)
{
	return str_eq(json_str(json_get(v, "kind"), ""), "ExecCredential") &&
		str_eq(json_str(json_get(v, "apiVersion"), ""), c->exec_api_version);
}

static void replace(char **text, const char *with)
{
	own_wipe(*text);
	*text = own_strdup(with);
}

struct err plugin_parse(struct kube_config *c, const char *text, size_t n, char **token,
	int64_t *expires_in_ms)
{
	AUTO(json_wipe_at) struct json_doc *doc = NULL;
	struct err e = json_parse(text, n, CONFIG_TOKEN_BYTES, &doc);
	const char *name = c->exec ? c->exec[0] : "";
	int64_t until;
	if (failed(e)) /* without the parser's text, which may show a piece of a secret */
		return err_new(ERR_INVALID,
			"the credential plug-in %s printed something that is no JSON", name);
	const struct json *status = json_get(json_root(doc), "status");
	const char *given = json_str(json_get(status, "token"), NULL);
	const char *cert = json_str(json_get(status, "clientCertificateData"), NULL),
		   *key = json_str(json_get(status, "clientKeyData"), NULL);
	if (!same_kind(c, json_root(doc)))
		return err_new(ERR_INVALID,
			"the credential plug-in %s printed no ExecCredential of %s", name,
			c->exec_api_version);
	if (str_empty(given) && (str_empty(cert) || str_empty(key)))
		return err_new(ERR_INVALID,
			"the credential plug-in %s gave neither a token nor a certificate with its key",
			name);
	if (given && strpbrk(given, " \t\r\n"))
		return err_new(ERR_INVALID,
			"the credential plug-in %s gave a token that is not one word", name);
	if (!str_empty(cert) && !str_empty(key)) {
		replace(&c->cert_pem, cert);
		replace(&c->key_pem, key);
	}
	*token = str_empty(given) ? NULL : own_strdup(given);
	*expires_in_ms = -1;
	if (time_parse(json_str(json_get(status, "expirationTimestamp"), ""), &until)) {
		*expires_in_ms = until - wall_ms();
		*expires_in_ms = *expires_in_ms < 0 ? 0 : *expires_in_ms;
	}
	return OK;
}

/* ---- running ---- */

static struct err how_it_ended(const char *name, const struct process_end *end)
{
	if (end->signal)
		return err_new(ERR_DENIED, "the credential plug-in %s was ended by signal %d", name,
			end->signal);
	if (end->code == 127) /* from a shell */
		return err_new(ERR_INVALID,
			"the credential plug-in %s cannot be started: there is no such program",
			name);
	if (end->code != 0)
		return err_new(ERR_DENIED, "the credential plug-in %s ended with code %d", name,
			end->code);
	return OK;
}

static void ended(void *ctx, struct err e, const struct process_end *end)
{
	struct plugin p = *(struct plugin *)ctx;
	char *token = NULL;
	int64_t expires_in_ms = -1;
	free(ctx);
	if (failed(e))
		e = err_new(e.kind, "the credential plug-in %s", e.text);
	else
		e = how_it_ended(p.config->exec[0], end);
	if (!failed(e))
		e = plugin_parse(p.config, end->output, end->output_bytes, &token, &expires_in_ms);
	p.done(p.ctx, e, token, expires_in_ms);
	own_wipe(token);
}

struct err plugin_start(struct kube_config *c, struct loop *uv_loop, plugin_done *done, void *ctx,
	struct plugin **out)
{
	AUTO(str_free) struct str info = { 0 };
	str_addf(&info,
		"KUBERNETES_EXEC_INFO={\"apiVersion\":\"%s\",\"kind\":\"ExecCredential\",\"spec\":{"
		"\"interactive\":false}}",
		c->exec_api_version);
	AUTO(own_free) char **env = environment(c, info.text);
	const struct process_config config = {
		.argv = (const char *const *)c->exec,
		.env = (const char *const *)env,
		.max_output_bytes = CONFIG_TOKEN_BYTES,
		.errors_are_ours = true,
		.limit_ms = PLUGIN_LIMIT_MS,
	};
	struct plugin *p = own_alloc(sizeof(*p));
	*p = (struct plugin){ NULL, c, done, ctx };
	struct err e = process_start(uv_loop, &config, ended, p, &p->process);
	if (failed(e)) {
		free(p);
		return err_new(e.kind, "the credential plug-in %s", e.text);
	}
	*out = p;
	return OK;
}

void plugin_cancel(struct plugin *p)
{
	if (!p)
		return;
	process_cancel(p->process);
	free(p);
}

/* ---- blocking run ---- */

struct wait {
	struct loop *loop;
	struct err e;
	char *token;
	int64_t expires_in_ms;
};

static void waited_for(void *ctx, struct err e, const char *token, int64_t expires_in_ms)
{
	struct wait *w = ctx;
	w->e = e;
	w->token = own_strdup(token);
	w->expires_in_ms = expires_in_ms;
	loop_uv_stop(w->loop);
}

struct err plugin_run(struct kube_config *c, char **token, int64_t *expires_in_ms)
{
	struct wait w = { .loop = loop_uv_new(), .expires_in_ms = -1 };
	struct plugin *p;
	struct err e = plugin_start(c, w.loop, waited_for, &w, &p);
	if (!failed(e)) {
		loop_uv_run(w.loop);
		e = w.e;
	}
	loop_uv_free(w.loop);
	*token = w.token;
	*expires_in_ms = w.expires_in_ms;
	return e;
}
