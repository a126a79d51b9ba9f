/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and answers AdmissionReviews. */
#include "kube/review.h"

#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "json/build.h"

static struct err wrong(const char *what)
{
	return err_new(ERR_INVALID,
		"this is no AdmissionReview of admission.k8s.io/v1 or v1beta1: %s", what);
}

static const char *text_at(const struct json *object, const char *key)
{
	return json_str(json_get(object, key), "");
}

static const struct json *object_at(const struct json *request, const char *key)
{
	const struct json *v = json_get(request, key);
	return json_is_obj(v) ? v : NULL;
}

/* An object with the maximum depth may have been deeper. */
static bool is_cut(const struct json *root, const struct json *object)
{
	return json_is_cut(root) && json_depth(object) >= JSON_OBJECT_DEPTH;
}

static struct err read_request(const struct json *root, struct review *r)
{
	const struct json *request = object_at(root, "request"), *kind;
	if (!json_is_obj(root) || !str_eq(text_at(root, "kind"), "AdmissionReview"))
		return wrong("its kind is wrong");
	r->api_version = text_at(root, "apiVersion");
	if (!str_eq(r->api_version, "admission.k8s.io/v1") &&
		!str_eq(r->api_version, "admission.k8s.io/v1beta1"))
		return wrong("its apiVersion is wrong");
	r->uid = text_at(request, "uid");
	if (str_empty(r->uid))
		return wrong("it has no request with a uid");
	kind = json_get(request, "kind");
	r->group = text_at(kind, "group");
	r->kind = text_at(kind, "kind");
	r->operation = text_at(request, "operation");
	r->ns = text_at(request, "namespace");
	r->name = text_at(request, "name");
	r->subresource = text_at(request, "subResource");
	r->object = object_at(request, "object");
	r->old = object_at(request, "oldObject");
	r->object_cut = is_cut(root, r->object);
	r->old_cut = is_cut(root, r->old);
	if (str_empty(r->operation) || str_empty(r->kind))
		return wrong("its request lacks the kind or the operation");
	return OK;
}

struct err review_read(const char *text, size_t n, struct json_doc **doc, struct review *out)
{
	*out = (struct review){
		.api_version = "admission.k8s.io/v1",
		.uid = "",
		.operation = "",
		.group = "",
		.kind = "",
		.ns = "",
		.name = "",
		.subresource = "",
	};
	const struct json_limits most = { REVIEW_BYTES, REVIEW_VALUES, JSON_MAX_DEPTH };
	struct err e = json_parse_cut_at(text, n, &most, doc);
	return failed(e) ? err_wrap(e, "the body") : read_request(json_root(*doc), out);
}

static void refuse(struct jdoc *d, struct jval *response, const struct verdict *v)
{
	struct jval *status = j_child(d, response, "status");
	j_set_str(d, status, "status", "Failure");
	j_set_int(d, status, "code", v->code);
	j_set_str(d, status, "reason", v->code == 403 ? "Forbidden" : "BadRequest");
	j_set_str(d, status, "message", v->message);
}

const char *review_answer(struct arena *a, const struct review *r, const struct verdict *v)
{
	struct jdoc *d = jdoc_new(a);
	struct jval *root = j_obj(d), *response;
	j_set_str(d, root, "apiVersion", r->api_version);
	j_set_str(d, root, "kind", "AdmissionReview");
	response = j_set(d, root, "response", j_obj(d));
	j_set_str(d, response, "uid", r->uid);
	j_set_bool(d, response, "allowed", !v->code);
	if (v->code)
		refuse(d, response, v);
	if (v->patch && !v->code) {
		AUTO(own_free) char *packed = base64_encode(v->patch, strlen(v->patch));
		j_set_str(d, response, "patchType", "JSONPatch");
		j_set_str(d, response, "patch", packed);
	}
	if (v->n_warnings) {
		struct jval *list = j_set(d, response, "warnings", j_arr(d));
		for (size_t i = 0; i < v->n_warnings; i++)
			j_push(d, list, j_str(d, v->warnings[i]));
	}
	return j_text(d, root);
}
