/* SPDX-License-Identifier: Apache-2.0 */
/* Watches of the loop: files that change, and descriptors. */
#include "lib/test.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "net/fd.h"
#include "net/files.h"

struct world {
	struct loop *loop;
	char folder[32];
	struct file_watch *files;
	int told, again;
	bool stop_in_callback, fails;
	int ends[2];
	struct fd_watch *fd;
	int ready, events;
};

static int given_a_folder(void **state)
{
	struct world *w = own_alloc(sizeof(*w));
	snprintf(w->folder, sizeof(w->folder), "/tmp/files-XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	w->loop = loop_uv_new();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, w->ends), 0);
	*state = w;
	return 0;
}

static char *at(struct world *w, const char *name)
{
	struct str path = { 0 };
	str_addf(&path, "%s/%s", w->folder, name);
	return str_take(&path);
}

static const char *const names[] = { "a/f", "a", "b/f", "b", "..data", "..new", "f", "g", "" };

static int free_world(void **state)
{
	struct world *w = *state;
	file_watch_stop(w->files);
	fd_watch_stop(w->fd);
	loop_uv_free(w->loop);
	for (size_t i = 0; i < LENGTH(names); i++) {
		AUTO(own_free) char *path = at(w, names[i]);
		remove(path);
	}
	for (int i = 0; i < 2; i++)
		if (w->ends[i] >= 0)
			close(w->ends[i]);
	free(w);
	return 0;
}

static void write_text(struct world *w, const char *name, const char *text)
{
	AUTO(own_free) char *path = at(w, name);
	text_to_file(path, text);
}

static void stop(void *ctx) { loop_uv_stop(((struct world *)ctx)->loop); }

static bool changed(void *ctx, bool again)
{
	struct world *w = ctx;
	w->told++;
	w->again += again;
	if (w->stop_in_callback)
		file_watch_stop(TAKE(w->files));
	stop(w);
	return !w->fails;
}

static void run_for(struct world *w, int64_t ms)
{
	struct timer *t = timer_start(w->loop, ms, stop, w);
	loop_uv_run(w->loop);
	(void)t;
}

static void watch(struct world *w, size_t n)
{
	AUTO(own_free) char *f = at(w, "f"), *g = at(w, "g");
	const char *const paths[] = { f, g };
	w->files = file_watch_start(w->loop, paths, n, 5, changed, w);
}

static void told(struct world *w)
{
	w->told = 0;
	while (!w->told)
		loop_uv_run(w->loop);
	assert_int_equal(w->told, 1);
}

static void a_file_that_is_written_made_or_removed_is_told(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *f = at(w, "f");
	watch(w, 1);
	run_for(w, 50);
	assert_int_equal(w->told, 0); /* it is not there, as before */
	write_text(w, "f", "one");
	told(w);
	write_text(w, "f", "two");
	told(w);
	unlink(f);
	told(w);
}

static void changes_of_several_files_are_one_call(void **state)
{
	struct world *w = *state;
	write_text(w, "f", "one");
	watch(w, 2);
	write_text(w, "f", "two");
	write_text(w, "g", "two");
	told(w);
	w->told = 0;
	run_for(w, 50);
	assert_int_equal(w->told, 0);
}

/* A loop with one timer, which the test fires. */
struct hand_loop {
	struct loop loop; /* first */
	int64_t delay_ms;
	timer_fn *fn;
	void *ctx;
};

static struct timer *hand_start(struct loop *l, int64_t delay_ms, timer_fn *fn, void *ctx)
{
	struct hand_loop *h = (struct hand_loop *)l;
	assert_null(h->fn);
	h->delay_ms = delay_ms;
	h->fn = fn;
	h->ctx = ctx;
	return (struct timer *)h;
}

static void hand_stop(struct loop *l, struct timer *t)
{
	assert_ptr_equal(l, t);
	((struct hand_loop *)l)->fn = NULL;
}

static int told_by_a_look(struct world *w, struct hand_loop *h)
{
	int before = w->told;
	timer_fn *fn = TAKE(h->fn);
	fn(h->ctx);
	return w->told - before;
}

/* A file that never comes to rest is not reported while it is written. */
static void a_file_that_is_being_written_is_waited_for(void **state)
{
	static const struct loop_ops ops = { .timer_start = hand_start, .timer_stop = hand_stop };
	struct world *w = *state;
	struct hand_loop h = { .loop.ops = &ops };
	AUTO(str_free) struct str text = { 0 };
	AUTO(own_free) char *f = at(w, "f");
	const char *const paths[] = { f };
	struct file_watch *files = file_watch_start(&h.loop, paths, 1, 5000, changed, w);
	assert_int_equal(told_by_a_look(w, &h), 0);
	assert_int_equal(h.delay_ms, 5000);
	for (int i = 0; i < 30; i++) {
		str_add(&text, "more ");
		write_text(w, "f", str_text(&text));
		assert_int_equal(told_by_a_look(w, &h), 0);
		assert_int_equal(h.delay_ms, 1000); /* sooner than at rest */
	}
	assert_int_equal(told_by_a_look(w, &h), 1);
	assert_int_equal(h.delay_ms, 5000);
	assert_int_equal(told_by_a_look(w, &h), 0);
	file_watch_stop(files);
	assert_null(h.fn);
}

/* The file was half written, or could not be opened, and it changes no more. */
static void what_could_not_be_taken_is_told_until_it_could(void **state)
{
	static const struct loop_ops ops = { .timer_start = hand_start, .timer_stop = hand_stop };
	struct world *w = *state;
	struct hand_loop h = { .loop.ops = &ops };
	AUTO(own_free) char *f = at(w, "f");
	const char *const paths[] = { f };
	struct file_watch *files = file_watch_start(&h.loop, paths, 1, 5000, changed, w);
	w->fails = true;
	write_text(w, "f", "half");
	assert_int_equal(told_by_a_look(w, &h), 0);
	assert_int_equal(told_by_a_look(w, &h), 1);
	assert_int_equal(w->again, 0);
	assert_int_equal(told_by_a_look(w, &h), 1);
	assert_int_equal(h.delay_ms, 5000);
	w->fails = false;
	assert_int_equal(told_by_a_look(w, &h), 1);
	assert_int_equal(w->again, 2);
	assert_int_equal(told_by_a_look(w, &h), 0);
	file_watch_stop(files);
}

/* ..data is a link to a folder, and the kubelet swaps it; f is a link through it. */
static void the_swap_of_the_kubelet_is_told(void **state)
{
	struct world *w = *state;
	AUTO(own_free) char *a = at(w, "a"), *b = at(w, "b"), *data = at(w, "..data"),
		    *new = at(w, "..new"), *f = at(w, "f");
	mkdir(a, 0700);
	mkdir(b, 0700);
	write_text(w, "a/f", "same size");
	write_text(w, "b/f", "same size");
	assert_int_equal(symlink("a", data), 0);
	assert_int_equal(symlink("..data/f", f), 0);
	watch(w, 1);
	assert_int_equal(symlink("b", new), 0);
	assert_int_equal(rename(new, data), 0);
	told(w);
}

static void a_watch_may_stop_itself(void **state)
{
	struct world *w = *state;
	w->stop_in_callback = true;
	watch(w, 1);
	write_text(w, "f", "one");
	told(w);
	write_text(w, "f", "more");
	w->told = 0;
	run_for(w, 30);
	assert_int_equal(w->told, 0);
}

/* ---- descriptors ---- */

static void ready(void *ctx, int events)
{
	struct world *w = ctx;
	w->ready++;
	w->events |= events;
	fd_watch_stop(TAKE(w->fd));
	stop(w);
}

static int events_of(struct world *w, int wanted)
{
	w->events = w->ready = 0;
	assert_false(failed(fd_watch_start(w->loop, w->ends[0], wanted, ready, w, &w->fd)));
	run_for(w, 20);
	fd_watch_stop(TAKE(w->fd));
	return w->events;
}

static void a_descriptor_tells_what_it_is_ready_for(void **state)
{
	struct world *w = *state;
	assert_int_equal(events_of(w, FD_READABLE), 0);
	assert_int_equal(events_of(w, FD_READABLE | FD_WRITABLE), FD_WRITABLE);
	assert_int_equal(write(w->ends[1], "x", 1), 1);
	assert_int_equal(events_of(w, FD_READABLE), FD_READABLE);
	assert_int_equal(events_of(w, FD_GONE), 0);
	close(w->ends[1]);
	w->ends[1] = -1;
	assert_int_equal(events_of(w, FD_GONE), FD_GONE);
	assert_int_equal(w->ready, 1);
}

static void a_regular_file_cannot_be_watched(void **state)
{
	struct world *w = *state;
	FILE *f = tmpfile();
	struct err e = fd_watch_start(w->loop, fileno(f), FD_READABLE, ready, w, &w->fd);
	assert_int_equal(e.kind, ERR_INTERNAL);
	assert_null(w->fd);
	fclose(f);
}

#define FILES_TEST(name) cmocka_unit_test_setup_teardown(name, given_a_folder, free_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILES_TEST(a_file_that_is_written_made_or_removed_is_told),
		FILES_TEST(changes_of_several_files_are_one_call),
		FILES_TEST(a_file_that_is_being_written_is_waited_for),
		FILES_TEST(what_could_not_be_taken_is_told_until_it_could),
		FILES_TEST(the_swap_of_the_kubelet_is_told),
		FILES_TEST(a_watch_may_stop_itself),
		FILES_TEST(a_descriptor_tells_what_it_is_ready_for),
		FILES_TEST(a_regular_file_cannot_be_watched),
	};
	return cmocka_run_group_tests_name("net_files", tests, NULL, NULL);
}
