/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the missing keys of Secrets. */
#include "plan/keys/keys.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "json/build.h"
#include "object/metadata.h"

/* ---- wishes ---- */

static const struct {
	const char *word;
	enum key_sort sort;
} sorts[] = {
	{ "ecdsa", KEYS_ECDSA },
	{ "ed25519", KEYS_ED25519 },
	{ "rsa", KEYS_RSA },
};

static bool read_sort(const char *word, struct key_wish *out)
{
	static const char text[] = "text:";
	int64_t n;
	for (size_t i = 0; i < LENGTH(sorts); i++)
		if (str_eq(word, sorts[i].word)) {
			out->sort = sorts[i].sort;
			return true;
		}
	if (!str_has_prefix(word, text) || !str_to_i64(word + strlen(text), 1, KEYS_TEXT_MOST, &n))
		return false;
	out->sort = KEYS_TEXT;
	out->length = (size_t)n;
	return true;
}

static struct err read_keys(const struct json *keys, struct secret_wish *out)
{
	for (struct json_iter it = json_iter(keys); json_next(&it);) {
		struct key_wish k = { .name = it.key };
		const char *word = json_str(it.value, "");
		if (!read_sort(word, &k))
			return err_new(ERR_INVALID,
				"Secret %.253s, key %.253s: \"%.80s\" must be text:N, ecdsa, ed25519 or rsa",
				out->name, it.key, word);
		if (out->n_keys == KEYS_EACH)
			return err_new(ERR_INVALID, "Secret %.253s has more than %d keys",
				out->name, KEYS_EACH);
		out->keys[out->n_keys++] = k;
	}
	return OK;
}

struct err secret_wishes_read(const struct json *list, struct secret_wishes *out)
{
	*out = (struct secret_wishes){ 0 };
	if (!json_is_arr(list) || !json_count(list) || json_count(list) > KEYS_SECRETS)
		return err_new(ERR_INVALID, "this must be a list of 1 to %d Secrets", KEYS_SECRETS);
	for (struct json_iter it = json_iter(list); json_next(&it);) {
		struct secret_wish *w = &out->of[out->n++];
		w->name = json_str(json_get(it.value, "name"), "");
		w->labels = json_get(it.value, "labels");
		w->annotations = json_get(it.value, "annotations");
		const struct json *keys = json_get(it.value, "keys");
		if (str_empty(w->name) || !json_count(keys) || !json_is_obj(keys))
			return err_new(ERR_INVALID,
				"Secret %zu of the list needs \"name\" and \"keys\"", out->n);
		struct err e = read_keys(keys, w);
		if (failed(e))
			return e;
	}
	return OK;
}

/* ---- decision ---- */

static const struct json *annotation_of(const struct json *secret, const char *key)
{
	return json_get(json_at(secret, "metadata", "annotations"), key);
}

/* True if the annotation has the value of the wish; null there means absent. */
static bool annotation_stands(const struct json *there, const char *key, const struct json *wished)
{
	const struct json *now = annotation_of(there, key);
	return json_is_null(wished) ? json_is_null(now) : json_equal(now, wished);
}

struct secret_step secret_decide(const struct secret_wish *w, const struct json *there)
{
	struct secret_step s = { .verb = there ? SECRET_LEAVE : SECRET_CREATE };
	for (size_t i = 0; i < w->n_keys; i++) {
		s.missing[i] = !json_at(there, "data", w->keys[i].name);
		if (s.missing[i] && there)
			s.verb = SECRET_PATCH;
	}
	for (struct json_iter it = json_iter(w->annotations); there && json_next(&it);)
		if (!annotation_stands(there, it.key, it.value))
			s.verb = SECRET_PATCH;
	return s;
}

/* ---- the request ---- */

static void add_values(struct jdoc *d, struct jval *root, const struct secret_wish *w,
	const struct secret_step *s, char *const values[KEYS_EACH])
{
	for (size_t i = 0; i < w->n_keys; i++)
		if (s->missing[i])
			j_set_str(d, j_child(d, root, "data"), w->keys[i].name, values[i]);
}

static const char *new_secret(struct jdoc *d, struct jval *root, const struct secret_wish *w)
{
	struct jval *m = j_child(d, root, "metadata");
	j_set_str(d, root, "apiVersion", "v1");
	j_set_str(d, root, "kind", "Secret");
	j_set_str(d, m, "name", w->name);
	if (w->labels)
		j_set(d, m, "labels", j_copy(d, w->labels));
	for (struct json_iter it = json_iter(w->annotations); json_next(&it);)
		if (!json_is_null(it.value))
			j_set(d, j_child(d, m, "annotations"), it.key, j_copy(d, it.value));
	return j_text(d, root);
}

const char *secret_body(struct arena *a, const struct secret_wish *w, const struct secret_step *s,
	const struct json *there, char *const values[KEYS_EACH])
{
	struct jdoc *d = jdoc_new(a);
	if (s->verb == SECRET_CREATE) {
		struct jval *root = j_obj(d);
		add_values(d, root, w, s, values);
		return new_secret(d, root, w);
	}
	const struct metadata m = metadata_of(there);
	struct jval *patch = patch_of(d, m.uid, m.resource_version);
	add_values(d, patch, w, s, values);
	for (struct json_iter it = json_iter(w->annotations); json_next(&it);)
		if (!annotation_stands(there, it.key, it.value))
			j_set(d, j_child(d, patch_metadata(d, patch), "annotations"), it.key,
				j_copy(d, it.value));
	return j_text(d, patch);
}
