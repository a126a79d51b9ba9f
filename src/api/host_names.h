/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host names that a NodeSet gives to its pods, which are the names of their Slurm
 * nodes: spec.template.spec.hostname, or the name and a hyphen, with the ordinal behind
 * it.
 */
#ifndef API_HOST_NAMES_H
#define API_HOST_NAMES_H

#include "api/nodeset.h"

enum { HOST_NAME_BYTES = 72, FEATURES_MOST = 64 };

struct host_names {
	/* "": it gives none that Kubernetes would take */
	char prefix[HOST_NAME_BYTES];
	int64_t n; /* as many as now, from ordinal 0 on */
};
/* The host names of a NodeSet. */
struct host_names host_names_of(const struct nodeset *n);

enum meeting {
	APART,
	LATER, /* once it has more replicas */
	NOW
};
/*
 * Whether both give one name, and which (name NULL: not needed). Two NodeSets with the
 * same prefix meet NOW, whatever their replicas: no rule may refuse a change of scale.
 */
enum meeting host_names_meet(const struct host_names *a, const struct host_names *b,
	char name[HOST_NAME_BYTES]);
/* Whether this is one of them; n bytes. */
enum meeting host_names_have(const struct host_names *of, const char *name, size_t n);

/*
 * The features with which a slurmd registers by its arguments (--conf 'Features=a,b'), as
 * far as the template of a NodeSet tells. Charts call a NodeSet= line of slurm.conf like
 * the feature that it is about.
 */
struct feature_walk {
	struct json_iter containers, args;
	const char *at; /* the next word */
	int seen;       /* of at most FEATURES_MOST */
};
struct feature_walk features_of(const struct json *template);
/* The next one: *n bytes at *name, not terminated; false: there is none. */
bool features_next(struct feature_walk *w, const char **name, size_t *n);

#endif
