/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A collector of results under a fake clock, between a virtual node that the test plays
 * and a volume that is a folder of the test. For one test program, which includes this
 * once.
 *
 *     when_begun(w);
 *     when_passed(w, 5000);
 *     then_ended(w, RESULTS_DONE, "2 files with 5 bytes");
 *     then_file(w, "out/a.txt", "hello");
 */
#ifndef TESTS_LIB_RESULTS_WORLD_H
#define TESTS_LIB_RESULTS_WORLD_H

#include "lib/fake_http.h"
#include "lib/redbox_folder.h"

#include "transfer/transfer.h"
#include "net/sha256.h"
#include "plan/results/list.h"
#include "plan/results/trouble.h"

enum { FILES = 4, T_S = 1795270000 };
static const int64_t T_NS = T_S * INT64_C(1000000000) + 123456700;

/* On the side of Slurm. */
struct source {
	const char *path, *text;
	bool folder;
	int64_t modified_ns;
};

struct world {
	struct sim_loop loop;
	struct fake_http http;
	struct test_folder folder;
	char to[64], token[64];
	const char *from; /* inputs are brought from there; NULL: results come */
	struct results *results;
	struct source sources[FILES];
	size_t n;
	int left_out;
	size_t cut_at;     /* of each file so many bytes come in one answer; 0: all */
	bool no_end;       /* of the list */
	bool ends_early;   /* answers are cut, and look whole */
	const char *spoil; /* this stands in the answer instead of the file */
	size_t sent;       /* bytes of files */
	int asked;
	char first[200]; /* the path of the first request for a file, by each collector */
	int status;      /* -1: it goes on */
	struct str said;
	char sentence[500];
};

/* ---- the virtual node ---- */

static inline const struct source *source_of(const struct world *w, const char *request)
{
	const char *path = strstr(request, "?path=");
	for (size_t i = 0; path && i < w->n; i++) {
		size_t n = strlen(w->sources[i].path);
		path += i ? 0 : strlen("?path=");
		if (strncmp(path, w->sources[i].path, n) == 0 && (!path[n] || path[n] == '&'))
			return &w->sources[i];
	}
	fail_msg("nobody has %s", request);
	return NULL;
}

static inline void give_list(struct world *w, struct http_call *c)
{
	AUTO(str_free) struct str text = { 0 };
	for (size_t i = 0; i < w->n; i++)
		results_line_add(&text,
			&(struct results_line){
				.entry = { w->sources[i].path, (int64_t)strlen(w->sources[i].text),
					w->sources[i].folder ? 0750 : 0640, w->sources[i].folder,
					w->sources[i].modified_ns } });
	if (!w->no_end)
		results_line_add(&text,
			&(struct results_line){ .end = true, .left_out = w->left_out });
	if (fake_data(c, str_text(&text)))
		fake_answer(c, 200, "");
}

static inline void give_file(struct world *w, struct http_call *c)
{
	const struct source *s = source_of(w, c->path);
	const char *at = strstr(c->path, "&offset=");
	size_t offset = at ? (size_t)atoi(at + strlen("&offset=")) : 0, n = strlen(s->text);
	const char *text = w->spoil ? w->spoil : s->text;
	if (!w->first[0])
		snprintf(w->first, sizeof(w->first), "%s", c->path);
	if (offset > n) {
		fake_answer(c, 400, "the file has fewer bytes\n");
		return;
	}
	size_t left = n - offset, piece = w->cut_at && w->cut_at < left ? w->cut_at : left;
	w->sent += piece;
	if (piece && !fake_data_bytes(c, text + offset, piece))
		return;
	if (piece < left && !w->ends_early)
		fake_fail(c, ERR_LOST);
	else
		fake_answer(c, 200, "");
}

static inline void give_sum(struct world *w, struct http_call *c)
{
	const struct source *s = source_of(w, c->path);
	AUTO(str_free) struct str text = { 0 };
	struct results_sum sum = { .size = (int64_t)strlen(s->text),
		.modified_ns = s->modified_ns };
	struct sha256 *h;
	assert_false(failed(sha256_new(&h)));
	sha256_add(h, s->text, strlen(s->text));
	assert_false(failed(sha256_end(h, sum.sha256)));
	sha256_free(h);
	results_sum_add(&text, &sum);
	fake_answer(c, 200, str_text(&text));
}

/* For a test that brings inputs: whether a request was answered. */
static bool (*answers_inputs)(struct world *w);

/* One request is answered; false: there is none. */
static inline bool answer_one(struct world *w)
{
	if (w->from)
		return answers_inputs(w);
	struct http_call *c = fake_open(&w->http, "GET /results/ns/cow-job");
	if (!c)
		return false;
	w->asked++;
	if (strstr(c->path, "/file?"))
		give_file(w, c);
	else if (strstr(c->path, "/checksum?"))
		give_sum(w, c);
	else
		give_list(w, c);
	return true;
}

/* ---- the collector ---- */

static inline void say(void *world, const char *sentence)
{
	struct world *w = world;
	str_addf(&w->said, "%s\n", sentence);
}

static inline void done(void *world, int status, const char *sentence)
{
	struct world *w = world;
	w->status = status;
	snprintf(w->sentence, sizeof(w->sentence), "%s", sentence);
}

static inline void when_begun(struct world *w)
{
	const struct results_config config = {
		.loop = &w->loop.loop,
		.http = &w->http.http,
		.pod = "ns/cow-job",
		.token_file = w->token,
		.to = w->from ? NULL : w->to,
		.from = w->from,
		.say = say,
		.done = done,
		.ctx = w,
	};
	w->status = -1;
	w->sent = 0;
	w->first[0] = '\0';
	struct err e = results_new(&config, &w->results);
	if (failed(e))
		fail_msg("%s", e.text);
	sim_loop_pass(&w->loop, 0);
}

static inline void when_killed(struct world *w) { results_free(TAKE(w->results)); }

/* All that can happen until it ends, or in this time. */
static inline void when_passed(struct world *w, int64_t ms)
{
	int64_t until = w->loop.now_ms + ms;
	while (w->status < 0 && w->loop.now_ms <= until) {
		while (w->status < 0 && answer_one(w))
			sim_loop_pass(&w->loop, 0);
		sim_loop_pass(&w->loop, 500);
	}
	if (w->status >= 0)
		when_killed(w);
}

static inline void then_ended(struct world *w, int status, const char *sentence)
{
	if (w->status != status || !strstr(w->sentence, sentence))
		fail_msg("%d %s\n%s", w->status, w->sentence, str_text(&w->said));
}

static inline void then_file(struct world *w, const char *path, const char *text)
{
	struct stat st;
	AUTO(str_free) struct str name = { 0 };
	str_addf(&name, "to/%s", path);
	AUTO(own_free) char *is = folder_get(&w->folder, str_text(&name));
	assert_non_null(is);
	assert_string_equal(is, text);
	assert_int_equal(stat(folder_path(&w->folder, str_text(&name)), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_mtim.tv_sec, T_S);
}

static inline int given_a_volume(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	sim_loop_init(&w->loop, SIM_LOOP_WALL_MS);
	fake_http_init(&w->http, &w->loop);
	w->http.forgets = true;
	w->folder = folder_make();
	snprintf(w->to, sizeof(w->to), "%s", folder_path(&w->folder, "to"));
	snprintf(w->token, sizeof(w->token), "%s", folder_path(&w->folder, "token"));
	folder_put(&w->folder, "token", "w", "t0ken\n");
	w->sources[0] = (struct source){ "out", "", true, T_NS };
	w->sources[1] = (struct source){ "out/a.txt", "hello", false, T_NS };
	w->sources[2] = (struct source){ "out/b", "", true, T_NS };
	w->sources[3] = (struct source){ "out/b/empty", "", false, T_NS };
	w->n = FILES;
	*state = w;
	return 0;
}

static inline int free_world(void **state)
{
	struct world *w = *state;
	results_free(w->results);
	fake_http_clear(&w->http);
	assert_int_equal(sim_loop_end(&w->loop), 0);
	folder_remove(&w->folder);
	str_free(&w->said);
	free(w);
	return 0;
}

#define RESULTS_TEST(f) cmocka_unit_test_setup_teardown(f, given_a_volume, free_world)

#endif
