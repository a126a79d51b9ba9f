/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens do not outlive their use: the whole heap of this process is searched for them.
 * They stand in the test and in its peer, a process of its own, in disguise.
 */
#include "lib/fake_peer.h"
#include "lib/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/codec.h"
#include "kube/client.h"
#include "kube/config_parts.h"

enum { DISGUISE = 0x55, TOKEN_BYTES = 64, PIECE = 64 << 10, LARGEST = 64 << 20 };

/* The tokens, each byte of which was changed. */
struct disguised {
	char bytes[TOKEN_BYTES];
};

static struct disguised new_token(char first)
{
	struct disguised t;
	for (int i = 0; i < TOKEN_BYTES; i++)
		t.bytes[i] = (char)((i ? 'a' + (i * 7 + first) % 26 : first) ^ DISGUISE);
	return t;
}

static void undisguise(const struct disguised *t, char out[static TOKEN_BYTES + 1])
{
	for (int i = 0; i < TOKEN_BYTES; i++)
		out[i] = (char)(t->bytes[i] ^ DISGUISE);
	out[TOKEN_BYTES] = '\0';
}

/* ---- the search ---- */

static bool is_in(const char *bytes, size_t n, const struct disguised *t)
{
	for (size_t at = 0; at + TOKEN_BYTES <= n; at++) {
		size_t i = 0;
		while (i < TOKEN_BYTES && (char)(bytes[at + i] ^ DISGUISE) == t->bytes[i])
			i++;
		if (i == TOKEN_BYTES)
			return true;
	}
	return false;
}

static bool is_in_range(int memory, unsigned long from, unsigned long to, const struct disguised *t)
{
	char piece[PIECE]; /* on the stack, which is not searched */
	bool found = false;
	for (unsigned long at = from; at < to && !found; at += PIECE - TOKEN_BYTES) {
		size_t want = to - at < PIECE ? to - at : PIECE;
		ssize_t n = pread(memory, piece, want, (off_t)at);
		found = n > 0 && is_in(piece, (size_t)n, t);
	}
	explicit_bzero(piece, sizeof(piece));
	return found;
}

/* In the heap, and in whatever else was mapped without a file. */
static bool in_memory(const struct disguised *t)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	char line[512];
	bool found = false;
	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;
		char rights[5], name[256] = "";
		int n = sscanf(line, "%lx-%lx %4s %*s %*s %*s %255s", &from, &to, rights, name);
		bool heap = n == 3 || str_eq(name, "[heap]");
		if (n >= 3 && heap && str_has_prefix(rights, "rw") && to - from <= LARGEST)
			found = is_in_range(memory, from, to, t);
	}
	fclose(maps);
	close(memory);
	return found;
}

static void a_token_that_is_kept_is_found(void **state)
{
	struct disguised t = new_token('z');
	char *kept = own_alloc(TOKEN_BYTES + 1);
	(void)state;
	undisguise(&t, kept);
	assert_true(in_memory(&t));
	own_wipe(kept);
	assert_false(in_memory(&t));
}

/* ---- the world ---- */

struct world {
	struct loop *loop;
	struct kube kube;
	pid_t peer;
	int port;
	struct disguised ours, theirs; /* the bearer; what the Secret has */
	bool answered;
};

static void answer_as_api_server(const struct disguised *t, int to_parent)
{
	static char answer[1000];
	char token[TOKEN_BYTES + 1], body[500];
	struct peer peer;
	undisguise(t, token);
	snprintf(body, sizeof(body), "{\"kind\":\"Secret\",\"data\":{\"auth-token\":\"%s\"}}",
		token);
	snprintf(answer, sizeof(answer),
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
		strlen(body), body);
	peer_start(&peer, NULL, answer);
	if (write(to_parent, &peer.port, sizeof(peer.port)) == sizeof(peer.port))
		for (;;)
			pause();
	_exit(1);
}

static int given_a_secret(void **state)
{
	static char first = 'A'; /* others in each test */
	struct world *w = own_alloc(sizeof(*w));
	int ends[2];
	w->ours = new_token(first++);
	w->theirs = new_token(first++);
	assert_int_equal(pipe(ends), 0);
	w->peer = fork();
	if (w->peer == 0)
		answer_as_api_server(&w->theirs, ends[1]);
	assert_int_equal(read(ends[0], &w->port, sizeof(w->port)), sizeof(w->port));
	close(ends[0]);
	close(ends[1]);
	w->loop = loop_uv_new();
	*state = w;
	return 0;
}

static int free_world(void **state)
{
	struct world *w = *state;
	http_free(w->kube.http);
	loop_uv_free(w->loop);
	kill(w->peer, SIGKILL);
	waitpid(w->peer, NULL, 0);
	free(w);
	return 0;
}

static void given_a_client(struct world *w)
{
	AUTO(str_free) struct str url = { 0 };
	str_addf(&url, "http://127.0.0.1:%d", w->port);
	struct http_config config = { .base_url = str_text(&url) };
	assert_false(failed(http_curl_new(w->loop, &config, &w->kube.http)));
	w->kube.loop = w->loop;
}

static void came(void *ctx, struct err err, const struct json *object, int64_t retry_after_ms)
{
	struct world *w = ctx;
	(void)retry_after_ms;
	if (failed(err))
		fail_msg("%s", err.text);
	const char *text = json_str(json_at(object, "data", "auth-token"), "");
	w->answered = is_in(text, strlen(text), &w->theirs);
	loop_uv_stop(w->loop);
}

static void when_the_secret_is_read(struct world *w)
{
	const struct kube_request r = {
		.method = "GET",
		.path = "/api/v1/namespaces/x/secrets/y",
		.secret = true,
	};
	kube_send(&w->kube, &r, came, w);
	loop_uv_run(w->loop);
	assert_true(w->answered);
}

/* ---- what is left ---- */

/* Acceptance: gate-6 */
static void a_secret_that_was_read_is_nowhere(void **state)
{
	struct world *w = *state;
	given_a_client(w);
	for (int i = 0; i < 3; i++)
		when_the_secret_is_read(w);
	http_free(TAKE(w->kube.http));
	assert_false(in_memory(&w->theirs));
}

/* Acceptance: gate-6 */
static void a_token_that_was_sent_is_nowhere(void **state)
{
	struct world *w = *state;
	char token[TOKEN_BYTES + 1];
	given_a_client(w);
	undisguise(&w->ours, token);
	http_set_bearer(w->kube.http, token);
	explicit_bzero(token, sizeof(token));
	for (int i = 0; i < 3; i++)
		when_the_secret_is_read(w);
	http_set_bearer(w->kube.http, NULL);
	http_free(TAKE(w->kube.http));
	assert_false(in_memory(&w->ours));
}

static void when_the_secret_is_written(struct world *w)
{
	char token[TOKEN_BYTES + 1];
	AUTO(str_wipe) struct str body = { 0 };
	str_reserve(&body, 500);
	undisguise(&w->ours, token);
	str_addf(&body, "{\"data\":{\"auth-token\":\"%s\"}}", token);
	explicit_bzero(token, sizeof(token));
	const struct kube_request r = {
		.method = "PATCH",
		.path = "/api/v1/namespaces/x/secrets/y",
		.patch = PATCH_MERGE,
		.body = str_text(&body),
		.secret = true,
	};
	kube_send(&w->kube, &r, came, w);
	loop_uv_run(w->loop);
}

/* Acceptance: gate-6 */
static void a_secret_that_was_written_is_nowhere(void **state)
{
	struct world *w = *state;
	given_a_client(w);
	for (int i = 0; i < 3; i++)
		when_the_secret_is_written(w);
	http_free(TAKE(w->kube.http));
	assert_false(in_memory(&w->ours));
}

static void nothing_came(void *ctx, struct err err, const struct http_answer *answer)
{
	struct world *w = ctx;
	(void)err;
	w->answered = answer;
	loop_uv_stop(w->loop);
}

/* As the token of Slurm is. */
/* Acceptance: gate-6 */
static void a_token_in_a_header_is_nowhere(void **state)
{
	struct world *w = *state;
	char token[TOKEN_BYTES + 1];
	given_a_client(w);
	undisguise(&w->ours, token);
	const struct http_header header = { "X-SLURM-USER-TOKEN", token };
	const struct http_request r = {
		.method = "GET",
		.path = "/",
		.headers = &header,
		.n_headers = 1,
	};
	http_send(w->kube.http, &r, nothing_came, w);
	loop_uv_run(w->loop);
	assert_true(w->answered);
	explicit_bzero(token, sizeof(token));
	http_free(TAKE(w->kube.http));
	assert_false(in_memory(&w->ours));
}

static void what_a_plug_in_printed_is_nowhere(void **state)
{
	struct world *w = *state;
	struct kube_config config = { .exec_api_version = own_strdup("v1") };
	struct str text = { 0 };
	char token[TOKEN_BYTES + 1], *given = NULL;
	int64_t expires_in_ms;
	undisguise(&w->ours, token);
	str_reserve(&text, 500);
	str_addf(&text,
		"{\"kind\":\"ExecCredential\",\"apiVersion\":\"v1\",\"status\":{\"token\":\"%s\"}}",
		token);
	explicit_bzero(token, sizeof(token));
	assert_false(failed(plugin_parse(&config, text.text, text.len, &given, &expires_in_ms)));
	assert_non_null(given);
	own_wipe(given);
	str_wipe(&text);
	kube_config_free(&config);
	assert_false(in_memory(&w->ours));
}

#define SECRET_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_secret, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_that_is_kept_is_found),
		SECRET_TEST(a_secret_that_was_read_is_nowhere),
		SECRET_TEST(a_secret_that_was_written_is_nowhere),
		SECRET_TEST(a_token_that_was_sent_is_nowhere),
		SECRET_TEST(a_token_in_a_header_is_nowhere),
		SECRET_TEST(what_a_plug_in_printed_is_nowhere),
	};
	return cmocka_run_group_tests_name("kube_secrets", tests, NULL, NULL);
}
