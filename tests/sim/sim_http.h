/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire: an implementation of struct http whose requests are answered by functions. A
 * request travels some milliseconds, takes effect when it arrives, and its answer travels
 * back. The faults of the world happen here.
 *
 * A request that has left takes effect even when its struct http is freed meanwhile: that
 * is how a crash looks to the servers.
 */
#ifndef SIM_HTTP_H
#define SIM_HTTP_H

#include "base/str.h"
#include "net/http.h"
#include "sim/sim_fault.h"
#include "lib/sim_loop.h"

/* A request as the server sees it. Valid during serve only. */
struct sim_request {
	const char *method, *path; /* path with query */
	const char *content_type;  /* NULL: none given */
	const char *slurm_token;   /* X-SLURM-USER-TOKEN; NULL: none */
	const char *body;
	size_t body_bytes;
	int64_t sent_ms;
	uint32_t number;        /* of the point in the fault list */
	bool observed;          /* of a program under test */
	int who, life;          /* of which, from 0 on, and in which life */
	bool stream;            /* the client takes pieces */
	struct http_call *call; /* for sim_stream_ */
};

/* An answer as its receiver sees it; passed to on_seen when it is delivered. */
struct sim_seen {
	int what; /* 0: nothing to remember */
	int64_t value;
	const void *by; /* the server's own, where there are several of its kind */
};

struct sim_reply {
	int status;
	struct str body;
	int64_t delay_ms;       /* that the server takes beside the way */
	int64_t retry_after_ms; /* -1: none */
	struct sim_seen seen;
	bool stream; /* stays open; status is 200 and body empty */
	/* The stream is gone, for whatever reason but sim_stream_end */
	void (*on_close)(void *ctx);
	void *close_ctx;
};

struct sim_server {
	const char *base_url;
	void (*serve)(void *ctx, const struct sim_request *rq, struct sim_reply *out);
	/*
	 * Time that the server works on a request before it looks at anything; NULL: not
	 * at all. reply.delay_ms is what it takes afterwards.
	 */
	int64_t (*works_ms)(void *ctx, const char *method, const char *path);
	/* The body of an injected 500, 503, 429, or 200 with errors */
	void (*fault_body)(int status, struct str *out);
	void *ctx;
	bool errors_inside; /* its 200 may hold errors */
	bool down;          /* by sim_server_down */
	struct timer *up_again;
	struct sim_net *net;
	struct sim_server *next;
};

/* Programs under test at the same time: two managers of which one leads, say. */
enum { SIM_PROGRAMS = 2 };
struct sim_program {
	struct sim_net *net;
	int who;
	int life; /* from 1 on */
};

struct sim_net {
	struct sim_loop *loop;
	uint64_t seed;
	struct sim_faults faults;
	struct sim_server *servers;
	struct http_call *calls; /* everything under way */
	uint32_t sent;
	/*
	 * Called from the loop with nothing of the program on the stack: free the whole
	 * program and make it anew. NULL: no crashes
	 */
	void (*on_crash)(void *ctx, int who);
	void *crash_ctx;
	struct timer *crash_timer;
	int crashing; /* with crash_timer: who */
	struct sim_program programs[SIM_PROGRAMS];
	bool frozen[SIM_PROGRAMS]; /* nothing is delivered to it; see sim_net_thaw */
	void (*on_seen)(void *ctx, int who, struct sim_seen seen);
	void *seen_ctx;
	int64_t way_ms; /* longest way of a request or an answer without a fault */
};

struct sim_net *sim_net_new(struct sim_loop *loop, uint64_t seed);
void sim_net_add(struct sim_net *n, struct sim_server *s);
/* A client of the server with that URL; without a server it refuses all requests. */
struct http *sim_http_new(struct sim_net *n, const char *base_url, int max_in_flight,
	bool observed);
/* A client of a program under test */
struct http *sim_http_new_of(const struct sim_program *p, const char *base_url, int max_in_flight);
/* An http_factory; ctx is one of the net's programs. */
struct err sim_http_factory(void *ctx, const struct http_config *config, struct http **out);

/*
 * Connections break, requests are refused, from now on, for for_ms (0: until
 * sim_server_up).
 */
void sim_server_down(struct sim_server *s, int64_t for_ms);
void sim_server_up(struct sim_server *s);

/*
 * Streams, by the server: from timers of its own only, never from serve. False: it is
 * closed (on_close has been called).
 */
bool sim_stream_send(struct http_call *c, const char *text, size_t n);
/* The server ends it: cleanly or as a broken connection. on_close is not called. */
void sim_stream_end(struct http_call *c, bool broken);

/* The program goes on: what came for it meanwhile is delivered. */
void sim_net_thaw(struct sim_net *n, int who);
/* Under way with a client that still waits */
size_t sim_net_calls(const struct sim_net *n, bool observed);
/*
 * POSTs of the program to a path that ends so, with this text in the body, that are still
 * on their way to the server.
 */
size_t sim_net_posts(const struct sim_net *n, const char *path_end, const char *text);
void sim_net_free(struct sim_net *n);

#endif
