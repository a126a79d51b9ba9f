/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address of the API server and our credentials, from kubeconfig files or the service
 * account of a pod. Supported are KUBECONFIG lists, --kubeconfig, certificates inline or
 * by file, tokens, token files, and basic exec plug-ins of
 * client.authentication.k8s.io/v1 and v1beta1. Files with tokens and certificates are
 * read again when they are renewed.
 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "base/err.h"
#include "net/http.h"

struct kube_config {
	char *server, *ca_pem, *cert_pem, *key_pem, *server_name, *ns;
	/* Files of the three PEM texts, read again when they change; NULL: no file */
	char *ca_file, *cert_file, *key_file;
	int64_t reload_ms;        /* interval of checks of those files; 0: 5 s */
	char *token, *token_file; /* token_file: read again every minute, and after a 401 */
	char **exec;              /* argv of the plug-in, NULL-terminated; NULL: none */
	char **exec_env;          /* "NAME=VALUE", NULL-terminated */
	char *exec_api_version;
	bool insecure;
};

/*
 * path NULL: $KUBECONFIG, then the service account, then ~/.kube/config. context NULL:
 * the file's current-context.
 */
struct err kube_config_load(const char *path, const char *context, struct kube_config *out);
/* Address of the server, such as "10.96.0.1:443", for metrics; valid as long as c. */
const char *kube_config_host(const struct kube_config *c);
void kube_config_free(struct kube_config *c);
/*
 * Reads token_file or runs the plug-in (synchronously, at most 30 s). *token is
 * malloc'ed; NULL: there is no token. *expires_in_ms is -1 when unknown. If the plug-in
 * returns a certificate, it replaces cert_pem and key_pem.
 */
struct err kube_config_token(struct kube_config *c, char **token, int64_t *expires_in_ms);
/*
 * Creates a client that stays authenticated: while it lives, its token is renewed on the
 * loop, also after a 401. When certificates change, later requests use the new ones on
 * new connections. Requests in flight keep their connections.
 */
struct err kube_config_connect(struct kube_config *c, struct loop *uv_loop, struct http **out);
/*
 * Creates another client with the credentials of the first, and its own connections and
 * queue: a request that waits in one client delays none in the other. Either client may
 * be freed first.
 */
struct err kube_config_connect_beside(struct http *first, struct http **out);

#endif
