/* SPDX-License-Identifier: Apache-2.0 */
/* A request of the REST interface, until it is answered; for this folder only. */
#ifndef REDBOX_REST_REST_PARTS_H
#define REDBOX_REST_REST_PARTS_H

#include "net/server.h"
#include "redbox/files/followed.h"
#include "redbox/rest/request.h"
#include "redbox/rest/rest.h"
#include "redbox/service_parts.h"

struct rest {
	struct rest_config config;
	struct http_server *server;
	struct rest_call *calls; /* utlist */
	struct budget places;    /* for calls, by user */
	struct budget streams;   /* half of these places: for /open and /tail */
	bool finishing;
};

struct rest_call {
	struct rest_call *prev, *next;
	struct rest *rest;
	struct exchange *x;
	struct rest_route route;
	struct grpc_peer peer;
	char who[WHO_BYTES]; /* the uid, as text */
	int64_t began_ms;
	struct quota *place, *stream, *file; /* NULL: it has none */
	char *key;                           /* of /sbatch; NULL: none */
	struct slurm_tools_call *tool;
	struct submit_wait *wait;
	struct status_cache_wait *shown;
	/* of /open and /tail */
	char *path;
	struct followed at;
	struct timer *timer;
};

/* Added to the calls of r; one of the functions below frees it. */
struct rest_call *rest_call_new(struct rest *r, struct exchange *x);
/* Each of these answers the call, which is freed then. */
void rest_reply(struct rest_call *c, int status, const char *type, struct str *body);
void rest_refuse(struct rest_call *c, int status, const char *sentence);
/* The status is that of the error's kind (rest_status). */
void rest_fail(struct rest_call *c, struct err e);
/* After exchange_stream: the end of the stream; e: the client sees that it is missing. */
void rest_end(struct rest_call *c, struct err e);
/* exchange_later for the call, and exchange_stream: its client may go away. */
void rest_later(struct rest_call *c);
void rest_stream(struct rest_call *c, const char *type);
/* Takes one of the files that clients may have open; false: the call was refused. */
bool rest_takes_file(struct rest_call *c);
/* How many bytes of a file are sent at once. */
size_t rest_piece_bytes(const struct rest_call *c);

typedef void rest_begin_fn(struct rest_call *c);
/* rest_jobs.c */
rest_begin_fn rest_sbatch, rest_sjob, rest_steps, rest_scancel;
/* rest_files.c */
rest_begin_fn rest_open, rest_tail;

#endif
