/* SPDX-License-Identifier: Apache-2.0 */
/* Runs work in libuv's pool of threads, and queues work in lines before the pool. */
#include "net/work.h"

#include <utlist.h>

#include "base/own.h"
#include "net/loop_uv.h"

struct work_line {
	struct loop *loop;
	int at_once, running;
	struct work *waiting;
	bool over; /* freed after its last work */
};

struct work {
	uv_work_t uv;             /* first: a uv_work_t * is this */
	struct work *prev, *next; /* in line */
	struct work_line *line;   /* NULL: none */
	bool waits;
	work_fn *do_it;
	work_done *done;
	void *job;
	atomic_bool stop;
};

static void in_thread(uv_work_t *uv)
{
	struct work *w = (struct work *)uv;
	w->do_it(w->job, &w->stop);
}

static void leave(struct work_line *line);

static void on_loop(uv_work_t *uv, int status)
{
	struct work *w = (struct work *)uv;
	struct work_line *line = w->line;
	(void)status;
	w->done(w->job);
	free(w);
	if (line)
		leave(line);
}

static struct work *work_new(work_fn *do_it, work_done *done, void *job)
{
	struct work *w = own_alloc(sizeof(*w));
	w->do_it = do_it;
	w->done = done;
	w->job = job;
	return w;
}

/* Queues work in the pool; uv_queue_work fails only without a function. */
static void begin(struct loop *l, struct work *w)
{
	uv_queue_work(loop_uv_handle(l), &w->uv, in_thread, on_loop);
}

struct work *work_start(struct loop *uv_loop, work_fn *do_it, work_done *done, void *job)
{
	struct work *w = work_new(do_it, done, job);
	begin(uv_loop, w);
	return w;
}

/* ---- lines ---- */

struct work_line *work_line_new(struct loop *uv_loop, int at_once)
{
	struct work_line *line = own_alloc(sizeof(*line));
	*line = (struct work_line){ .loop = uv_loop, .at_once = at_once };
	return line;
}

static void begin_first(struct work_line *line)
{
	struct work *w = line->waiting;
	DL_DELETE(line->waiting, w);
	w->waits = false;
	line->running++;
	begin(line->loop, w);
}

static void leave(struct work_line *line)
{
	line->running--;
	if (line->waiting && line->running < line->at_once)
		begin_first(line);
	if (line->over && !line->running)
		free(line);
}

void work_line_free(struct work_line *line)
{
	if (!line)
		return;
	line->over = true;
	while (line->waiting)
		begin_first(line);
	if (!line->running)
		free(line);
}

struct work *work_start_in(struct work_line *line, work_fn *do_it, work_done *done, void *job)
{
	struct work *w = work_new(do_it, done, job);
	w->line = line;
	w->waits = true;
	DL_APPEND(line->waiting, w);
	if (line->running < line->at_once)
		begin_first(line);
	return w;
}

/*
 * Stops work. Work that still waits for a thread never starts: done is called on the next
 * turn.
 */
void work_stop(struct work *w)
{
	if (!w)
		return;
	atomic_store(&w->stop, true);
	if (w->waits) { /* start it now, beyond at_once */
		DL_DELETE(w->line->waiting, w);
		DL_PREPEND(w->line->waiting, w);
		begin_first(w->line);
	}
	uv_cancel((uv_req_t *)&w->uv);
}
