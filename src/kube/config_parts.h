/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the configuration; for the files of this folder only.
 *
 *     config.c          where to look, service account, token files, free
 *     config_file.c     kubeconfig files
 *     config_exec.c     credential plug-ins
 *     config_connect.c  clients that stay authenticated
 *     config_renew.c    new tokens and certificates while they live
 */
#ifndef KUBE_CONFIG_PARTS_H
#define KUBE_CONFIG_PARTS_H

#include "base/str.h"
#include "json/json.h"
#include "kube/config.h"

enum {
	CONFIG_FILE_BYTES = 8 << 20,
	CONFIG_TOKEN_BYTES = 1 << 20,
	PLUGIN_LIMIT_MS = 30000,
	CERTIFICATES_RELOAD_MS = 5000,
};

/*
 * The whole of a file into *out (malloc'ed, terminated); what: "the kubeconfig", for the
 * sentence. A file that is not there: ERR_NOT_FOUND.
 */
struct err config_read_file(const char *what, const char *path, size_t max_bytes, char **out,
	size_t *bytes);
/* path as it is when absolute, else below the folder of the file from. malloc'ed. */
char *config_relative(const char *from, const char *path);

/*
 * The files of a colon separated list (the first one that names a thing wins), or the one
 * file when list is false.
 */
struct err config_from_files(const char *paths, bool list, const char *context,
	struct kube_config *out);
/*
 * From the files of a service account in folder and the address in host and port; no
 * context.
 */
struct err config_from_account(const char *folder, const char *host, const char *port,
	const char *context, struct kube_config *out);
void config_copy(const struct kube_config *from, struct kube_config *to);

/*
 * The certificates of the files that it names. When one of them cannot be read, or holds
 * no PEM, all stay as they are. *changed: they are others now.
 */
struct err config_reload(struct kube_config *c, bool *changed);

/* ---- what is renewed while clients live ---- */
struct renewal;
struct renewal_handler {
	void (*token)(void *ctx, const char *token); /* valid during the call; may be NULL */
	void (*certificates)(void *ctx);             /* those of the configuration are others */
};
/* c outlives it; expires_in_ms: of its token, as kube_config_token says. */
struct renewal *renewal_start(struct kube_config *c, struct loop *uv_loop, int64_t expires_in_ms,
	const struct renewal_handler *h, void *ctx);
void renewal_refused(struct renewal *r); /* the API server does not know the token */
void renewal_stop(struct renewal *r);    /* accepts NULL */

/* ---- a credential plug-in that runs ---- */
struct plugin;
/*
 * token: valid during the call only; NULL when it gave a certificate, which is in the
 * configuration then.
 */
typedef void plugin_done(void *ctx, struct err e, const char *token, int64_t expires_in_ms);
/* Runs it on the loop. c lives until done is called (once) or the plug-in cancelled. */
struct err plugin_start(struct kube_config *c, struct loop *uv_loop, plugin_done *done, void *ctx,
	struct plugin **out);
void plugin_cancel(struct plugin *p); /* ends it; accepts NULL */
/* Runs it and waits for it, on a loop of its own: nothing else happens meanwhile. */
struct err plugin_run(struct kube_config *c, char **token, int64_t *expires_in_ms);
/* Reads the plug-in's output, for tests and fuzzing: */
struct err plugin_parse(struct kube_config *c, const char *text, size_t n, char **token,
	int64_t *expires_in_ms);

#endif
