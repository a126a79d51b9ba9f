/* SPDX-License-Identifier: Apache-2.0 */
/* Records the callbacks of the gRPC client. */
#include "lib/asks.h"

#include "lib/raw_client.h"

static void message(void *told, struct grpc_ask *a, const void *bytes, size_t n)
{
	struct told *t = told;
	assert_ptr_equal(t->ask, a);
	assert_int_equal(t->done, 0);
	t->messages++;
	t->size += n;
	str_clear(&t->bytes);
	if (!t->forgets && n)
		str_add_bytes(&t->bytes, bytes, n);
	if (t->pauses_after && t->messages >= t->pauses_after)
		grpc_ask_pause(a);
}

static void writable(void *told, struct grpc_ask *a)
{
	struct told *t = told;
	assert_int_equal(grpc_ask_queued_bytes(a), 0);
	t->writable++;
}

static void done(void *told, const struct grpc_outcome *o)
{
	struct told *t = told;
	t->ask = NULL;
	t->done++;
	t->effect = o->effect;
	t->status = o->status;
	snprintf(t->text, sizeof(t->text), "%s", o->message);
}

void ask_begin(struct loop *l, struct grpc_client *c, struct told *t, const char *method)
{
	static const struct grpc_ask_events events = { message, writable, done };
	t->loop = l;
	t->ask = grpc_ask_start(c, method, t->timeout_ms ? t->timeout_ms : 30000, &events, t);
}

void ask_once(struct loop *l, struct grpc_client *c, struct told *t, const char *method,
	const char *text)
{
	ask_begin(l, c, t, method);
	grpc_ask_send(t->ask, text, strlen(text));
	grpc_ask_end(t->ask);
}

void told_wait(struct told *t)
{
	while (!t->done)
		raw_turn(t->loop);
}

void told_wait_messages(struct told *t, int n)
{
	while (t->messages < n && !t->done)
		raw_turn(t->loop);
	assert_true(t->messages >= n);
}

void told_is(const struct told *t, enum grpc_effect effect, enum grpc_status status)
{
	assert_int_equal(t->done, 1);
	if (t->effect != effect || t->status != status)
		fail_msg("fate %d and status %d, wanted %d and %d: %s", (int)t->effect,
			(int)t->status, (int)effect, (int)status, t->text);
}

void told_free(struct told *t) { str_free(&t->bytes); }
