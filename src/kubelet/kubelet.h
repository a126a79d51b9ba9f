/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API that a node has for the API server, as a kubelet serves it, over TLS:
 *
 *     GET /containerLogs/NAMESPACE/POD/CONTAINER   what the job has written, see below
 *     GET /pods, /runningpods/                     the pods of all nodes of this process
 *     GET /stats/summary, /metrics/resource        of them, since when their jobs run
 *     GET /healthz                                 "ok"
 *     /results/..., /prepare/...                   results and inputs of jobs
 *     /exec, /attach, /portForward, /run           refused: what to do instead
 *
 * A client is authenticated by a certificate of one of the client authorities (API
 * servers have one), or by a token that the API server knows (TokenReview). The API
 * server authorizes it (SubjectAccessReview: the verb of the method on nodes/proxy,
 * nodes/stats or nodes/metrics of the pod's node; without a name where all nodes are
 * meant). Tokens are cached for two minutes, a yes for five, a no for 30 s. 401: not
 * authenticated; 403: no right; 500: the API server cannot be asked; 429: too many
 * questions.
 *
 * The log of a job is its file of standard output, as red-box reads it: nothing is kept
 * here, and a reader that is slow slows only the reading. Standard error in a file of its
 * own is the log of the container "stderr", or stream=Stderr. The lines of a file have no
 * times: timestamps=true is refused, and since is answered only where it means all. A
 * file that cannot be read is an error, never an empty answer. docs/virtual-node-logs.md
 * says more.
 *
 * Everything is on one loop. Limits: 64 logs at a time, of which a namespace has half of
 * what the others leave, and one token 16. A log beyond them is refused: 429, with a
 * sentence that names the namespace or the 16.
 */
#ifndef KUBELET_KUBELET_H
#define KUBELET_KUBELET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "grpc/client.h"
#include "kube/client.h"

/* A pod of one of our nodes. Texts are never NULL, and live until find or one returns. */
struct kubelet_pod {
	const char *ns, *name, *uid, *node;
	const char *container; /* the name of its first one */
	bool is_job;           /* it stands for a job; false: it was refused */
	bool ended;            /* of the job, by its state in Slurm: nothing more is written */
	int64_t job_id;        /* 0: not known */
	const char *key;       /* of its submission; "": it has not been begun */
	/*
	 * As JobInfo said last, "" when nothing did: they are read when Slurm has
	 * forgotten the job
	 */
	const char *std_out, *std_err;
	/* The SlurmJob or WlmJob that it is of; RES_NONE and "" when it is no job */
	enum resource owner_resource;
	const char *owner_name, *owner_uid;
	int64_t start_s; /* when the job began, since 1970; 0: it has not, or unknown */
	/*
	 * Outlives the kubelet. Not the client that submits and cancels: a client has a
	 * limited number of calls, and each log is one for as long as it is followed.
	 * NULL: the red-box of the job is not known yet, or not here
	 */
	struct grpc_client *red_box;
};

struct kubelet_config {
	struct loop *loop;
	struct kube *kube;   /* authenticates and authorizes clients */
	const char *address; /* ":10250" */
	/* PEM files, read again when they change. NULL: a pair is made at the start */
	const char *cert_file, *key_file;
	/* PEM: whose certificates count. NULL: none, tokens alone */
	const char *client_ca_file;
	int64_t patience_ms; /* so long may a red-box say nothing; 0: 15 s */
	/* The pod of this name; false: none. *out is valid until the next call */
	bool (*find)(void *ctx, const char *ns, const char *pod, struct kubelet_pod *out);
	/* Calls one for each pod of all nodes */
	void (*each)(void *ctx, void (*one)(void *one_ctx, const struct kubelet_pod *p),
		void *one_ctx);
	/*
	 * Called within kubelet_new, and when the certificate is another one: the kubelet
	 * listens on this port, with a certificate of this key, as x509_public_key has
	 * it. May be NULL
	 */
	void (*listens)(void *ctx, int port, const char *public_key);
	void *ctx;
};

struct kubelet;

/* Texts are copied. ERR_INVALID: an address or file that is not usable. */
struct err kubelet_new(const struct kubelet_config *config, struct kubelet **out);
int kubelet_port(const struct kubelet *k);
/* Sets its metrics, before they are told; NULL: there is none, or it does not listen. */
void kubelet_measure(const struct kubelet *k);
/* Ends all answers; accepts NULL. */
void kubelet_free(struct kubelet *k);

#endif
