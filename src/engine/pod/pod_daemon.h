/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods of Slurm's own daemons, as chart slurm labels them, and the last log lines of a
 * daemon that ended.
 *
 * The chart sets terminationMessagePolicy: FallbackToLogsOnError, so the kubelet copies
 * the last lines of a failed container into the status of its pod. The lines are foreign
 * text. A condition of the Cluster quotes them, and more people may read the Cluster than
 * the pod. So they are cut short, and text that could be a password is left out: slurmdbd
 * quotes lines of slurmdbd.conf that it cannot parse, and MariaDB quotes such SQL.
 * slurm.conf is in a ConfigMap and has no secret. No daemon logs a token or a key.
 *
 * A slurmctld that refuses a changed configuration keeps the last one. Then its sidecar
 * "reconfigure" exits once, with the refusal as its termination message. Each further
 * exit has this message until slurmctld accepts the configuration. Then the sidecar exits
 * once more, with an empty message (slurm-config in deploy/images/slurm).
 */
#ifndef ENGINE_POD_POD_DAEMON_H
#define ENGINE_POD_POD_DAEMON_H

#include "base/str.h"
#include "engine/facts.h"
#include "json/json.h"

struct daemon_words {
	enum slurm_daemon daemon;
	const char *release;   /* borrowed from the pod; "": it is no daemon */
	const char *container; /* borrowed; the container that is not ready; "": none */
	struct str ending;     /* "ended with exit code 1: LINES"; "": it has not ended */
	struct str refused;    /* the sentence of the sidecar; "": none */
};

/* The caller frees ending and refused. */
struct daemon_words pod_daemon(const struct json *pod);

#endif
