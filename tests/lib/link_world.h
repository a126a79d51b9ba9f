/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link to a Slurm cluster, between an API server and a slurmrestd that answer what
 * the members of the world say. The test changes them between one moment and the next.
 *
 *     struct world *w = *state;
 *     w->nodes = NODES(IDLE);
 *     given_up(w);
 *     when_wanted(w, SLURM_SOON, false);
 *     when_passed(w, 1000);
 *     assert_int_equal(node(w, "foo-0").known, YES);
 *
 *     cmocka_unit_test_setup_teardown(name, given_a_link, free_world)
 */
#ifndef TESTS_LIB_LINK_WORLD_H
#define TESTS_LIB_LINK_WORLD_H

#include <unistd.h>

#include "lib/given_kube.h"

#include "link/link.h"

struct world {
	struct sim_loop loop;
	struct fake_http api, rest;
	struct kube kube;
	struct slurm_link *link;
	struct budget memory; /* for what Slurm says */

	/* The answers of the servers */
	const char *secret; /* the body that the API server answers with; NULL: there is none */
	bool api_forbids, rest_down, token_refused;
	bool checks_lost; /* whether a token is taken is said too late to be heard */
	/* Secret "r" of others, as it is now; "": there is none */
	char recipient[2048];
	enum err_kind write_fails; /* of a write of it; ERR_LOST: it is done all the same */
	const char *good_token;    /* the one that slurmrestd takes; NULL: any */
	const char *good_key;      /* of which it takes tokens, in base64; NULL: of any */
	const char *refusal;       /* of the token, in other words; NULL: in the usual ones */
	const char *nodes, *jobs, *job;
	/* The nodes on which every job is suspended; NULL: as job says */
	const char *job_nodes;
	const char *one;        /* answer to the read of one node; NULL: there is none */
	const char *partitions; /* NULL: slurmrestd cannot read them */
	const char *queue;      /* all jobs; NULL: slurmrestd cannot read them */
	int64_t queue_takes_ms; /* to answer that */
	int64_t queue_later_ms; /* the same, and the rest goes on meanwhile */
	bool partitions_again;  /* it gives all of them, though nothing has changed */
	bool unchanged;         /* slurmctld answers a conditional read so */
	int64_t list_takes_ms;  /* the rest goes on meanwhile */

	/* The results */
	int changes, new_tokens; /* calls of the link */
	int jobs_troubles;       /* changes that told of one, of a Slurm that is usable */
	int clients;             /* that it made */
	bool refuses_local;      /* the last of them: see http_config */
	int lists, single;       /* reads of all nodes, and of one */
	int partition_reads;     /* reads of the partitions */
	int queue_reads;         /* reads of all jobs */
	int secrets;             /* reads of the Secret */
	int writes;              /* of "r" that were taken */
	char token[512];         /* of the request that slurmrestd answered last */

	FILE *log; /* see given_log */
	int stderr_before;
};

#define SECRET(token) "{\"data\":{\"auth-token\":\"" token "\"}}"
/* Secret "r" of this version, which has these annotations and this token */
#define RECIPIENT(version, annotations, token)                          \
	"{\"metadata\":{\"uid\":\"u-r\",\"resourceVersion\":\"" version \
	"\",\"annotations\":{" annotations "}},\"data\":{\"auth-token\":\"" token "\"}}"
#define TOKEN_OF_SLURM "\"slinky.slurm.net/token-of\":\"slurm\""
/* Which names the server that asks for it */
#define MEANT_SECRET(member, value)                                                            \
	"{\"metadata\":{\"annotations\":{\"slinky.slurm.net/server\":\"http://slurm:6820\"}}," \
	"\"data\":{\"" member "\":\"" value "\"}}"
#define KEY_SECRET(key) MEANT_SECRET("jwt_hs256.key", key)
#define NODES(list)                                                                          \
	"{\"nodes\":[" list "],\"last_update\":{\"set\":true,\"infinite\":false,\"number\":" \
	"1767225600},\"errors\":[],\"warnings\":[]}"
#define NO_SUCH_NODE                                                                            \
	"{\"errors\":[{\"error_number\":0,\"error\":\"No error\",\"description\":\"Failure to " \
	"query node\"}],\"warnings\":[]}"
#define IDLE "{\"name\":\"foo-0\",\"state\":[\"IDLE\"],\"reason\":\"\",\"comment\":\"\"}"

int given_a_link(void **state);
int free_world(void **state);
/* The rules of the administrator; before the server is known */
void given_rules(struct world *w, struct server_rules rules);
/* The server and the Secret are known, and Slurm has answered */
void given_up(struct world *w);
/* given_up with a Secret that has Slurm's JWT key, for tokens of the user slurm */
void given_up_by_key(struct world *w);

/* Lets ms pass, in which all servers answer at once; updates are left to the test */
void when_passed(struct world *w, int64_t ms);
void when_wanted(struct world *w, enum slurm_need need, bool jobs);

/* The facts of the node, which is expected from then on */
struct slurm_node_fact node(struct world *w, const char *name);
void then_health(struct world *w, enum slurm_health health);

/* Keeps log lines until then_logged */
void given_log(struct world *w);
/* Asserts that so many lines had this text */
void then_logged(struct world *w, const char *text, int times);

/* ---- one answer at a time ---- */

/* The oldest one that is no update and has no answer on its way; NULL: none is open */
struct http_call *first_open(struct fake_http *f);
/* As the members say */
void api_answers(struct world *w, struct http_call *c);
void slurmrestd_answers(struct world *w, struct http_call *c);
/* As of now: facts carry the time at which they were asked for. */
void answer(struct world *w, struct http_call *c, int status, const char *body);

#endif
