/* SPDX-License-Identifier: Apache-2.0 */
/* Strangers, garbage, requests that are too long or too many: others are not harmed. */
#include "lib/rest_world.h"

enum { OTHER = 65534, FEW = 16 };

static const char body[] = "{\"command\": \"x\"}";

/* With other settings of the service and of the interface. */
static void begin_anew(struct rest_world *r, size_t n_users, int max_connections)
{
	rest_free(r->rest);
	restart(r->w, n_users);
	rest_start(r, max_connections);
}

/* Root of this machine plays another user of it. */
static struct raw connect_as_other(struct rest_world *r)
{
	assert_int_equal(chmod(folder_path(&r->w->folder, "."), 0755), 0);
	assert_int_equal(chmod(folder_path(&r->w->folder, "rest"), 0777), 0);
	assert_int_equal(seteuid(OTHER), 0);
	struct raw other = rest_connect(r);
	assert_int_equal(seteuid(0), 0);
	return other;
}

/* Slurm answers, so red-box serves. */
static void is_served(struct rest_world *r, struct raw *c)
{
	raw_send(c, GET("/scancel/53"));
	fake_says(tool(r->w, FAKE_CANCEL), OK, NULL);
	is_answered(c, 200, "");
}

/* ---- who may connect ---- */

static void account_and_group_alone_may_open_the_socket(void **state)
{
	struct rest_world *r = *state;
	struct stat st;
	assert_int_equal(stat(folder_path(&r->w->folder, "rest"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0660);
	rest_free(TAKE(r->rest));
	assert_int_equal(stat(folder_path(&r->w->folder, "rest"), &st), -1);
}

static void the_group_is_the_one_that_is_asked_for(void **state)
{
	struct rest_world *r = *state;
	struct stat st;
	if (geteuid() != 0)
		skip(); /* others may give it to groups of theirs alone */
	rest_free(TAKE(r->rest));
	const struct rest_config config = {
		.loop = r->w->loop,
		.service = r->w->service,
		.socket = folder_path(&r->w->folder, "rest"),
		.group = 4711,
	};
	assert_false(failed(rest_new(&config, &r->rest)));
	assert_int_equal(stat(folder_path(&r->w->folder, "rest"), &st), 0);
	assert_int_equal(st.st_gid, 4711);
}

/* Acceptance: red-box-45 */
static void a_stranger_is_refused(void **state)
{
	struct rest_world *r = *state;
	if (geteuid() != 0)
		skip();
	struct raw other = connect_as_other(r);
	is_served(r, &other); /* without allow_users the socket's mode decides */
	raw_close(&other);
	r->w->user = 4711;
	begin_anew(r, 1, 0);
	other = connect_as_other(r);
	raw_send(&other, "POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: 16\r\n\r\n");
	raw_send(&other, body);
	is_refused(&other, 403,
		"you may not use red-box: you are not in its allow_users or allow_groups");
	raw_close(&other);
	assert_int_equal(r->w->tools.seen[FAKE_SUBMIT], 0);
	asks(r, ""); /* root always may */
	is_served(r, &r->client);
}

/* ---- garbage ---- */

/* Acceptance: red-box-45 */
static void garbage_harms_nobody(void **state)
{
	static const char *const garbage[] = { "\n\n\n\n", "\x16\x03\x01\x02\xff\xff\xff",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET", "GET /sjob/1\r\n\r\n",
		"GET /sjob/1 HTTP/1.1\r\nHost\r\n : x\r\n\r\n",
		"POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
		"POST /sbatch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" };
	struct rest_world *r = *state;
	struct raw good = rest_connect(r);
	for (size_t i = 0; i < LENGTH(garbage); i++) {
		asks(r, garbage[i]);
		for (int turn = 0; turn < 5; turn++)
			raw_turn(r->w->loop);
	}
	is_served(r, &good);
	raw_close(&good);
	assert_int_equal(r->w->tools.seen[FAKE_SUBMIT], 0);
}

/* ---- what is too long ---- */

/* A client that asks first is told before it sends: 1 GB is not even begun. */
/* Acceptance: red-box-45 */
static void a_gigabyte_is_refused_by_its_length(void **state)
{
	struct rest_world *r = *state;
	struct raw *c = asks(r,
		"POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n"
		"Expect: 100-continue\r\n\r\n");
	answers_with(c, 413, "", "the body is longer than 8388608 bytes\n");
}

/* A body that is sent all the same is read to its end, and nothing of it is kept. */
/* Acceptance: red-box-45 */
static void a_long_body_is_not_kept(void **state)
{
	enum { PIECE = 1 << 16, PIECES = 2 * REST_BODY_BYTES / PIECE };
	struct rest_world *r = *state;
	AUTO(own_free) char *piece = own_alloc(PIECE);
	AUTO(str_free) struct str head = { 0 };
	memset(piece, 'x', PIECE);
	str_addf(&head, "POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n",
		PIECE * PIECES);
	struct raw *c = asks(r, str_text(&head));
	for (int i = 0; i < PIECES; i++)
		raw_send_bytes(c, piece, PIECE);
	answers_with(c, 413, "", "the body is longer than 8388608 bytes\n");
	assert_int_equal(rest_under_way(r->rest), 0);
}

static void a_script_that_is_too_long_is_refused(void **state)
{
	AUTO(str_free) struct str text = { 0 };
	struct rest_world *r = *state;
	str_add(&text, "{\"command\": \"");
	str_reserve(&text, SUBMIT_SCRIPT_BYTES + 16);
	memset(text.text + text.len, 'x', SUBMIT_SCRIPT_BYTES + 1);
	text.len += SUBMIT_SCRIPT_BYTES + 1;
	text.text[text.len] = '\0';
	str_add(&text, "\"}");
	is_refused(posts(r, str_text(&text)), 400,
		"command has 4194305 bytes, and may have 4194304");
	assert_int_equal(r->w->tools.seen[FAKE_SUBMIT], 0);
}

/* A body is kept until its script is read, and not until Slurm has answered. */
/* Acceptance: red-box-45 */
static void bodies_of_scripts_that_wait_take_no_room(void **state)
{
	enum { MOST = REST_BODIES_BYTES / REST_BODY_BYTES };
	struct rest_world *r = *state;
	struct raw waiting[MOST];
	AUTO(str_free) struct str request = { 0 };
	str_addf(&request, "POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s",
		REST_BODY_BYTES, body);
	str_reserve(&request, REST_BODY_BYTES);
	memset(request.text + request.len, ' ', REST_BODY_BYTES - strlen(body));
	request.len += REST_BODY_BYTES - strlen(body);
	for (int i = 0; i < MOST; i++) {
		waiting[i] = rest_connect(r);
		raw_send_bytes(&waiting[i], request.text, request.len);
		while (r->w->tools.seen[FAKE_SUBMIT] == i && !waiting[i].ended)
			raw_turn(r->w->loop);
	}
	struct raw *c = posts(r, body);
	while (r->w->tools.seen[FAKE_SUBMIT] == MOST && !c->got.len) {
		raw_turn(r->w->loop);
		raw_read(c);
	}
	assert_string_equal(str_text(&c->got), "");
	assert_int_equal(r->w->tools.seen[FAKE_SUBMIT], MOST + 1);
	for (int i = 0; i < MOST; i++)
		raw_close(&waiting[i]);
}

static void a_head_that_is_too_long_is_refused(void **state)
{
	struct rest_world *r = *state;
	AUTO(str_free) struct str head = { 0 };
	str_add(&head, "GET /open?path=");
	for (int i = 0; i < 4000; i++)
		str_add(&head, "../..");
	str_add(&head, " HTTP/1.1\r\nHost: x\r\n\r\n");
	asks(r, str_text(&head));
	raw_wait(&r->client, "HTTP/1.1 4");
	struct raw good = rest_connect(r);
	is_served(r, &good);
	raw_close(&good);
}

/* ---- what is too many ---- */

/* Half requests take all connections; one that is sent at once is served all the same. */
/* Acceptance: red-box-45 */
static void thousands_of_connections_make_room(void **state)
{
	struct rest_world *r = *state;
	begin_anew(r, 0, FEW);
	for (int i = 0; i < 1000; i++) {
		struct raw c = rest_connect(r);
		send(c.fd, "GET /sj", 7, MSG_NOSIGNAL);
		if (i % 10 == 0)
			raw_turn(r->w->loop);
		raw_close(&c);
	}
	struct raw held[4 * FEW];
	for (size_t i = 0; i < LENGTH(held); i++) {
		held[i] = rest_connect(r);
		raw_send(&held[i], "GET /sj");
	}
	asks(r, "");
	is_served(r, &r->client);
	for (size_t i = 0; i < LENGTH(held); i++)
		raw_close(&held[i]);
}

/*
 * A connection is closed to make room when its request is about to be read. No answer
 * could be sent, so nothing is submitted.
 */
/* Acceptance: red-box-44 */
static void a_connection_that_is_closed_submits_nothing(void **state)
{
	struct rest_world *r = *state;
	struct raw held[FEW];
	AUTO(str_free) struct str request = { 0 };
	begin_anew(r, 0, FEW);
	for (size_t i = 0; i < LENGTH(held); i++) {
		held[i] = rest_connect(r);
		raw_turn(r->w->loop);
	}
	str_addf(&request, "POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n%s",
		strlen(body), body);
	send(held[0].fd, request.text, request.len, MSG_NOSIGNAL);
	asks(r, ""); /* it takes the place of the first, in the same turn */
	raw_wait_end(&held[0]);
	assert_int_equal(held[0].got.len, 0);
	is_served(r, &r->client);
	assert_int_equal(r->w->tools.seen[FAKE_SUBMIT], 0);
	for (size_t i = 0; i < LENGTH(held); i++)
		raw_close(&held[i]);
}

/* One user's silent connections cost another user none of his. */
/* Acceptance: red-box-45 */
static void another_users_connections_stay(void **state)
{
	struct rest_world *r = *state;
	struct raw silent[4 * FEW];
	if (geteuid() != 0)
		skip();
	begin_anew(r, 0, FEW);
	asks(r, ""); /* it was there first, and has not sent its request */
	raw_turn(r->w->loop);
	for (size_t i = 0; i < LENGTH(silent); i++) {
		silent[i] = connect_as_other(r);
		raw_send(&silent[i], "GET /sj");
	}
	is_served(r, &r->client);
	for (size_t i = 0; i < LENGTH(silent); i++)
		raw_close(&silent[i]);
}

/* A user has half of what the others leave of three quarters of the connections. */
/* Acceptance: red-box-45 */
static void one_user_cannot_take_all_places(void **state)
{
	struct rest_world *r = *state;
	struct raw held[FEW];
	const int *seen = &r->w->tools.seen[FAKE_CANCEL];
	if (geteuid() != 0)
		skip();
	begin_anew(r, 0, FEW);
	for (size_t i = 0; i < LENGTH(held); i++) {
		int before = *seen;
		held[i] = connect_as_other(r);
		raw_send(&held[i], GET("/scancel/53"));
		while (*seen == before && !held[i].got.len) {
			raw_turn(r->w->loop);
			raw_read(&held[i]);
		}
	}
	is_refused(&held[FEW - 1], 503, "too many requests are under way for you: try again later");
	asks(r, GET("/sjob/steps/54"));
	fake_says(tool(r->w, FAKE_STEPS), OK, NULL);
	is_answered(&r->client, 200, "[]");
	assert_int_equal(*seen, FEW * 3 / 4 / 2);
	for (size_t i = 0; i < LENGTH(held); i++)
		raw_close(&held[i]);
}

/* A tail lasts as long as its job: all tails of a user leave half of its places. */
/* Acceptance: red-box-45 */
static void tails_leave_room_for_short_requests(void **state)
{
	struct rest_world *r = *state;
	struct raw tails[FEW];
	size_t served = 0;
	begin_anew(r, 0, FEW);
	for (size_t i = 0; i < LENGTH(tails); i++) {
		tails[i] = rest_connect(r);
		raw_send(&tails[i], GET("/tail?path=f"));
		raw_wait(&tails[i], "HTTP/1.1 ");
		served += str_has_prefix(str_text(&tails[i].got), "HTTP/1.1 200 ");
	}
	asks(r, "");
	is_served(r, &r->client);
	assert_int_equal(served, FEW * 3 / 4 / 2 / 2);
	is_refused(&tails[FEW - 1], 503, "too many files are open for you: try again later");
	for (size_t i = 0; i < LENGTH(tails); i++)
		raw_close(&tails[i]);
}

static void a_client_that_left_gives_back_its_place(void **state)
{
	struct rest_world *r = *state;
	begin_anew(r, 0, FEW);
	for (int i = 0; i < 4 * FEW; i++) {
		raw_wait(asks(r, GET("/tail?path=f")), "HTTP/1.1 200 ");
		raw_close(&r->client);
		while (rest_under_way(r->rest))
			raw_turn(r->w->loop);
	}
	asks(r, GET("/sjob/53"));
	tool(r->w, FAKE_JOB);
	raw_close(&r->client);
	while (rest_under_way(r->rest))
		raw_turn(r->w->loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REST_TEST(account_and_group_alone_may_open_the_socket),
		REST_TEST(the_group_is_the_one_that_is_asked_for),
		REST_TEST(a_stranger_is_refused),
		REST_TEST(garbage_harms_nobody),
		REST_TEST(a_gigabyte_is_refused_by_its_length),
		REST_TEST(a_long_body_is_not_kept),
		REST_TEST(a_script_that_is_too_long_is_refused),
		REST_TEST(bodies_of_scripts_that_wait_take_no_room),
		REST_TEST(a_head_that_is_too_long_is_refused),
		REST_TEST(thousands_of_connections_make_room),
		REST_TEST(a_connection_that_is_closed_submits_nothing),
		REST_TEST(another_users_connections_stay),
		REST_TEST(one_user_cannot_take_all_places),
		REST_TEST(tails_leave_room_for_short_requests),
		REST_TEST(a_client_that_left_gives_back_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
