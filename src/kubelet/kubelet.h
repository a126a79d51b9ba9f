/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kubelet API of virtual nodes, over TLS:
 *
 *     GET /containerLogs/NAMESPACE/POD/CONTAINER   the log of the job, see below
 *     GET /pods, /runningpods/                     the pods of all nodes of this process
 *     GET /stats/summary, /metrics/resource        start times of the jobs of these pods
 *     GET /healthz                                 "ok"
 *     /results/..., /prepare/...                   results and inputs of jobs
 *     /exec, /attach, /portForward, /run           refused, with advice
 *
 * A client authenticates with a certificate of one of the client authorities (API servers
 * have one), or with a token, which a TokenReview verifies. A SubjectAccessReview
 * authorizes the client: the verb of the method on nodes/proxy, nodes/stats,
 * nodes/metrics or nodes/log of the pod's node. The review has no node name if the path
 * covers all nodes. Tokens are cached for two minutes, a yes for five minutes, a no for
 * 30 s. 401: not authenticated; 403: not authorized; 500: the API server did not answer;
 * 429: too many requests to the API server.
 *
 * The log of a job is its standard output file, which red-box reads. The file is not
 * stored here, and a slow reader slows only its own transfer. If standard error has a
 * separate file, it is the log of the container "stderr", also available with
 * stream=Stderr. The lines of a file have no times, so timestamps=true is refused, and
 * since is accepted only if it selects all lines or none. A file that cannot be read
 * causes an error, never an empty answer. See docs/virtual-node-logs.md.
 *
 * All functions run on one loop. At most 64 logs are read at a time. A namespace may use
 * half of the logs that other namespaces leave free, and one token 16. A log beyond these
 * limits is refused with 429 and the name of the limit.
 */
#ifndef KUBELET_KUBELET_H
#define KUBELET_KUBELET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "grpc/client.h"
#include "kube/client.h"

/*
 * A pod of one of our nodes. Texts are never NULL; see find and each for their lifetime.
 */
struct kubelet_pod {
	const char *ns, *name, *uid, *node;
	const char *container; /* name of its first container */
	bool is_job;           /* it represents a job; false: the pod was refused */
	bool ended;            /* the job has ended in Slurm and writes no more */
	int64_t job_id;        /* 0: unknown */
	const char *key;       /* of its submission; "": not yet submitted */
	/* From the last JobInfo, or "". Used when Slurm no longer has the job */
	const char *std_out, *std_err;
	/* The owning SlurmJob or WlmJob; RES_NONE and "" without one */
	enum resource owner_resource;
	const char *owner_name, *owner_uid;
	int64_t start_s; /* start of the job, since 1970; 0: not started, or unknown */
	/*
	 * Must outlive the kubelet. This is not the client that submits and cancels,
	 * because a client has a limited number of calls, and a followed log uses one
	 * call all the time. NULL: the red-box of the job is not yet known, or not
	 * configured here
	 */
	struct grpc_client *red_box;
};

struct kubelet_config {
	struct loop *loop;
	struct kube *kube;   /* authenticates and authorizes clients */
	const char *address; /* ":10250" */
	/*
	 * PEM files, read again when they change. NULL: a pair is generated at the start
	 */
	const char *cert_file, *key_file;
	/* PEM file of the trusted client authorities. NULL: only tokens are accepted */
	const char *client_ca_file;
	int64_t patience_ms; /* timeout for the first bytes from a red-box; 0: 15 s */
	/* Finds the pod of this name; false: none. *out is valid until the next call */
	bool (*find)(void *ctx, const char *ns, const char *pod, struct kubelet_pod *out);
	/* Calls one for each pod of all nodes; texts are valid during the call */
	void (*each)(void *ctx, void (*one)(void *one_ctx, const struct kubelet_pod *p),
		void *one_ctx);
	/*
	 * Called within kubelet_new, and when the certificate changes, with the port and
	 * the public key of the certificate in the form of x509_public_key. May be NULL
	 */
	void (*listens)(void *ctx, int port, const char *public_key);
	void *ctx;
};

struct kubelet;

/* Starts to serve. Copies the texts. ERR_INVALID: an address or a file is not usable. */
struct err kubelet_new(const struct kubelet_config *config, struct kubelet **out);
int kubelet_port(const struct kubelet *k);
/* Updates the kubelet's metrics before a scrape. NULL: there is no kubelet. */
void kubelet_measure(const struct kubelet *k);
/* Ends all requests; accepts NULL. */
void kubelet_free(struct kubelet *k);

#endif
