/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our gRPC client against a server of grpc-go (server/server.go) or grpcio (server.py).
 * Arguments: its socket, its process, its name and version. With a folder of certificates
 * as a fourth one the first is HOST:PORT, and all of it goes by TLS. Prints one line for
 * each thing that holds.
 */
#include <glob.h>
#include <signal.h>
#include <sys/resource.h>

#include "lib/asks.h"
#include "lib/raw_client.h"

enum { MIB = 1 << 20, POURED_MIB = 512, PIECES_A_MIB = 16 };

struct status_cache {
	struct loop *loop;
	struct grpc_client *client;
	const char *version;
	pid_t server;
};

static void expect(const struct status_cache *d, const char *what, bool holds, const struct told *t)
{
	printf("%sok - %s, %s\n", holds ? "" : "not ", what, d->version);
	if (holds)
		return;
	printf("# status %d, fate %d, %d messages of %zu bytes: %s; \"%.99s\"\n", (int)t->status,
		(int)t->effect, t->messages, t->size, t->text, str_text(&t->bytes));
	exit(1);
}

static bool ended(const struct told *t, enum grpc_effect effect, enum grpc_status status)
{
	return t->done == 1 && t->effect == effect && t->status == status;
}

static bool is_ok(const struct told *t) { return ended(t, GRPC_ANSWERED, GRPC_OK); }

/* The last answer, until the next call. */
static const struct told *ask(struct status_cache *d, const char *method, const void *bytes,
	size_t n, int64_t timeout_ms)
{
	static struct told t;
	told_free(&t);
	t = (struct told){ .timeout_ms = timeout_ms };
	ask_begin(d->loop, d->client, &t, method);
	grpc_ask_send(t.ask, bytes, n);
	grpc_ask_end(t.ask);
	told_wait(&t);
	return &t;
}

static const struct told *ask_text(struct status_cache *d, const char *method, const char *text)
{
	return ask(d, method, text, strlen(text), 0);
}

static void single_calls(struct status_cache *d)
{
	enum { LARGE = 3 * MIB };
	char *large = own_alloc(4 * MIB + 1);
	const struct told *t = ask_text(d, "/test.Echo/Once", "hello");
	expect(d, "a message comes back", is_ok(t) && str_eq(str_text(&t->bytes), "hello"), t);
	memset(large, 'x', LARGE);
	t = ask(d, "/test.Echo/Once", large, LARGE, 0);
	expect(d, "3 MiB come back",
		is_ok(t) && t->size == LARGE && memcmp(t->bytes.text, large, LARGE) == 0, t);
	t = ask(d, "/test.Echo/Once", large, 4 * MIB + 1, 0);
	expect(d, "a message that is too large for the server is refused",
		ended(t, GRPC_ANSWERED, GRPC_RESOURCE_EXHAUSTED), t);
	t = ask_text(d, "/test.Echo/Large", "");
	expect(d, "one that is too large for us is refused",
		ended(t, GRPC_EFFECT_UNKNOWN, GRPC_RESOURCE_EXHAUSTED) && !t->messages, t);
	t = ask_text(d, "/test.Echo/Fail", "\x05no caf\xc3\xa9: 100%");
	expect(d, "a sentence arrives as it was",
		ended(t, GRPC_ANSWERED, GRPC_NOT_FOUND) && str_eq(t->text, "no caf\xc3\xa9: 100%"),
		t);
	t = ask_text(d, "/test.Echo/Twice", "");
	expect(d, "a method that is not there is named",
		ended(t, GRPC_ANSWERED, GRPC_UNIMPLEMENTED), t);
	t = ask_text(d, "/test.Echo/Heard", "");
	expect(d, "the server hears who calls, and until when",
		is_ok(t) && strstr(str_text(&t->bytes), "[localhost]") &&
			strstr(str_text(&t->bytes), "[slurm-operator/") &&
			strstr(str_text(&t->bytes), " true 30s"),
		t);
	expect(d, "and of which type the content is, unless its library keeps that to itself",
		strstr(str_text(&t->bytes), "[application/grpc] ") ||
			strstr(str_text(&t->bytes), " [] "),
		t);
	free(large);
}

static void streams(struct status_cache *d)
{
	struct told t = { 0 };
	char thousand[1001] = "";
	const struct told *count = ask_text(d, "/test.Echo/Count",
		memset(thousand, 'x', sizeof(thousand) - 1));
	expect(d, "a message is answered by a thousand",
		is_ok(count) && count->messages == 1000 && count->size == 1000000, count);
	ask_begin(d->loop, d->client, &t, "/test.Echo/Sum");
	for (int i = 0; i < 1000; i++)
		grpc_ask_send(t.ask, thousand, 1000);
	grpc_ask_end(t.ask);
	told_wait(&t);
	expect(d, "a thousand messages are answered by one",
		is_ok(&t) && str_eq(str_text(&t.bytes), "1000000"), &t);
	told_free(&t);
	t = (struct told){ 0 };
	ask_begin(d->loop, d->client, &t, "/test.Echo/Chat");
	for (int i = 1; i <= 100; i++) {
		grpc_ask_send(t.ask, thousand, 1000);
		told_wait_messages(&t, i);
	}
	grpc_ask_end(t.ask);
	told_wait(&t);
	expect(d, "both sides talk", is_ok(&t) && t.messages == 100, &t);
	told_free(&t);
}

static void a_long_stream(struct status_cache *d)
{
	struct told t = { .forgets = true, .timeout_ms = 600000, .pauses_after = 100 };
	struct rusage before, after;
	char text[32];
	snprintf(text, sizeof(text), "%d", POURED_MIB * PIECES_A_MIB);
	getrusage(RUSAGE_SELF, &before);
	ask_once(d->loop, d->client, &t, "/test.Echo/Pour", text);
	told_wait_messages(&t, 100);
	for (int i = 0; i < 100; i++)
		raw_turn(d->loop);
	expect(d, "a receiver that pauses is not flooded", t.messages == 100 && !t.done, &t);
	t.pauses_after = 0;
	grpc_ask_resume(t.ask);
	told_wait(&t);
	getrusage(RUSAGE_SELF, &after);
	expect(d, "512 MiB pass, and less than 16 MiB more are needed at once",
		is_ok(&t) && t.size == (size_t)POURED_MIB * MIB &&
			after.ru_maxrss - before.ru_maxrss < 16 << 10,
		&t);
	told_free(&t);
}

static void ends(struct status_cache *d)
{
	struct told t = { .pauses_after = 3 };
	const struct told *hang = ask(d, "/test.Echo/Hang", "", 0, 50);
	expect(d, "a deadline ends a call", hang->status == GRPC_DEADLINE_EXCEEDED, hang);
	ask_once(d->loop, d->client, &t, "/test.Echo/Pour", "1000000");
	told_wait_messages(&t, 3);
	grpc_ask_cancel(t.ask);
	const struct told *gone = ask_text(d, "/test.Echo/Gone", "");
	while (is_ok(gone) && str_eq(str_text(&gone->bytes), "0"))
		gone = ask_text(d, "/test.Echo/Gone", "");
	expect(d, "a stream is cancelled, and the server hears it", is_ok(gone), gone);
	told_free(&t);
}

static void begin_number(struct status_cache *d, struct told *t, int number, char text[static 32])
{
	snprintf(text, 32, "number %d", number);
	ask_once(d->loop, d->client, t, "/test.Echo/Once", text);
}

/*
 * A server may refuse a call that was sent while it still counts one that is over. It
 * says that it has not begun it: what is told apart for this very reason is asked again.
 */
static void many(struct status_cache *d)
{
	enum { MANY = 500 };
	struct told *t = own_alloc(MANY * sizeof(*t)), *bad = NULL;
	char text[32];
	for (int i = 0; i < MANY; i++)
		begin_number(d, &t[i], i, text);
	for (int i = 0; i < MANY; i++) {
		told_wait(&t[i]);
		while (ended(&t[i], GRPC_NOT_SENT, GRPC_UNAVAILABLE)) {
			t[i] = (struct told){ 0 };
			begin_number(d, &t[i], i, text);
			told_wait(&t[i]);
		}
		snprintf(text, sizeof(text), "number %d", i);
		if (!bad && (!is_ok(&t[i]) || !str_eq(str_text(&t[i].bytes), text)))
			bad = &t[i];
	}
	expect(d, "500 calls at once share a connection that takes 20", !bad, bad);
	for (int i = 0; i < MANY; i++)
		told_free(&t[i]);
	free(t);
}

static bool thread_stopped(const char *status_path)
{
	char line[256];
	bool stopped = false;
	FILE *status = fopen(status_path, "re");
	while (status && fgets(line, sizeof(line), status))
		stopped |= strncmp(line, "State:\tT", strlen("State:\tT")) == 0;
	if (status)
		fclose(status);
	return stopped;
}

/* kill() returns before the last thread of the server stops: one may still answer. */
static void stop_server(const struct status_cache *d)
{
	glob_t threads = { 0 };
	char pattern[64];
	size_t running = 1;
	snprintf(pattern, sizeof(pattern), "/proc/%d/task/*/status", d->server);
	kill(d->server, SIGSTOP);
	while (running) {
		running = 0;
		glob(pattern, 0, NULL, &threads);
		for (size_t i = 0; i < threads.gl_pathc; i++)
			running += !thread_stopped(threads.gl_pathv[i]);
		globfree(&threads);
	}
}

static void a_server_that_hangs(struct status_cache *d)
{
	stop_server(d);
	const struct told *t = ask(d, "/test.Echo/Once", "x", 1, 20000);
	expect(d, "a server that hangs is found before the deadline",
		ended(t, GRPC_EFFECT_UNKNOWN, GRPC_UNAVAILABLE), t);
	t = ask(d, "/test.Echo/Once", "x", 1, 200);
	expect(d, "and gets no call on a new connection", ended(t, GRPC_NOT_SENT, GRPC_UNAVAILABLE),
		t);
	kill(d->server, SIGCONT);
	t = ask(d, "/test.Echo/Once", "x", 1, 20000);
	expect(d, "when it goes on, calls do", is_ok(t), t);
}

static void a_server_that_ends(struct status_cache *d)
{
	struct told chat = { 0 };
	ask_begin(d->loop, d->client, &chat, "/test.Echo/Chat");
	grpc_ask_send(chat.ask, "x", 1);
	told_wait_messages(&chat, 1);
	const struct told *t = ask_text(d, "/test.Echo/Stop", "");
	expect(d, "a server is asked to end", is_ok(t), t);
	do {
		t = ask(d, "/test.Echo/Once", "x", 1, 200);
	} while (is_ok(t));
	expect(d, "it gets no new call", ended(t, GRPC_NOT_SENT, GRPC_UNAVAILABLE), t);
	grpc_ask_send(chat.ask, "y", 1);
	told_wait_messages(&chat, 2);
	grpc_ask_end(chat.ask);
	told_wait(&chat);
	expect(d, "and goes on with the one it has", is_ok(&chat), &chat);
	told_free(&chat);
}

/* The keys of a folder with tls.crt, tls.key and ca.crt. */
static struct tls_keys *keys_of(struct loop *l, const char *folder)
{
	char paths[3][256];
	static const char *const names[] = { "tls.crt", "tls.key", "ca.crt" };
	struct tls_keys *keys;
	for (int i = 0; i < 3; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
	const struct tls_files files = { paths[0], paths[1], paths[2], 0 };
	if (failed(tls_keys_new(l, &files, &keys)))
		abort();
	return keys;
}

int main(int argc, char **argv)
{
	struct status_cache d = { .loop = loop_uv_new() };
	if (argc != 4 && argc != 5)
		return 64;
	d.server = atoi(argv[2]);
	d.version = argv[3];
	const struct grpc_client_tcp tcp = {
		.host = "127.0.0.1",
		.port = argv[1] + strcspn(argv[1], ":") + 1,
		.server_name = "localhost",
		.keys = argc > 4 ? keys_of(d.loop, argv[4]) : NULL,
	};
	const struct grpc_client_config config = {
		.path = tcp.keys ? NULL : argv[1],
		.tcp = tcp.keys ? &tcp : NULL,
		.ping_ms = 400,
		.patience_ms = 400,
		.seed = 1,
	};
	if (failed(grpc_client_new(d.loop, &config, &d.client)))
		return 1;
	single_calls(&d);
	streams(&d);
	a_long_stream(&d);
	ends(&d);
	many(&d);
	a_server_that_hangs(&d);
	a_server_that_ends(&d);
	told_free((struct told *)(uintptr_t)ask(&d, "/test.Echo/Once", "", 0, 1));
	grpc_client_free(d.client);
	tls_keys_free(tcp.keys);
	loop_uv_free(d.loop);
	return 0;
}
