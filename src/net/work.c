/* SPDX-License-Identifier: Apache-2.0 */
/* Work on libuv's pool of threads. */
#include "net/work.h"

#include "base/own.h"
#include "net/loop_uv.h"

struct work {
	uv_work_t uv; /* first: a uv_work_t * is this */
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

static void on_loop(uv_work_t *uv, int status)
{
	struct work *w = (struct work *)uv;
	(void)status;
	w->done(w->job);
	free(w);
}

struct work *work_start(struct loop *uv_loop, work_fn *do_it, work_done *done, void *job)
{
	struct work *w = own_alloc(sizeof(*w));
	w->do_it = do_it;
	w->done = done;
	w->job = job;
	/* It fails only without a function. */
	uv_queue_work(loop_uv_handle(uv_loop), &w->uv, in_thread, on_loop);
	return w;
}

/* One that waits in line ends there: done is called on the next turn. */
void work_stop(struct work *w)
{
	if (!w)
		return;
	atomic_store(&w->stop, true);
	uv_cancel((uv_req_t *)&w->uv);
}
