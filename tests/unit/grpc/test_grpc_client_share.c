/* SPDX-License-Identifier: Apache-2.0 */
/* Clients of several servers share the memory for messages that have come in part. */
#include "lib/asks.h"
#include "lib/h2_peer.h"

#define ANSWER ":status: 200\ncontent-type: application/grpc"

enum { ALL = 8 << 20, LEAST = 1 << 20 };

/* A server that is played, and its client. */
struct side {
	struct h2_peer p;
	struct grpc_client *c;
	struct told t, next;
};

/* The client has asked, and the server has the question. */
static void given_a_call(struct side *s, struct budget *all, const char *share)
{
	struct grpc_client_config config = { .messages = all, .share = share };
	memset(s, 0, sizeof(*s));
	h2_listen(&s->p, loop_uv_new());
	config.path = s->p.path;
	assert_false(failed(grpc_client_new(s->p.loop, &config, &s->c)));
	ask_once(s->p.loop, s->c, &s->t, "/a.B/C", "question");
	h2_take_call(&s->p);
}

static void over(struct side *s)
{
	grpc_client_free(s->c);
	h2_free(&s->p);
	loop_uv_free(s->p.loop);
	told_free(&s->t);
	told_free(&s->next);
}

/* The beginning of an answer of so many MiB. */
static void says_in_part(struct side *s, uint32_t stream, char mib)
{
	const char bytes[] = { 0, 0, (char)(mib << 4), 0, 0, 'x' };
	h2_headers(&s->p, 0, stream, ANSWER);
	h2_frame(&s->p, H2_DATA, 0, stream, bytes, sizeof(bytes));
}

static void until_used(struct side *s, const struct budget *all, size_t bytes)
{
	while (all->used < bytes)
		raw_turn(s->p.loop);
}

/* Acceptance: vnode-17 */
static void half_messages_of_a_server_leave_room_for_another(void **state)
{
	struct budget all = { .limit = ALL, .least = LEAST };
	struct side greedy, honest;
	(void)state;
	given_a_call(&greedy, &all, "a");
	given_a_call(&honest, &all, "b");
	says_in_part(&greedy, 1, 4);
	until_used(&greedy, &all, ALL / 2);
	ask_once(greedy.p.loop, greedy.c, &greedy.next, "/a.B/C", "question");
	while (h2_count(&greedy.p, H2_HEADERS, 0) < 2)
		raw_turn(greedy.p.loop);
	says_in_part(&greedy, 3, 2);
	told_wait(&greedy.next);
	told_is(&greedy.next, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE);
	assert_string_equal(greedy.next.text, "there is no memory for a message of this size now");
	says_in_part(&honest, 1, 2);
	until_used(&honest, &all, ALL / 2 + ALL / 4);
	assert_int_equal(honest.t.done, 0);
	over(&greedy);
	over(&honest);
	assert_int_equal(all.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_messages_of_a_server_leave_room_for_another),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
