/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of options. A refused value is ERR_INVALID, with a sentence that shows the right
 * form. Texts point into the command line, which is cut into pieces.
 */
#ifndef CMD_VALUES_H
#define CMD_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* ERR_INVALID with "VALUE" and the text. */
struct err value_wrong(const char *value, const char *right);
/* True if names, a NULL-terminated list, has this name. */
bool value_is_in(const char *const *names, const char *name);

/* Any text that is not empty. */
struct err value_text(const char **to, char *value);
/* The boolean words of a Go program's flags; NULL: true. */
struct err value_bool(bool *to, const char *value);
/* A duration of a Go program's flags: "5s", "1m30s", "500ms"; not negative. */
struct err value_duration(int64_t *ms, const char *value);
/* A whole number from 0 to 1000000. */
struct err value_count(size_t *to, const char *value);
/* A whole number of MiB from 8 to 65536. */
struct err value_mib(int64_t *to, const char *value);
/* UID or UID:GID, never root; without GID the group is UID. */
struct err value_user(int64_t *uid, int64_t *gid, char *value);
/* "https://HOST:PORT" without a path. */
struct err value_https(const char **to, char *value);
/* "sha256//BASE64" of a public key. */
struct err value_public_key(const char **to, char *value);
/* "NAMESPACE/NAME" */
struct err value_pod(const char **to, char *value);
/* A name that Kubernetes accepts for a namespace. */
struct err value_namespace(const char **to, char *value);
/* A name that Kubernetes accepts for most objects, or for a Service. */
struct err value_object(const char **to, char *value);
struct err value_service(const char **to, char *value);
/* KEY=VALUE of a valid label, because Kubernetes checks no label in a policy. */
struct err value_label(const char **key, const char **of_key, char *value);

/* Lists with commas; NULL-terminated, without duplicates. The former list is freed. */
struct err value_namespaces(char ***to, char *value);
struct err value_hosts(char ***to, char *value); /* patterns: server_allowed */
struct err value_secrets(char ***to, char *value);
struct err value_urls(char ***to, char *value); /* http:// or https:// */
/* NAME=/path, NAME=HOST:PORT, or with USER@ after the =; no name twice */
struct err value_red_boxes(char ***to, char *value);
/* where: the text after the =. The length of USER before an @; 0: there is none. */
size_t value_red_box_user(const char *where);
/* NAME/ACCOUNT=/path or NAME/ACCOUNT=HOST:PORT; no account twice */
struct err value_account_boxes(char ***to, char *value);
struct err value_accounts(char ***to, char *value); /* NAME/NAMESPACE=ACCOUNT */
struct err value_partitions(char ***to, char *value);
/* A user by name or number. False: this machine has no such user. */
bool value_uid(const char *value, uid_t *out);
/* A list of users of this machine, by name or number. */
struct err value_users(uid_t **to, size_t *n, char *value);
struct err value_volumes(char ***to, char *value); /* types of volumes of a pod */

#endif
