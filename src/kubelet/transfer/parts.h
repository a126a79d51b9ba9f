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

enum handout_what { HANDOUT_LIST, HANDOUT_FILE, HANDOUT_CHECKSUM, HANDOUT_INPUTS };

/* The client: the pod that copies the results, or the pod that brings the inputs. */
struct handout_role {
	const char *route;    /* "/results/" */
	const char *suffix;   /* of the name of its pod */
	const char *audience; /* of its token */
	bool inputs;
};

/* A request for results, or with inputs, on its way. Texts are never NULL. */
struct handout {
	struct handout *prev, *next; /* utlist */
	struct kubelet *k;
	struct relay relay;
	struct arena arena; /* has its texts */
	const struct handout_role *role;
	enum handout_what what;
	const char *ns, *pod;
	const char *path; /* as the list gave it; "" of the list */
	int64_t offset;
	struct inputs_piece piece;
	struct inputs_file *inputs; /* that takes it; NULL: none */
	struct purse *places;       /* of its namespace; NULL: it has none */
	struct purse *list_place;   /* likewise, of a list */
	/* The job */
	enum resource owner_resource;
	const char *owner_name, *owner_uid;
	const char *key, *std_out;
	int64_t job_id;
	struct grpc_client *red_box;
	/* The questions that are asked for it */
	void (*let_in)(struct handout *h); /* when it may be answered */
	struct gate_ask *ask;
	struct http_call *call;
	struct timer *timer;
	const char *collector_uid; /* of the pod that asks, as its token says */
	const char *known_by;      /* in the memo */
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
	struct handout *h;     /* that waits for its piece to be taken; NULL: none */
	struct timer *timer;
	struct purse *places; /* of its namespace: it has one */
};

/* ---- end.c ---- */

/* The answer is this sentence; h is gone. */
void handout_refuse(struct handout *h, int status, const char *sentence);
/* Frees h; the caller answers its exchange. */
void handout_free(struct handout *h);
/* The exchange of the handout, which was answered or streamed, has ended. */
void handout_gone(void *handout);

/* A refusal with what red-box says. */
void handout_fail(struct handout *h, struct err e);
/* Ends the call of red-box, and the wait of its request; in is gone. */
void inputs_file_drop(struct inputs_file *in);

/* ---- metrics.c ---- */

/* The request has been answered with this status. */
void handout_count(const struct handout *h, int status);

/* ---- auth.c ---- */

/* go_on is called when the request may be answered; otherwise it is refused. */
void handout_ask_right(struct handout *h, const char *authorization,
	void (*go_on)(struct handout *h));

/* ---- download.c ---- */

/* from is what the object names; "": the standard output. */
void handout_give(struct handout *h);

/* ---- upload.c ---- */

/* The bytes of the piece go to red-box, into this file. */
void handout_take(struct handout *h, const char *place);
#endif
