/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Secrets that a Slurm needs before its first start: finds the keys that are missing,
 * and makes the body of the request that adds them. Pure.
 *
 * Definition: a *wish* is a Secret that the chart requests. Wishes are JSON:
 *
 *     [{"name": "slurm-jwt-key", "labels": {"a": "b"}, "annotations": {"c": "d"},
 *       "keys": {"jwt_hs256.key": "text:64"}}]
 *
 *     text:N              N random letters and digits
 *     ecdsa, ed25519, rsa a private key as PEM
 *
 * The value of an existing key is never changed. A missing key is added. Annotations are
 * set as in the wish; an annotation that is null there is removed. Labels are set on new
 * Secrets only.
 */
#ifndef PLAN_KEYS_KEYS_H
#define PLAN_KEYS_KEYS_H

#include "json/json.h"

enum { KEYS_SECRETS = 16, KEYS_EACH = 8, KEYS_TEXT_MOST = 65536 };

enum key_sort { KEYS_TEXT, KEYS_ECDSA, KEYS_ED25519, KEYS_RSA };

/* Texts and JSON point into the wishes. */
struct key_wish {
	const char *name;
	enum key_sort sort;
	size_t length; /* KEYS_TEXT: number of characters */
};
struct secret_wish {
	const char *name;
	const struct json *labels, *annotations; /* NULL: none */
	struct key_wish keys[KEYS_EACH];
	size_t n_keys;
};
struct secret_wishes {
	struct secret_wish of[KEYS_SECRETS];
	size_t n;
};
/* ERR_INVALID: the text is one sentence for the user. */
struct err secret_wishes_read(const struct json *list, struct secret_wishes *out);

enum secret_verb { SECRET_LEAVE, SECRET_CREATE, SECRET_PATCH };
struct secret_step {
	enum secret_verb verb;
	bool missing[KEYS_EACH]; /* missing[i]: keys[i] of the wish must be generated */
};
/* there: the Secret of the API server; NULL: it does not exist. */
struct secret_step secret_decide(const struct secret_wish *w, const struct json *there);

/*
 * The body of the request: a new Secret, or a merge patch for this version of the Secret
 * only. values: in base64, for each key that is missing.
 */
const char *secret_body(struct arena *a, const struct secret_wish *w, const struct secret_step *s,
	const struct json *there, char *const values[KEYS_EACH]);

#endif
