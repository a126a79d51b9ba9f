/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that users see: labels, annotations, finalizers, kinds. The public interface:
 * never change one.
 */
#ifndef API_NAMES_H
#define API_NAMES_H

#define KIND_NODESET "NodeSet"

/* Annotations of a worker pod. */
/* Exactly "true": its Slurm node is to be drained */
#define ANNOTATION_POD_CORDON "nodeset.slinky.slurm.net/pod-cordon"
/*
 * "operator": the cordon is ours, so we may lift it. "returning": we have lifted it, and
 * its node's drain is being lifted.
 */
#define ANNOTATION_CORDONED_BY "nodeset.slinky.slurm.net/cordoned-by"
/* int32, lower goes first */
#define ANNOTATION_DELETION_COST "nodeset.slinky.slurm.net/pod-deletion-cost"
/* RFC 3339: the running work on its node ends by then */
#define ANNOTATION_POD_DEADLINE "nodeset.slinky.slurm.net/pod-deadline"
/* ClusterName of the Slurm that had its node since it started */
#define ANNOTATION_REGISTERED "nodeset.slinky.slurm.net/registered-in"
/* Number of earlier pods of its ordinal, in a row, that ended soon after their start. */
#define ANNOTATION_ENDED_BEFORE "nodeset.slinky.slurm.net/ended-before"
/*
 * The uid of its NodeSet. On a pod it tells whose the pod is when the garbage collector
 * took the reference. On a claim it tells the policy that the manager made the claim.
 */
#define ANNOTATION_NODESET_UID "nodeset.slinky.slurm.net/nodeset-uid"
/* In a JSON pointer */
#define ANNOTATION_NODESET_UID_ESCAPED "nodeset.slinky.slurm.net~1nodeset-uid"
#define CORDONED_BY_OPERATOR "operator"
#define CORDONED_BY_RETURNING "returning"
/*
 * As "operator", but it was "returning" when it was cordoned: the drain may yet be lifted
 */
#define CORDONED_BY_AGAIN "operator-again"

/*
 * Annotation of a NodeSet: exactly "true": pods that are to go are let go at once,
 * without draining.
 */
#define ANNOTATION_RELEASE_NOW "nodeset.slinky.slurm.net/release-now"

/*
 * Annotation of a Cluster: the ClusterName of the Slurm that is meant, when another one
 * than before answers at spec.server.
 */
#define ANNOTATION_SLURM_CLUSTER "cluster.slinky.slurm.net/slurm-cluster"

/*
 * Annotation of a NodeSet: the state that its next pods carry over
 * (plan/nodeset/carry_over.c).
 */
#define ANNOTATION_NEXT_PODS "nodeset.slinky.slurm.net/next-pods"

/*
 * Annotation of a NodeSet: it is being deleted so that its pods stay, and its finalizer
 * may be gone already (plan/nodeset/finalizer.c).
 */
#define ANNOTATION_PODS_STAY "nodeset.slinky.slurm.net/pods-stay"

/* Labels. */
#define LABEL_POD_NAME "nodeset.slinky.slurm.net/pod-name"
#define LABEL_POD_INDEX "nodeset.slinky.slurm.net/pod-index"
#define LABEL_HASH "controller.kubernetes.io/hash"

/* Finalizer of a NodeSet: its nodes are drained before it goes. */
#define FINALIZER_DRAIN "nodeset.slinky.slurm.net/drain"

/* Finalizers of Kubernetes: how an object is being deleted. */
#define FINALIZER_ORPHAN "orphan" /* what it owns stays */
/* The garbage collector takes what it owns first */
#define FINALIZER_FOREGROUND "foregroundDeletion"

/*
 * Finalizer of a SlurmJob or WlmJob: it goes when its pod has gone, and with that its job
 * in Slurm. The finalizer of that pod is FINALIZER_UNREPORTED (engine/facts.h).
 */
#define FINALIZER_JOB "wlm.sylabs.io/job"

/* Annotations that the virtual node writes to a pod about its job. */
/* The id in Slurm */
#define ANNOTATION_JOB_ID "wlm.sylabs.io/job-id"
/* The nodes that it has or had, as a host list */
#define ANNOTATION_JOB_NODES "wlm.sylabs.io/node-list"
/* Slurm's word for its state */
#define ANNOTATION_JOB_STATE "wlm.sylabs.io/state"
/* RFC 3339: when Slurm took it */
#define ANNOTATION_JOB_SUBMITTED "wlm.sylabs.io/submit-time"
/*
 * The number of tasks of an array by state: "pending=3,running=1,succeeded=2,failed=0";
 * with "missing=2" for tasks that Slurm shows no more and whose end was not seen
 */
#define ANNOTATION_JOB_ARRAY "wlm.sylabs.io/array-counts"
/* The ids of those that have ended: Slurm forgets them. "succeeded=100-103 failed=105" */
#define ANNOTATION_JOB_ENDED "wlm.sylabs.io/array-ended"
/* How a task of an array failed: "105 FAILED 5:0" */
#define ANNOTATION_JOB_FAILURE "wlm.sylabs.io/array-failure"

/*
 * On the pod, before the first submission: the key under which Slurm has its job, or may
 * have it: the uid of the SlurmJob or WlmJob.
 */
#define ANNOTATION_JOB_KEY "wlm.sylabs.io/submission"
/*
 * A condition of the pod's status, with the key as its message. This condition counts,
 * and the annotation does not: every user who may create or change a pod writes
 * annotations, and copies of pods have them too (kubectl debug --copy-to, a backup). No
 * other client writes its status.
 */
#define CONDITION_JOB_KEY "wlm.sylabs.io/Submission"
/*
 * Conditions of its status, with a path as their message: the files to which the job
 * writes. The virtual node reads these conditions when Slurm has forgotten the job, so
 * they are no annotations: every user who may change a pod writes annotations. The second
 * one only if it is another file.
 */
#define CONDITION_JOB_OUTPUT "wlm.sylabs.io/StandardOutput"
#define CONDITION_JOB_ERRORS "wlm.sylabs.io/StandardError"
/*
 * For people: the account of the Slurm as which the job runs, unless it is that of the
 * Slurm's own red-box. The reason of CONDITION_JOB_KEY counts.
 */
#define ANNOTATION_JOB_ACCOUNT "wlm.sylabs.io/account"

/* Labels of a virtual node, each the largest number that a job may ask for there. */
#define LABEL_PARTITION_NODES "wlm.sylabs.io/nodes"
#define LABEL_PARTITION_WALL_TIME "wlm.sylabs.io/wall-time"
#define LABEL_PARTITION_MEM "wlm.sylabs.io/mem-per-node"
#define LABEL_PARTITION_CPUS "wlm.sylabs.io/cpu-per-node"
/* Slurm and partition of the node, as labels may be written */
#define LABEL_CLUSTER "wlm.sylabs.io/cluster"
#define LABEL_PARTITION "wlm.sylabs.io/partition"
/*
 * State of the partition, as Slurm; whether only some accounts may use it: "true",
 * "false"
 */
#define LABEL_PARTITION_STATE "wlm.sylabs.io/partition-state"
#define LABEL_PARTITION_RESTRICTED "wlm.sylabs.io/partition-restricted"
/* Annotation with Slurm and partition, unchanged: "CLUSTER/PARTITION" */
#define ANNOTATION_PARTITION "wlm.sylabs.io/virtual-node"
/* Keys of labels for features that are ours, with commas */
#define ANNOTATION_FEATURES "wlm.sylabs.io/feature-labels"
/* Domain of labels for features */
#define LABEL_DOMAIN_WLM "wlm.sylabs.io/"
/* The domain that SlurmJobs of the older group write in its place */
#define LABEL_DOMAIN_OLDER "slurm.sylabs.io/"
#define LABEL_NODE_TYPE "type"
#define NODE_TYPE_VIRTUAL "virtual-kubelet"
/* Taint of a virtual node */
#define TAINT_PROVIDER "virtual-kubelet.io/provider"
#define PROVIDER_WLM "wlm"
/* A second one, while nothing can be submitted there */
#define TAINT_UNAVAILABLE "wlm.sylabs.io/unavailable"
/* Some accounts only may use its partition: another one is preferred */
#define TAINT_RESTRICTED "wlm.sylabs.io/restricted"
/* Conditions of a virtual node: whether its partition starts jobs, and of whom */
#define CONDITION_PARTITION_AVAILABLE "wlm.sylabs.io/PartitionAvailable"
#define CONDITION_PARTITION_RESTRICTED "wlm.sylabs.io/PartitionRestricted"

/* A volume that the pods which copy data have beside that of the user. */
#define VOLUME_RED_BOX "red-box-sock"

/*
 * Where a virtual node gives out results: the URL, and the hash of the public key that it
 * shows there. Its Node has both, and so has a pod that was created to ask there.
 */
#define ANNOTATION_RESULTS_URL "wlm.sylabs.io/results-url"
#define ANNOTATION_RESULTS_KEY "wlm.sylabs.io/results-key"
/* Annotation of a pod that copies results: its number among the pods created for that */
#define ANNOTATION_COLLECT_ATTEMPT "wlm.sylabs.io/collect-attempt"
/*
 * Annotation of the pod of a job: the job is submitted only when its inputs are there.
 * The manager creates the pod with it, and it stays.
 */
#define ANNOTATION_INPUTS_WANTED "wlm.sylabs.io/inputs-wanted"
/* The inputs are there; the value is the uid of this pod */
#define ANNOTATION_INPUTS_THERE "wlm.sylabs.io/inputs-there"
/* The inputs will never be there; the value is a sentence */
#define ANNOTATION_INPUTS_FAILED "wlm.sylabs.io/inputs-failed"
/* For whom its token is, and the volume that has it */
#define AUDIENCE_RESULTS "wlm.sylabs.io/results"
#define VOLUME_RESULTS_TOKEN "results-token"
/* Audience of the token of a pod that brings inputs, in a volume of the same name */
#define AUDIENCE_INPUTS "wlm.sylabs.io/prepare"

/* Every drain reason of ours starts so; a drain with another reason is not ours. */
#define DRAIN_REASON_PREFIX "slurm-operator:"

#endif
