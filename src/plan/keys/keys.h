/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Secrets of a Slurm that have to be made once: which of their keys are missing, and
 * what is to be written. Pure.
 *
 * Wishes are JSON, as the chart gives them:
 *
 *     [{"name": "slurm-jwt-key", "labels": {"a": "b"}, "annotations": {"c": "d"},
 *       "keys": {"jwt_hs256.key": "text:64"}}]
 *
 *     text:N              N random letters and digits
 *     ecdsa, ed25519, rsa a private key as PEM
 *
 * No value of a Secret that exists is ever changed. A key that is missing there is added,
 * and annotations become what the wish says; one that is null is taken away. Labels are
 * for new Secrets only.
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
	size_t length; /* of a text */
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
/* ERR_INVALID: one sentence. */
struct err secret_wishes_read(const struct json *list, struct secret_wishes *out);

enum secret_verb { SECRET_LEAVE, SECRET_CREATE, SECRET_PATCH };
struct secret_step {
	enum secret_verb verb;
	bool missing[KEYS_EACH]; /* of the wish's keys: this one has to be made */
};
/* there: the Secret as the API server has it; NULL: there is none. */
struct secret_step secret_decide(const struct secret_wish *w, const struct json *there);

/*
 * The body of the request: a Secret, or a merge patch of this very version. values: in
 * base64, for each key that is missing.
 */
const char *secret_body(struct arena *a, const struct secret_wish *w, const struct secret_step *s,
	const struct json *there, char *const values[KEYS_EACH]);

#endif
