/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of what gives results and takes inputs; for the files of this folder only.
 *
 *     request.c     a request: what it is about
 *     end.c         its end, and what it holds
 *     auth.c        who asks, and what its object names
 *     download.c    from red-box to the collector
 *     upload.c      from the one that brings inputs to red-box
 *     metrics.c     how many there are, and how they ended
 */
#ifndef KUBELET_TRANSFER_PARTS_H
#define KUBELET_TRANSFER_PARTS_H

#include "kubelet/relay.h"
#include "kubelet/transfer/request.h"
#include "plan/results/inputs.h"

enum transfer_what { TRANSFER_LIST, TRANSFER_FILE, TRANSFER_CHECKSUM, TRANSFER_INPUTS };

/* The client: the pod that copies the results, or the pod that brings the inputs. */
struct transfer_role {
	const char *route;    /* "/results/" */
	const char *suffix;   /* of the name of its pod */
	const char *audience; /* of its token */
	bool inputs;
};

/* A request for results, or with inputs, on its way. Texts are never NULL. */
struct transfer {
	struct transfer *prev, *next; /* utlist */
	struct kubelet *k;
	struct relay relay;
	struct arena arena; /* has its texts */
	const struct transfer_role *role;
	enum transfer_what what;
	const char *ns, *pod;
	const char *path; /* as the list gave it; "" of the list */
	int64_t offset;
	struct inputs_piece piece;
	struct inputs_file *inputs; /* that takes it; NULL: none */
	struct quota *places;       /* of its namespace; NULL: it has none */
	struct quota *list_place;   /* likewise, of a list */
	/* The job */
	enum resource owner_resource;
	const char *owner_name, *owner_uid;
	const char *key, *std_out;
	int64_t job_id;
	struct grpc_client *red_box;
	/* The questions that are asked for it */
	void (*let_in)(struct transfer *h); /* when it may be answered */
	struct gate_ask *ask;
	struct http_call *call;
	struct timer *timer;
	const char *collector_uid; /* of the pod that asks, as its token says */
	const char *known_by;      /* in the cache */
	const char *from;          /* of inputs: the folder that gets them */
};

/* A file of inputs that is uploaded, piece by piece; one at a time for a job. */
struct inputs_file {
	struct inputs_file *prev, *next; /* utlist */
	struct kubelet *k;
	char *of, *place; /* NAMESPACE/POD, and on the side of Slurm */
	uint8_t sha256[RESULTS_SUM_BYTES];
	int64_t size, taken;
	struct wlm_call *call; /* NULL: it has ended */
	struct transfer *h;    /* that waits for its piece to be taken; NULL: none */
	struct timer *timer;
	struct quota *places; /* of its namespace: it has one */
};

/* ---- end.c ---- */

/* The answer is this sentence; h is gone. */
void transfer_refuse(struct transfer *h, int status, const char *sentence);
/* Frees h; the caller answers its exchange. */
void transfer_free(struct transfer *h);
/* The exchange of the transfer, which was answered or streamed, has ended. */
void transfer_gone(void *transfer);

/* A refusal with what red-box says. */
void transfer_fail(struct transfer *h, struct err e);
/* Ends the call of red-box, and the wait of its request; in is gone. */
void inputs_file_drop(struct inputs_file *in);

/* ---- metrics.c ---- */

/* The request has been answered with this status. */
void transfer_count(const struct transfer *h, int status);

/* ---- auth.c ---- */

/* go_on is called when the request may be answered; otherwise it is refused. */
void transfer_ask_right(struct transfer *h, const char *authorization,
	void (*go_on)(struct transfer *h));

/* ---- download.c ---- */

/* from is what the object names; "": the standard output. */
void transfer_give(struct transfer *h);

/* ---- upload.c ---- */

/* The bytes of the piece go to red-box, into this file. */
void transfer_take(struct transfer *h, const char *place);
#endif
