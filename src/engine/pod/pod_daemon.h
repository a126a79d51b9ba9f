/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods of Slurm's own daemons, as chart slurm labels them, and the last words of a daemon
 * that ended.
 *
 * The chart has the kubelet copy the last lines of a failed container into the status of
 * its pod (terminationMessagePolicy: FallbackToLogsOnError). The lines are foreign text,
 * and reach the condition of a Cluster, which more people may read than the pod. So they
 * are short, and without what could be a password: slurmdbd quotes a line of
 * slurmdbd.conf that it cannot read, and MariaDB the SQL that it cannot read. slurm.conf
 * is in a ConfigMap and has no secret. No daemon logs a token or a key.
 *
 * A slurmctld that does not take a changed configuration goes on with the last one. Its
 * sidecar reconfigure then ends once, and while that lasts with each other end, with a
 * sentence in its message; it ends once more, without a message, when nothing is refused
 * any more (slurm-config in deploy/images/slurm).
 */
#ifndef ENGINE_POD_POD_DAEMON_H
#define ENGINE_POD_POD_DAEMON_H

#include "base/str.h"
#include "engine/facts.h"
#include "json/json.h"

struct daemon_words {
	enum slurm_daemon daemon;
	const char *release;   /* borrowed from the pod; "" when it is no daemon */
	const char *container; /* borrowed; the container to look at, "": none has begun */
	struct str ending;     /* "ended with exit code 1: LINES"; "": it has not ended */
	struct str refused;    /* the sentence of the sidecar; "": nothing is refused */
};

/* The caller frees ending and refused. */
struct daemon_words pod_daemon(const struct json *pod);

#endif
