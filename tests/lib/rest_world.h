/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The REST interface of red-box beside its gRPC interface: one service, one journal, a
 * Slurm that is played, and raw clients of both sockets. For one test program, which
 * includes this once.
 *
 *     struct raw *r = asks(w, "GET /sjob/7 HTTP/1.1\r\n\r\n");
 *     fake_says(tool(w, FAKE_JOB), OK, &told);
 *     answers(r, 200, "...");
 */
#ifndef TESTS_LIB_REST_WORLD_H
#define TESTS_LIB_REST_WORLD_H

#include <ctype.h>

#include "lib/redbox_world.h"
#include "lib/raw_client.h"

#include "redbox/rest/rest.h"

struct rest_world {
	struct world *w; /* the service and gRPC */
	struct rest *rest;
	struct raw client; /* of the last request */
};

static inline void rest_start(struct rest_world *r, int max_connections)
{
	const struct rest_config config = {
		.loop = r->w->loop,
		.service = r->w->service,
		.socket = folder_path(&r->w->folder, "rest"),
		.group = (gid_t)-1,
		.max_connections = max_connections,
	};
	struct err e = rest_new(&config, &r->rest);
	if (failed(e))
		fail_msg("%s", e.text);
}

static inline int given_a_rest(void **state)
{
	void *made;
	struct rest_world *r = own_alloc(sizeof(*r));
	given_a_service(&made);
	*r = (struct rest_world){ .w = made, .client.fd = -1 };
	rest_start(r, 0);
	*state = r;
	return 0;
}

static inline int free_rest(void **state)
{
	struct rest_world *r = *state;
	void *made = r->w;
	raw_close(&r->client);
	rest_free(r->rest);
	free(r);
	return free_world(&made);
}

static inline struct raw rest_connect(struct rest_world *r)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", folder_path(&r->w->folder, "rest"));
	return raw_open(r->w->loop, AF_UNIX, &at, sizeof(at));
}

/* On a connection of its own. */
static inline struct raw *asks(struct rest_world *r, const char *request)
{
	raw_close(&r->client);
	r->client = rest_connect(r);
	raw_send(&r->client, request);
	return &r->client;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: red-box\r\n\r\n"

static inline struct raw *posts_with(struct rest_world *r, const char *headers, const char *body)
{
	AUTO(str_free) struct str request = { 0 };
	str_addf(&request,
		"POST /sbatch HTTP/1.1\r\nHost: red-box\r\n%sContent-Length: %zu\r\n\r\n%s",
		headers, strlen(body), body);
	return asks(r, str_text(&request));
}

static inline struct raw *posts(struct rest_world *r, const char *body)
{
	return posts_with(r, "", body);
}

/* The body of an answer that has arrived, with its length; NULL: more is to come. */
static inline const char *body_of(const struct raw *c)
{
	const char *text = str_text(&c->got), *head = strstr(text, "\r\n\r\n");
	const char *length = strcasestr(text, "\r\nContent-Length: ");
	if (!head || !length || length > head)
		return NULL;
	size_t n = strtoul(length + strlen("\r\nContent-Length: "), NULL, 10);
	return c->got.len - (size_t)(head + 4 - text) >= n ? head + 4 : NULL;
}

/* Until an answer with a length is there; nothing more comes. */
static inline void answers_with(struct raw *c, int status, const char *header, const char *body)
{
	char first[32];
	while (!body_of(c) && !c->ended) {
		raw_turn(c->loop);
		raw_read(c);
	}
	snprintf(first, sizeof(first), "HTTP/1.1 %d ", status);
	if (!str_has_prefix(str_text(&c->got), first) || !body_of(c))
		fail_msg("%s was wanted: %s", first, str_text(&c->got));
	if (!strcasestr(str_text(&c->got), header))
		fail_msg("\"%s\" is not in: %s", header, str_text(&c->got));
	assert_string_equal(body_of(c), body);
}

static inline void is_answered(struct raw *c, int status, const char *body)
{
	answers_with(c, status, "", body);
}

/* An error is a line of plain text. */
static inline void is_refused(struct raw *c, int status, const char *sentence)
{
	AUTO(str_free) struct str line = { 0 };
	str_addf(&line, "%s\n", sentence);
	answers_with(c, status, "\r\nX-Content-Type-Options: nosniff\r\n", str_text(&line));
	assert_non_null(strcasestr(str_text(&c->got),
		"\r\nContent-Type: text/plain; charset=utf-8\r\n"));
}

#define REST_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_rest, free_rest)

#endif
