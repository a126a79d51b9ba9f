/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Cluster, read from its JSON: where slurmrestd is and which Secret opens it. Borrowed
 * from the document.
 */
#ifndef API_CLUSTER_H
#define API_CLUSTER_H

#include "base/err.h"
#include "json/json.h"
#include "link/facts.h"

struct cluster {
	const struct json *object;
	const char *ns, *name, *uid, *resource_version; /* never NULL */
	int64_t generation;
	bool deleting;
	const char *server; /* URL of slurmrestd */
	/* Secret of the same namespace: auth-token, and optionally ca.crt for https */
	const char *secret_ref;
	/*
	 * Instead of that the Secret, of the same namespace, that has Slurm's JWT key
	 * (jwt_hs256.key), and the user for whom tokens are made of it. "": none
	 */
	const char *key_ref, *user;
	const struct json *write_to; /* Secrets of others that are to have tokens of that key */
	/*
	 * The ClusterName of the Slurm that is meant: the annotation of the user, else
	 * the name that the first Slurm answered with. "": no Slurm has answered yet.
	 */
	const char *slurm_cluster;
	const struct json *status;
};

/* Reads the spec of the object, valid or not; out points into the object. */
void cluster_read(const struct json *object, struct cluster *out);

/*
 * The faults of a Cluster, each ERR_INVALID with one sentence: server or token missing,
 * the server is no http(s)://host[:port] URL, or the Secret has a name that none can
 * have. Both the planner and the admission webhook use it.
 */
enum { CLUSTER_MAX_FAULTS = 4 };
size_t cluster_faults(const struct cluster *c, struct err out[static CLUSTER_MAX_FAULTS]);
/* The first of them; OK: there is none. */
struct err cluster_check(const struct cluster *c);
/* The Secret that opens it: key_ref, or else secret_ref. */
const char *cluster_secret(const struct cluster *c);
/* The Secrets of others that are to have tokens, if there is no fault. Their number. */
size_t cluster_recipients(const struct cluster *c, struct recipient out[static RECIPIENTS_MOST]);
/* The token goes to the server as everybody on the way can read it. */
bool cluster_is_plain(const struct cluster *c);

/*
 * A URL of slurmrestd: scheme http or https, a host (name, IPv4 or [IPv6]), optionally a
 * port, optionally a path; no user, query or fragment.
 */
struct err server_url_check(const char *url);

#endif
