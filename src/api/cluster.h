/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Cluster, read from its JSON: the URL of slurmrestd, and the Secret with its token.
 * Borrowed from the document.
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
	 * Instead of a token: the Secret of the same namespace with Slurm's JWT key
	 * (jwt_hs256.key), and the user for whom tokens are made with it. "": none
	 */
	const char *key_ref, *user;
	const struct json *write_to; /* Secrets of other owners that get tokens of that key */
	/*
	 * The ClusterName of the right Slurm: the annotation of the user, or else the
	 * name in the first answer of a Slurm. "": no Slurm has answered yet.
	 */
	const char *slurm_cluster;
	const struct json *status;
};

/* Reads the spec of the object, valid or not; out points into the object. */
void cluster_read(const struct json *object, struct cluster *out);

/*
 * The faults of a Cluster, each ERR_INVALID with one sentence. For example, server or
 * token is missing, the server is no http(s)://host[:port] URL, or the name of the Secret
 * is invalid. The planner and the admission webhook both use this function.
 */
enum { CLUSTER_MAX_FAULTS = 4 };
size_t cluster_faults(const struct cluster *c, struct err out[static CLUSTER_MAX_FAULTS]);
/* The first fault; OK: there is none. */
struct err cluster_check(const struct cluster *c);
/* The name of the Secret with the key or token: key_ref, or else secret_ref. */
const char *cluster_secret(const struct cluster *c);
/* The Secrets of other owners that get tokens, if valid. Returns their number. */
size_t cluster_recipients(const struct cluster *c, struct recipient out[static RECIPIENTS_MOST]);
/* True for plain http, over which the token can be read on its way. */
bool cluster_is_plain(const struct cluster *c);

/*
 * A URL of slurmrestd: scheme http or https, a host (name, IPv4 or [IPv6]), optionally a
 * port, optionally a path; no user, query or fragment.
 */
struct err server_url_check(const char *url);

#endif
