/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual nodes: each partition of each Slurm that a red-box serves is a Kubernetes node.
 * If the scheduler assigns a pod of a SlurmJob or WlmJob to it, the pod becomes a job in
 * Slurm, and the pod's status shows the state of the job.
 *
 *     struct vnode *v = vnode_new(&config);
 *     ...
 *     vnode_free(v);
 *
 * plan/vnode decides the steps. This folder carries them out:
 *
 *     virtual_node.c   start and end of the process's virtual nodes
 *     box.c            one red-box: its availability and its partitions
 *     accounts.c       which of several red-boxes of one Slurm serves a pod
 *     part.c           one partition: its Node object, the watch of its pods
 *     lease.c          one partition: the Lease of its Node
 *     pods.c           facts: the pods of a partition, from the API server
 *     owner.c          facts: the SlurmJob or WlmJob of a pod
 *     report.c         facts: the answers of red-box about the job of a pod
 *     attempt.c        facts: the calls for a pod, and how they ended
 *     kept.c           the trimmed copies of pods and owners
 *     spaces.c         the slots of each namespace (plan/vnode/room.h)
 *     turn.c           one pod: facts, plan, one call
 *     kube_calls.c     calls of the API server for a pod
 *     red_box_calls.c  calls of red-box for a pod
 *     shown.c          the pods for the kubelet API (kubelet/kubelet.h)
 *     measure.c        metrics
 *
 * Each namespace has limits, so that its pods do not delay the pods of others. While
 * another namespace waits, it may use half of the slots and calls that the others leave.
 * The other resources always have this limit.
 *
 *     slots, calls of red-box   plan/vnode/room.h. Its pods wait, without an error
 *     records of jobs           RECORDS_BYTES (parts.h). The answer is dropped and
 *                               requested again; three failures in a row are logged
 *     logs                      kubelet/kubelet.h. HTTP 429 with a sentence
 *     results and inputs        kubelet/transfer/request.h. HTTP 429 with a sentence
 *
 * All state can be read again, from the pods and from red-box. The process may be killed
 * at any time, and vnode_free deletes nothing: jobs, pods and nodes stay.
 */
#ifndef VIRTUAL_NODE_VIRTUAL_NODE_H
#define VIRTUAL_NODE_VIRTUAL_NODE_H

#include "kubelet/kubelet.h"
#include "kube/client.h"
#include "wlm/client.h"

/* The calls of red-box that virtual nodes make. Tests replace them. */
struct red_box_calls {
	__typeof__(wlm_submit) *submit;
	__typeof__(wlm_submit_container) *submit_container;
	__typeof__(wlm_cancel) *cancel;
	__typeof__(wlm_close) *close;
	__typeof__(wlm_job_info) *job_info;
	__typeof__(wlm_resources) *resources;
	__typeof__(wlm_partitions) *partitions;
	__typeof__(wlm_workload) *workload;
	__typeof__(wlm_call_cancel) *call_cancel;
};
extern const struct red_box_calls red_box_calls; /* the functions of wlm/client.h */

struct vnode_box {
	/* lower case letters and digits; a part of the names of nodes */
	const char *cluster;
	struct grpc_client *client;
	struct grpc_client *logs; /* a second client, for the kubelet API; NULL: none */
	/*
	 * The Unix user of its jobs; NULL: the red-box that also reports the partitions.
	 * Each Slurm has exactly one red-box with NULL
	 */
	const char *account;
};

/* Jobs of this namespace run as this account, which has its own red-box. */
struct vnode_space {
	const char *cluster, *ns, *account;
};

/* Texts and lists are copied. The clients must outlive the vnode. */
struct vnode_config {
	struct kube *kube;
	struct loop *loop;
	const struct vnode_box *boxes;
	size_t n_boxes;
	const struct vnode_space *spaces;
	size_t n_spaces;
	bool require_account;          /* refuse jobs of namespaces without an account */
	const char *const *partitions; /* serve only these, ended by NULL; NULL: all */
	/* address of this machine or pod; NULL: nodes have no address */
	const char *address;
	const struct red_box_calls *calls;
};

struct vnode;

/* Starts to act at once. */
struct vnode *vnode_new(const struct vnode_config *config);
void vnode_free(struct vnode *v); /* accepts NULL */
/* For struct kubelet_config: the kubelet API listens on this port from now on. */
void vnode_listens(void *vnode, int port, const char *public_key);
/* A sentence about the first error, or "". Valid until the next call. */
const char *vnode_trouble(struct vnode *v);
/*
 * For struct kubelet_config, with the vnode as ctx. Texts are valid until the next turn
 * of the loop.
 */
bool vnode_find(void *vnode, const char *ns, const char *pod, struct kubelet_pod *out);
void vnode_each(void *vnode, void (*one)(void *ctx, const struct kubelet_pod *p), void *ctx);
/* Updates its metrics before a scrape; NULL: this process is a standby. */
void vnode_measure(const struct vnode *v);

#endif
