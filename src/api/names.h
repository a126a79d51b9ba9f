/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that users see: labels, annotations, finalizers, kinds. They are the public
 * interface, so never change one.
 */
#ifndef API_NAMES_H
#define API_NAMES_H

#define KIND_NODESET "NodeSet"

/* Annotations of a worker pod. */
/* Exactly "true": drain its Slurm node */
#define ANNOTATION_POD_CORDON "nodeset.slinky.slurm.net/pod-cordon"
/*
 * "operator": the cordon is ours, so we may remove it. "returning": we have removed it,
 * and the drain of its node is being lifted.
 */
#define ANNOTATION_CORDONED_BY "nodeset.slinky.slurm.net/cordoned-by"
/* int32; the pod with the lowest cost is deleted first */
#define ANNOTATION_DELETION_COST "nodeset.slinky.slurm.net/pod-deletion-cost"
/* RFC 3339: time by which the running work on its node ends */
#define ANNOTATION_POD_DEADLINE "nodeset.slinky.slurm.net/pod-deadline"
/* ClusterName of the Slurm that has had its node since the pod started */
#define ANNOTATION_REGISTERED "nodeset.slinky.slurm.net/registered-in"
/* Number of earlier pods of its ordinal, in a row, that ended soon after their start */
#define ANNOTATION_ENDED_BEFORE "nodeset.slinky.slurm.net/ended-before"
/*
 * The uid of its NodeSet. On a pod it identifies the NodeSet after the garbage collector
 * has removed the owner reference. On a claim it shows the admission policy that the
 * manager made the claim.
 */
#define ANNOTATION_NODESET_UID "nodeset.slinky.slurm.net/nodeset-uid"
/* In a JSON pointer */
#define ANNOTATION_NODESET_UID_ESCAPED "nodeset.slinky.slurm.net~1nodeset-uid"
#define CORDONED_BY_OPERATOR "operator"
#define CORDONED_BY_RETURNING "returning"
/*
 * Like "operator", but the value was "returning" before: the drain may yet be lifted
 */
#define CORDONED_BY_AGAIN "operator-again"

/*
 * Annotation of a NodeSet, exactly "true": pods are deleted at once, without a drain.
 */
#define ANNOTATION_RELEASE_NOW "nodeset.slinky.slurm.net/release-now"

/*
 * Annotation of a Cluster: the ClusterName of the right Slurm, set by the user when
 * another Slurm than before answers at spec.server.
 */
#define ANNOTATION_SLURM_CLUSTER "cluster.slinky.slurm.net/slurm-cluster"

/*
 * Annotation of a NodeSet: the state that its next pods carry over
 * (plan/nodeset/carry_over.c).
 */
#define ANNOTATION_NEXT_PODS "nodeset.slinky.slurm.net/next-pods"

/*
 * Annotation of a NodeSet that is being deleted while its pods stay. Its finalizer may be
 * removed already (plan/nodeset/finalizer.c).
 */
#define ANNOTATION_PODS_STAY "nodeset.slinky.slurm.net/pods-stay"

/* Labels. */
#define LABEL_POD_NAME "nodeset.slinky.slurm.net/pod-name"
#define LABEL_POD_INDEX "nodeset.slinky.slurm.net/pod-index"
#define LABEL_HASH "controller.kubernetes.io/hash"

/* Finalizer of a NodeSet: its nodes are drained before it is deleted. */
#define FINALIZER_DRAIN "nodeset.slinky.slurm.net/drain"

/* Finalizers of Kubernetes, which show how an object is being deleted. */
#define FINALIZER_ORPHAN "orphan" /* its dependents stay */
/* The garbage collector deletes its dependents first */
#define FINALIZER_FOREGROUND "foregroundDeletion"

/*
 * Finalizer of a SlurmJob or WlmJob. It is removed when the pod is gone, and with the pod
 * the job in Slurm. The finalizer of that pod is FINALIZER_UNREPORTED (engine/facts.h).
 */
#define FINALIZER_JOB "wlm.sylabs.io/job"

/* Annotations that the virtual node writes to a pod about its job. */
/* The id in Slurm */
#define ANNOTATION_JOB_ID "wlm.sylabs.io/job-id"
/* The nodes of the job, also after its end, as a host list */
#define ANNOTATION_JOB_NODES "wlm.sylabs.io/node-list"
/* The state of the job, in Slurm's words */
#define ANNOTATION_JOB_STATE "wlm.sylabs.io/state"
/* RFC 3339: when Slurm accepted the job */
#define ANNOTATION_JOB_SUBMITTED "wlm.sylabs.io/submit-time"
/*
 * The number of tasks of an array by state: "pending=3,running=1,succeeded=2,failed=0";
 * with "missing=2" for tasks that Slurm no longer shows and whose end was not seen
 */
#define ANNOTATION_JOB_ARRAY "wlm.sylabs.io/array-counts"
/*
 * The number of tasks that --array of the script requests. The manager writes it into the
 * new pod: a task that is cancelled before Slurm is queried leaves no record
 */
#define ANNOTATION_JOB_TASKS "wlm.sylabs.io/array-tasks"
/* The ids of ended tasks, which Slurm forgets: "succeeded=100-103 failed=105" */
#define ANNOTATION_JOB_ENDED "wlm.sylabs.io/array-ended"
/* How a task of an array failed: "105 FAILED 5:0" */
#define ANNOTATION_JOB_FAILURE "wlm.sylabs.io/array-failure"

/*
 * The key of the job in Slurm, which is the uid of the SlurmJob or WlmJob. The pod gets
 * it before the first submission.
 */
#define ANNOTATION_JOB_KEY "wlm.sylabs.io/submission"
/*
 * A condition of the pod's status, with the key as its message. Only this condition
 * counts, not the annotation: every user who may create or change a pod can write
 * annotations, and copies of pods have them too (kubectl debug --copy-to, a backup). No
 * other client writes the status.
 */
#define CONDITION_JOB_KEY "wlm.sylabs.io/Submission"
/*
 * Conditions of the pod's status, with a path as their message: the output files of the
 * job. The virtual node reads them when Slurm has forgotten the job. They are no
 * annotations, because every user who may change a pod can write annotations. The second
 * one exists only if it is another file.
 */
#define CONDITION_JOB_OUTPUT "wlm.sylabs.io/StandardOutput"
#define CONDITION_JOB_ERRORS "wlm.sylabs.io/StandardError"
/*
 * For people: the account that runs the job, if it is not that of the Slurm's own
 * red-box. Only the reason of CONDITION_JOB_KEY counts.
 */
#define ANNOTATION_JOB_ACCOUNT "wlm.sylabs.io/account"

/* Labels of a virtual node, each with the largest number that a job may request there. */
#define LABEL_PARTITION_NODES "wlm.sylabs.io/nodes"
#define LABEL_PARTITION_WALL_TIME "wlm.sylabs.io/wall-time"
#define LABEL_PARTITION_MEM "wlm.sylabs.io/mem-per-node"
#define LABEL_PARTITION_CPUS "wlm.sylabs.io/cpu-per-node"
/* Slurm and partition of the node, in the characters that labels allow */
#define LABEL_CLUSTER "wlm.sylabs.io/cluster"
#define LABEL_PARTITION "wlm.sylabs.io/partition"
/*
 * State of the partition, in Slurm's words; "true" or "false": whether only some accounts
 * may use it
 */
#define LABEL_PARTITION_STATE "wlm.sylabs.io/partition-state"
#define LABEL_PARTITION_RESTRICTED "wlm.sylabs.io/partition-restricted"
/* Annotation with Slurm and partition, unchanged: "CLUSTER/PARTITION" */
#define ANNOTATION_PARTITION "wlm.sylabs.io/virtual-node"
/* Keys of our labels for features, separated by commas */
#define ANNOTATION_FEATURES "wlm.sylabs.io/feature-labels"
/* Domain of labels for features */
#define LABEL_DOMAIN_WLM "wlm.sylabs.io/"
/* The domain that SlurmJobs of the older group use instead */
#define LABEL_DOMAIN_OLDER "slurm.sylabs.io/"
#define LABEL_NODE_TYPE "type"
#define NODE_TYPE_VIRTUAL "virtual-kubelet"
/* Taint of a virtual node */
#define TAINT_PROVIDER "virtual-kubelet.io/provider"
#define PROVIDER_WLM "wlm"
/* A second taint, while no job can be submitted there */
#define TAINT_UNAVAILABLE "wlm.sylabs.io/unavailable"
/* Only some accounts may use its partition, so other nodes are preferred */
#define TAINT_RESTRICTED "wlm.sylabs.io/restricted"
/* Conditions of a virtual node: whether its partition starts jobs, and for whom */
#define CONDITION_PARTITION_AVAILABLE "wlm.sylabs.io/PartitionAvailable"
#define CONDITION_PARTITION_RESTRICTED "wlm.sylabs.io/PartitionRestricted"

/* A volume that the pods which copy data have in addition to that of the user. */
#define VOLUME_RED_BOX "red-box-sock"

/*
 * The URL where a virtual node serves results, and the hash of its public key there. The
 * Node has both, and so does a pod that reads there.
 */
#define ANNOTATION_RESULTS_URL "wlm.sylabs.io/results-url"
#define ANNOTATION_RESULTS_KEY "wlm.sylabs.io/results-key"
/* Annotation of a pod that copies results: the number of the attempt */
#define ANNOTATION_COLLECT_ATTEMPT "wlm.sylabs.io/collect-attempt"
/*
 * Annotation of the pod of a job, which the manager creates with the pod and never
 * removes: the job is submitted only when its inputs are complete.
 */
#define ANNOTATION_INPUTS_WANTED "wlm.sylabs.io/inputs-wanted"
/* The inputs are complete; the value is the uid of this pod */
#define ANNOTATION_INPUTS_THERE "wlm.sylabs.io/inputs-there"
/* The inputs will never be complete; the value is a sentence */
#define ANNOTATION_INPUTS_FAILED "wlm.sylabs.io/inputs-failed"
/* The audience of its token, and the volume with the token */
#define AUDIENCE_RESULTS "wlm.sylabs.io/results"
#define VOLUME_RESULTS_TOKEN "results-token"
/* Audience of the token of a pod that brings inputs, in a volume of the same name */
#define AUDIENCE_INPUTS "wlm.sylabs.io/prepare"

/* The prefix of all our drain reasons; a drain with another reason is not ours. */
#define DRAIN_REASON_PREFIX "slurm-operator:"

#endif
