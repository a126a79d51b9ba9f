/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AdmissionReviews of admission.k8s.io/v1 and v1beta1: the request of the API server to
 * an admission webhook, and the answer.
 */
#ifndef KUBE_REVIEW_H
#define KUBE_REVIEW_H

#include "json/json.h"

enum {
	/* A review has two objects of at most 3 MiB */
	REVIEW_BYTES = 8 * 1024 * 1024,
	/*
	 * Two objects of 1.5 MiB, the limit of etcd, that consist of "0,". The parser
	 * uses 32 MiB for this number of values.
	 */
	REVIEW_VALUES = 2097152,
};

struct review {
	/* Never NULL; operation: "CREATE", "UPDATE" and so on */
	const char *api_version, *uid, *operation, *group, *kind, *ns, *name, *subresource;
	const struct json *object, *old; /* NULL when absent */
	bool object_cut, old_cut;        /* nested too deep: only a part was read */
};

/*
 * Reads a review. Its texts point into *doc, which the caller frees, also after an error.
 * ERR_INVALID explains in one sentence why the text is not a review; out->uid is then ""
 * or the uid of the request.
 */
struct err review_read(const char *text, size_t n, struct json_doc **doc, struct review *out);

struct verdict {
	int code;            /* 0: allowed; otherwise the HTTP status, 403 or 400 */
	const char *message; /* why the request is denied */
	const char *const *warnings;
	size_t n_warnings;
	const char *patch; /* a JSON patch; NULL: none */
};
/* The answer, as JSON text in the arena. */
const char *review_answer(struct arena *a, const struct review *r, const struct verdict *v);

#endif
