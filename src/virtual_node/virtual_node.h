/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual nodes: each partition of each Slurm that a red-box serves is a node of
 * Kubernetes. Pods of SlurmJobs and WlmJobs that the scheduler puts there become jobs in
 * Slurm, and their status says what becomes of them.
 *
 *     struct vnode *v = vnode_new(&config);
 *     ...
 *     vnode_free(v);
 *
 * plan/vnode says what is done and why; here it is carried out:
 *
 *     virtual_node.c   start and end of the process's virtual nodes
 *     box.c            one red-box: does it answer, which partitions does it have
 *     accounts.c       which of several red-boxes of one Slurm is asked about a pod
 *     part.c           one partition: its Node object, the watch of its pods
 *     lease.c          one partition: the Lease of its Node
 *     pods.c           facts: the pods of a partition, as the API server has them
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
 * Limits of one namespace, so that its pods hold up no pods of others. It may use half of
 * what the others leave: of slots and calls while another one waits, of the rest always.
 *
 *     slots, calls of red-box   plan/vnode/room.h. Its pods wait, without an error
 *     records of jobs           RECORDS_BYTES (parts.h). The answer is dropped, and the
 *                               job is asked for again: three failures are logged
 *     logs                      kubelet/kubelet.h. HTTP 429 with a sentence
 *     results and inputs        kubelet/transfer/request.h. HTTP 429 with a sentence
 *
 * All state can be read again: from the pods, and from red-box. The process may be killed
 * at any time, and vnode_free deletes nothing: jobs, pods and nodes stay as they are.
 */
#ifndef VIRTUAL_NODE_VIRTUAL_NODE_H
#define VIRTUAL_NODE_VIRTUAL_NODE_H

#include "kubelet/kubelet.h"
#include "kube/client.h"
#include "wlm/client.h"

/* The calls of red-box that virtual nodes make; tests replace them. */
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
extern const struct red_box_calls red_box_calls; /* those of wlm/client.h */

struct vnode_box {
	const char *cluster; /* lower case letters and digits: in the names of nodes */
	struct grpc_client *client;
	struct grpc_client *logs; /* another one, for the kubelet API; NULL: there is none */
	/*
	 * The Unix user of its jobs; NULL: the red-box that also reports the partitions.
	 * Each Slurm has one red-box with NULL
	 */
	const char *account;
};

/* Jobs of this namespace run as that account, which has a red-box of its own. */
struct vnode_space {
	const char *cluster, *ns, *account;
};

/* Texts and lists are copied; clients outlive it. */
struct vnode_config {
	struct kube *kube;
	struct loop *loop;
	const struct vnode_box *boxes;
	size_t n_boxes;
	const struct vnode_space *spaces;
	size_t n_spaces;
	bool require_account;          /* jobs of other namespaces are refused */
	const char *const *partitions; /* only these, ended by NULL; NULL: all */
	const char *address;           /* of this machine or pod; NULL: none is said */
	const struct red_box_calls *calls;
};

struct vnode;

/* Acts from now on. */
struct vnode *vnode_new(const struct vnode_config *config);
void vnode_free(struct vnode *v); /* accepts NULL */
/* A function for struct kubelet_config: where the kubelet API listens, from now on. */
void vnode_listens(void *vnode, int port, const char *public_key);
/* A sentence about the first fault; "": there is none. Valid until the next call. */
const char *vnode_trouble(struct vnode *v);
/* For struct kubelet_config, with the vnode as ctx. Texts live until the next turn. */
bool vnode_find(void *vnode, const char *ns, const char *pod, struct kubelet_pod *out);
void vnode_each(void *vnode, void (*one)(void *ctx, const struct kubelet_pod *p), void *ctx);
/* Sets its metrics before they are scraped; NULL: this process stands by. */
void vnode_measure(const struct vnode *v);

#endif
