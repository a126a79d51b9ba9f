/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the configuration; for the files of this folder only.
 *
 *     config.c          search order, service account, token files, free
 *     config_file.c     kubeconfig files
 *     config_exec.c     credential plug-ins
 *     config_connect.c  clients that stay authenticated
 *     config_renew.c    new tokens and certificates while clients live
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
 * Reads a whole file into *out (malloc'ed, terminated). what: its description for the
 * error text, such as "the kubeconfig". ERR_NOT_FOUND: the file does not exist.
 */
struct err config_read_file(const char *what, const char *path, size_t max_bytes, char **out,
	size_t *bytes);
/* Resolves path relative to the folder of the file from. An absolute path is copied. */
char *config_relative(const char *from, const char *path);

/*
 * Reads the files of a colon-separated list, or one file when list is false. If several
 * files define the same name, the first counts.
 */
struct err config_from_files(const char *paths, bool list, const char *context,
	struct kube_config *out);
/*
 * Reads the files of a service account in folder; the server is host and port. Rejects a
 * context.
 */
struct err config_from_account(const char *folder, const char *host, const char *port,
	const char *context, struct kube_config *out);
void config_copy(const struct kube_config *from, struct kube_config *to);

/*
 * Reads the certificate files of the configuration again. If a file cannot be read or
 * holds no PEM, nothing is changed. *changed: the contents differ.
 */
struct err config_reload(struct kube_config *c, bool *changed);

/* ---- renewal of credentials while clients live ---- */
struct renewal;
struct renewal_handler {
	void (*token)(void *ctx, const char *token); /* valid during the call; may be NULL */
	/* called after they changed in the configuration */
	void (*certificates)(void *ctx);
};
/* c must outlive the renewal; expires_in_ms: as from kube_config_token. */
struct renewal *renewal_start(struct kube_config *c, struct loop *uv_loop, int64_t expires_in_ms,
	const struct renewal_handler *h, void *ctx);
void renewal_refused(struct renewal *r); /* the API server rejected the token */
void renewal_stop(struct renewal *r);    /* accepts NULL */

/* ---- a running credential plug-in ---- */
struct plugin;
/*
 * token: valid during the call. NULL when the plug-in returned only a certificate, which
 * is already in the configuration.
 */
typedef void plugin_done(void *ctx, struct err e, const char *token, int64_t expires_in_ms);
/* Runs the plug-in on the loop. c must live until done is called, or plugin_cancel. */
struct err plugin_start(struct kube_config *c, struct loop *uv_loop, plugin_done *done, void *ctx,
	struct plugin **out);
void plugin_cancel(struct plugin *p); /* kills the plug-in; accepts NULL */
/* Runs the plug-in on a private loop, and blocks until it ends. */
struct err plugin_run(struct kube_config *c, char **token, int64_t *expires_in_ms);
/* Reads the plug-in's output. Declared here for tests and fuzzing. */
struct err plugin_parse(struct kube_config *c, const char *text, size_t n, char **token,
	int64_t *expires_in_ms);

#endif
