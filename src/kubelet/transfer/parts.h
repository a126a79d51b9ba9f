/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts that send results and receive inputs; for the files of this folder only.
 *
 *     request.c     parses requests
 *     end.c         ends requests and frees their resources
 *     auth.c        authorizes the client, and reads the place that its object names
 *     download.c    from red-box to the client pod
 *     upload.c      from the client pod to red-box
 *     metrics.c     number of requests, and their results
 */
#ifndef KUBELET_TRANSFER_PARTS_H
#define KUBELET_TRANSFER_PARTS_H

#include "kubelet/relay.h"
#include "kubelet/transfer/request.h"
#include "plan/results/inputs.h"

enum transfer_what { TRANSFER_LIST, TRANSFER_FILE, TRANSFER_CHECKSUM, TRANSFER_INPUTS };

/* A kind of client: the pod that copies results, or the pod that sends inputs. */
struct transfer_role {
	const char *route;    /* "/results/" */
	const char *suffix;   /* suffix of the pod's name */
	const char *audience; /* audience of its token */
	bool inputs;
};

/* A request for results, or with inputs. Texts are never NULL. */
struct transfer {
	struct transfer *prev, *next; /* utlist */
	struct kubelet *k;
	struct relay relay;
	struct arena arena; /* owns the texts */
	const struct transfer_role *role;
	enum transfer_what what;
	const char *ns, *pod;
	const char *path; /* a path of the list; "" for the list itself */
	int64_t offset;
	struct inputs_piece piece;
	struct inputs_file *inputs; /* receives the piece; NULL: none */
	struct quota *places;       /* its place in the quota of its namespace; NULL: none */
	struct quota *list_place;   /* its place in the quota for lists; NULL: none */
	/* The job */
	enum resource owner_resource;
	const char *owner_name, *owner_uid;
	const char *key, *std_out;
	int64_t job_id;
	struct grpc_client *red_box;
	/* Authorization */
	void (*let_in)(struct transfer *h); /* called on success */
	struct gate_ask *ask;
	struct http_call *call;
	struct timer *timer;
	const char *collector_uid; /* uid of the client pod, from its token */
	const char *known_by;      /* key in the cache */
	const char *from;          /* place of the results, or folder for the inputs */
};

/*
 * An input file that is uploaded piece by piece. A job has at most one upload at a time.
 */
struct inputs_file {
	struct inputs_file *prev, *next; /* utlist */
	struct kubelet *k;
	char *of, *place; /* "NAMESPACE/POD", and the path on the side of Slurm */
	uint8_t sha256[RESULTS_SUM_BYTES];
	int64_t size, taken;
	struct wlm_call *call; /* NULL after its end */
	struct transfer *h;    /* the request whose piece is being sent; NULL: none */
	struct timer *timer;
	struct quota *places; /* its place in the quota of its namespace */
};

/* ---- end.c ---- */

/* Answers with this sentence, and frees h. */
void transfer_refuse(struct transfer *h, int status, const char *sentence);
/* Frees h. The caller answers the exchange. */
void transfer_free(struct transfer *h);
/* Called when the client's exchange has ended. */
void transfer_gone(void *transfer);

/* Refuses the request with an error from red-box. */
void transfer_fail(struct transfer *h, struct err e);
/* Cancels the call of red-box, detaches the waiting request, and frees in. */
void inputs_file_drop(struct inputs_file *in);

/* ---- metrics.c ---- */

/* Counts a request that was refused with this status. */
void transfer_count(const struct transfer *h, int status);

/* ---- auth.c ---- */

/* Calls go_on if the request is authorized; otherwise refuses it. */
void transfer_ask_right(struct transfer *h, const char *authorization,
	void (*go_on)(struct transfer *h));

/* ---- download.c ---- */

/* Answers with h->from, or with the standard output when it is "". */
void transfer_give(struct transfer *h);

/* ---- upload.c ---- */

/* Sends the bytes of the piece to red-box, into this file. */
void transfer_take(struct transfer *h, const char *place);
#endif
