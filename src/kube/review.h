/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request of the API server to an admission webhook, and the answer to it: an
 * AdmissionReview of admission.k8s.io/v1 or v1beta1.
 */
#ifndef KUBE_REVIEW_H
#define KUBE_REVIEW_H

#include "json/json.h"

enum {
	/* An object has 3 MiB at most, and stands here twice */
	REVIEW_BYTES = 8 * 1024 * 1024,
	/*
	 * Room for twice the size that etcd takes, 1.5 MiB, as "0,"; the values have 32
	 * MiB while they are read
	 */
	REVIEW_VALUES = 2097152,
};

struct review {
	/* Never NULL; operation: "CREATE", "UPDATE" and so on */
	const char *api_version, *uid, *operation, *group, *kind, *ns, *name, *subresource;
	const struct json *object, *old; /* NULL: there is none */
	bool object_cut, old_cut;        /* nested too deep: a part is here */
};

/*
 * Reads a review; its texts point into *doc, which the caller frees, after an error too.
 * ERR_INVALID says in one sentence what is no review; then out->uid is "" or that of the
 * request.
 */
struct err review_read(const char *text, size_t n, struct json_doc **doc, struct review *out);

struct verdict {
	int code;            /* 0: allowed; else an HTTP status, 403 or 400 */
	const char *message; /* why it is not allowed */
	const char *const *warnings;
	size_t n_warnings;
	const char *patch; /* a JSON patch; NULL: none */
};
/* The answer, as JSON text in the arena. */
const char *review_answer(struct arena *a, const struct review *r, const struct verdict *v);

#endif
