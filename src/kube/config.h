/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the API server is and who we are: kubeconfig files (KUBECONFIG lists,
 * --kubeconfig; certificates inline or by file, tokens, token files, basic exec plug-ins
 * of client.authentication.k8s.io/v1 and v1beta1) or the service account of a pod. Tokens
 * and certificates of files are read again as they are renewed.
 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include "base/err.h"
#include "net/http.h"

struct kube_config {
	char *server, *ca_pem, *cert_pem, *key_pem, *server_name, *ns;
	/* Where the three came from: read again when they change; NULL: no file */
	char *ca_file, *cert_file, *key_file;
	int64_t reload_ms;        /* how often those files are looked at; 0: 5 s */
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
/* "10.96.0.1:443" of its server, for metrics; valid as long as c. */
const char *kube_config_host(const struct kube_config *c);
void kube_config_free(struct kube_config *c);
/*
 * Reads token_file or runs the plug-in (synchronously, at most 30 s), into *token
 * (malloc'ed, may be NULL: nothing to send) and *expires_in_ms (-1: unknown). exec
 * plug-ins may also give a certificate: then cert_pem and key_pem are replaced.
 */
struct err kube_config_token(struct kube_config *c, char **token, int64_t *expires_in_ms);
/*
 * A client for it, kept authenticated: the token is renewed on its loop for as long as
 * the client lives, and after a 401. When certificates change, requests from then on use
 * the new ones on new connections; those under way end as they began.
 */
struct err kube_config_connect(struct kube_config *c, struct loop *uv_loop, struct http **out);
/*
 * Another client with the identity of the first one, with connections and a queue of its
 * own: a request that waits in one delays none in the other. Either may be freed first.
 */
struct err kube_config_connect_beside(struct http *first, struct http **out);

#endif
