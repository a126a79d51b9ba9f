/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to the socket itself, without a retry: a gRPC client would retry for long. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "grpc/client.h"
#include "redbox/check/ask.h"
#include "wlm/answer.h"

struct check_box_ask {
	struct check_ask by;
	struct grpc_client *client;
	struct timer *soon;
	struct err err; /* error of the response */
	struct wlm_answer answer;
	bool answered;
};

/* Returns a socket, or -1 and errno. */
static int connect_to(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t n = strlen(path);
	if (n == 0 || n >= sizeof(at.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(at.sun_path, path, n);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof(at)) != 0) {
		int why = errno;
		close(fd);
		errno = why;
		fd = -1;
	}
	return fd;
}

static void answered(void *ctx, struct grpc_ask *ask, const void *bytes, size_t n)
{
	struct check_box_ask *b = ctx;
	(void)ask;
	b->answered = true;
	b->err = wlm_answer_read(WLM_ANSWER_WORKLOAD, bytes, n, b->by.arena, &b->answer);
}

static void over(void *ctx, const struct grpc_outcome *o)
{
	struct check_box_ask *b = ctx;
	struct check_facts *f = b->by.facts;
	struct err e = o->status != GRPC_OK ? err_new(ERR_RETRY, "%s", o->message)
		: !b->answered ? err_new(ERR_INVALID, "it ended the call without an answer")
			       : b->err;
	f->box = (struct check_answer){ true, e };
	if (!failed(e)) {
		f->box_uid = b->answer.uid;
		f->box_slurm = b->answer.version;
	}
	b->by.done(b->by.ctx);
}

static void not_connected(void *ctx)
{
	struct check_box_ask *b = ctx;
	b->soon = NULL;
	b->by.done(b->by.ctx);
}

struct check_box_ask *check_ask_box(const struct check_ask *by, const char *socket)
{
	static const struct grpc_ask_events events = { .message = answered, .done = over };
	struct check_box_ask *b = own_alloc(sizeof(*b));
	b->by = *by;
	int fd = connect_to(socket);
	struct err e = OK;
	by->facts->connect_error = fd < 0 ? errno : 0;
	if (fd >= 0) {
		e = grpc_client_new(by->loop, &(struct grpc_client_config){ .fd = fd }, &b->client);
		by->facts->connect_error = failed(e) ? ENOMEM : 0;
	}
	if (!b->client) {
		b->soon = timer_start(by->loop, 0, not_connected, b);
		return b;
	}
	struct grpc_ask *ask = grpc_ask_start(b->client, "/api.WorkloadManager/WorkloadInfo",
		by->limit_ms, &events, b);
	grpc_ask_send(ask, "", 0);
	grpc_ask_end(ask);
	return b;
}

/* grpc_client_free would call over for a pending call; after done none is pending. */
void check_box_ask_free(struct check_box_ask *b)
{
	if (!b)
		return;
	timer_stop(b->by.loop, b->soon);
	grpc_client_free(b->client);
	free(b);
}
