/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host names of the pods of a NodeSet, which are the names of their Slurm nodes:
 * spec.template.spec.hostname, or else the name and a hyphen, followed by the ordinal.
 */
#ifndef API_HOST_NAMES_H
#define API_HOST_NAMES_H

#include "api/nodeset.h"

enum { HOST_NAME_BYTES = 72, FEATURES_MOST = 64 };

struct host_names {
	/* "": no valid host name is possible */
	char prefix[HOST_NAME_BYTES];
	int64_t n; /* the present number of names, from ordinal 0 on */
};
/* The host names of a NodeSet. */
struct host_names host_names_of(const struct nodeset *n);

enum meeting {
	APART,
	LATER, /* with more replicas */
	NOW
};
/*
 * Whether two NodeSets give the same name, and that name (name NULL: not needed). Two
 * NodeSets with the same prefix meet NOW, whatever their replicas, because no rule may
 * refuse a change of scale later.
 */
enum meeting host_names_meet(const struct host_names *a, const struct host_names *b,
	char name[HOST_NAME_BYTES]);
/* Whether this name, of n bytes, is one of the host names. */
enum meeting host_names_have(const struct host_names *of, const char *name, size_t n);

/*
 * Walks the features that the arguments in the template of a NodeSet give to slurmd
 * (--conf 'Features=a,b'). Charts give a NodeSet= line of slurm.conf the name of its
 * feature.
 */
struct feature_walk {
	struct json_iter containers, args;
	const char *at; /* the next feature in an argument */
	int seen;       /* number of features, at most FEATURES_MOST */
};
struct feature_walk features_of(const struct json *template);
/* The next feature: *n bytes at *name, not terminated; false: there is none. */
bool features_next(struct feature_walk *w, const char **name, size_t *n);

#endif
