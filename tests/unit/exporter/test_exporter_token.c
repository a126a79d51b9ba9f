/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter's token out of a file. */
#include "lib/fake_slurmrestd.h"

#include <unistd.h>

#include "exporter/token.h"

#define OLD "eyJhbGciOiJIUzI1NiJ9.eyJzdW4iOiJhIn0.c2lnbmF0dXJl"
#define NEW "eyJhbGciOiJIUzI1NiJ9.eyJzdW4iOiJiIn0.c2lnbmF0dXJl"

struct world {
	struct fake_slurmrestd *f;
	struct slurm *slurm;
	struct exporter_token *token;
	char path[40];
};

static struct err given(struct world *w, const char *text)
{
	*w = (struct world){ .f = fake_slurmrestd_new(), .path = "/tmp/exporter-token-XXXXXX" };
	close(mkstemp(w->path));
	text_to_file(w->path, text);
	w->slurm = rest_client(w->f);
	return exporter_token_new(&w->f->loop.loop, w->slurm, w->path, &w->token);
}

static void end(struct world *w)
{
	exporter_token_free(w->token);
	slurm_free(w->slurm);
	fake_slurmrestd_free(w->f);
	unlink(w->path);
}

static void pinged(void *ctx, enum slurm_health health, struct err err, const char *version)
{
	(void)ctx, (void)health, (void)err, (void)version;
}

static void then_shown(struct world *w, const char *token)
{
	slurm_ping(w->slurm, pinged, NULL);
	struct http_call *c = rest_oldest(w->f);
	assert_non_null(c);
	assert_string_equal(c->token, token);
	fake_fail(c, ERR_RETRY);
	sim_loop_pass(&w->f->loop, 100);
}

static void a_token_is_read_and_read_again(void **state)
{
	(void)state;
	struct world w;
	assert_false(failed(given(&w, OLD "\n")));
	then_shown(&w, OLD);
	text_to_file(w.path, NEW "\r\n");
	sim_loop_pass(&w.f->loop, 15000);
	then_shown(&w, NEW);
	end(&w);
}

static void what_is_no_token_is_refused_and_the_old_one_stays(void **state)
{
	(void)state;
	struct world w;
	struct err e = given(&w, "secret");
	assert_int_equal(e.kind, ERR_INVALID);
	assert_non_null(strstr(e.text, "holds no token"));
	assert_null(strstr(e.text, "secret"));
	end(&w);
	assert_false(failed(given(&w, OLD)));
	text_to_file(w.path, "");
	sim_loop_pass(&w.f->loop, 15000);
	then_shown(&w, OLD);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_is_read_and_read_again),
		cmocka_unit_test(what_is_no_token_is_refused_and_the_old_one_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
