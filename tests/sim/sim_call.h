/* SPDX-License-Identifier: Apache-2.0 */
/* One request under way, for the files of the wire. */
#ifndef SIM_CALL_H
#define SIM_CALL_H

#include "sim/sim_http.h"

enum call_state {
	CALL_QUEUED,
	CALL_SENT,     /* on its way to the server */
	CALL_ANSWERED, /* the answer is on its way back */
	CALL_STREAMING,
};

struct sim_client {
	struct http http;
	struct sim_net *net;
	struct sim_server *server; /* NULL: no answer */
	int max_in_flight, in_flight;
	bool observed;
	int who; /* of the programs under test */
};

struct http_call {
	struct sim_net *net;
	struct sim_client *client; /* NULL: the caller is gone */
	struct sim_server *server;
	enum call_state state;
	enum sim_fault_kind fault;
	struct sim_rand rand;
	uint32_t number;
	int who, life;
	bool held;            /* its end has come while the program was frozen */
	struct str held_text; /* and so has this */
	char *method, *path, *content_type, *slurm_token, *body;
	size_t body_bytes;
	bool observed, counted, worked_on, timed_out;
	int64_t timeout_ms, idle_ms, asked_ms, queued_ms, max_wait_ms;
	const int64_t *leave_by_ms;
	http_done *done;
	bool (*on_data)(void *ctx, const char *bytes, size_t n);
	bool (*on_body)(void *ctx, const char *bytes, size_t n);
	void (*drop)(void *ctx);
	void *ctx;
	size_t most_bytes;
	struct timer *timer;   /* of the way */
	struct timer *timeout; /* of the client */
	struct sim_reply reply;
	struct err lost; /* given instead of the reply when failed */
	struct http_call *next, **self;
};

/* Gives it to the wire: the way, the faults and the server's answer follow by timers. */
void sim_call_go(struct http_call *c);
/* The end of it: the client, if it still waits, is told, and the call is freed. */
void sim_call_done(struct http_call *c, struct err e);
/* From here on no caller waits for the answer. */
void sim_call_detach(struct http_call *c);
/* The client hears in a while: the reply, or the error in lost. */
void sim_call_answer_in(struct http_call *c, int64_t delay_ms);
void sim_call_close_stream(struct http_call *c);     /* tells the server */
void sim_call_idle(struct http_call *c, int64_t ms); /* the client's patience starts anew */
int64_t sim_call_way(struct http_call *c);
/* The program that waits for it is: what comes is held */
bool sim_call_frozen(const struct http_call *c);
void sim_call_free(struct http_call *c);

#endif
