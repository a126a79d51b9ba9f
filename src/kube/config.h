/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the API server is and who we are: kubeconfig files (KUBECONFIG lists,
 * --kubeconfig; certificates inline or by file, tokens, token files, basic exec plug-ins
 * of client.authentication.k8s.io/v1 and v1beta1) or the service account of a pod (token
 * re-read as the kubelet rotates it).
 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "base/err.h"
#include "net/http.h"

struct kube_config {
	char *server, *ca_pem, *cert_pem, *key_pem, *server_name, *ns;
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
void kube_config_free(struct kube_config *c);
/*
 * Reads token_file or runs the plug-in (synchronously, at most 30 s), into *token
 * (malloc'ed, may be NULL: nothing to send) and *expires_in_ms (-1: unknown). exec
 * plug-ins may also give a certificate: then cert_pem and key_pem are replaced.
 */
struct err kube_config_token(struct kube_config *c, char **token, int64_t *expires_in_ms);
/*
 * A client for it, kept authenticated: the token is renewed on its loop for as long as
 * the client lives, and after a 401.
 */
struct err kube_config_connect(struct kube_config *c, struct loop *uv_loop, struct http **out);

#endif
