/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the sources, and renders the page from them. */
#include "exporter/exporter.h"

#include <sys/resource.h>
#include <time.h>

#include "base/own.h"
#include "exporter/packed.h"
#include "exporter/pages.h"
#include "exporter/source.h"
#include "plan/exporter/ended.h"
#include "plan/exporter/waits.h"

enum {
	/* Delay of a page, so that answers that arrive together make one page */
	RENDER_MS = 50,
	/* Interval between checks for answers that are too old */
	LOOK_MS = 1000,
	/* Interval between checks whether clients still read the previous page */
	TURN_MS = 250,
	/* Minimum interval between reads of ended jobs */
	ENDED_MS = 60000,
};

struct exporter {
	struct exporter_config config;
	struct source_reader sources[EXPORTER_SOURCES];
	bool shown[EXPORTER_SOURCES]; /* the source is in the page */
	struct pages pages;           /* the long parts of pages */
	struct packed_page *packed;   /* the current page as gzip */
	size_t page_bytes;
	struct timer *render, *look;
	double scrapes, render_s, start_s;
	struct exporter_waits waits;
	struct exporter_ended ended;
	int n_sources; /* number of sources that are read */
};

/* ---- the long part ---- */

static double seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct source_answer *says(struct exporter *e, enum exporter_source of)
{
	const struct source_answer *t = source_says(&e->sources[of]);
	e->shown[of] = t;
	return t;
}

static void render(void *ctx)
{
	struct exporter *e = ctx;
	double began_s = seconds_of(CLOCK_MONOTONIC);
	bool ready = pages_ready(&e->pages, loop_now_ms(e->config.loop));
	e->render = ready ? NULL : timer_start(e->config.loop, TURN_MS, render, e);
	if (!ready)
		return;
	const struct source_answer *nodes = says(e, EXPORTER_NODES), *jobs = says(e, EXPORTER_JOBS),
				   *partitions = says(e, EXPORTER_PARTITIONS);
	const struct exporter_facts facts = {
		.nodes = nodes ? &nodes->nodes : NULL,
		.jobs = jobs ? &jobs->jobs : NULL,
		.partitions = partitions ? &partitions->partitions : NULL,
		.waits = &e->waits,
		.now_s = loop_wall_ms(e->config.loop) / 1000,
		.per_user_names = e->config.per_user_names,
		.limits = e->config.limits,
	};
	struct str page = { 0 };
	str_reserve(&page, e->page_bytes); /* size of the previous page */
	exporter_gauges(&facts, &page);
	e->page_bytes = page.len;
	struct http_shared *next = http_shared_new(&page);
	packed_page_changed(e->packed, next);
	pages_turn(&e->pages, next, loop_now_ms(e->config.loop));
	e->render_s = seconds_of(CLOCK_MONOTONIC) - began_s;
}

static void render_soon(struct exporter *e)
{
	if (!e->render)
		e->render = timer_start(e->config.loop, RENDER_MS, render, e);
}

/* Statistics and ended jobs belong to the short part, which each scrape renders. */
static void changed(void *ctx) { render_soon(ctx); }
static void statistics_changed(void *ctx) { (void)ctx; }
static void jobs_changed(void *ctx)
{
	struct exporter *e = ctx;
	exporter_waits_take(&e->waits, &source_says(&e->sources[EXPORTER_JOBS])->jobs,
		loop_wall_ms(e->config.loop) / 1000);
	render_soon(e);
}

static void look(void *ctx)
{
	struct exporter *e = ctx;
	e->look = timer_start(e->config.loop, LOOK_MS, look, e);
	for (int i = 0; i < EXPORTER_DIAG; i++)
		if (e->shown[i] && !source_says(&e->sources[i]))
			render_soon(e);
}

/* ---- a scrape ---- */

static void tell_source(const struct source_reader *s, double *of, double *reads)
{
	int64_t age = loop_now_ms(s->loop) - s->asked_ms;
	of[SOURCE_AGE] = s->now ? (double)age / 1000 : __builtin_nan("");
	of[SOURCE_FRESH] = source_says(s) ? 1 : 0;
	of[SOURCE_TOOK] = s->last_took_ms >= 0 ? (double)s->last_took_ms / 1000 : __builtin_nan("");
	for (int i = 0; i < READ_RESULTS; i++)
		reads[i] = s->reads[i];
}

/* Omits the samples of a source that is not read. */
static void tell_none(double *of, double *reads)
{
	for (int i = 0; i < SOURCE_MEASURES; i++)
		of[i] = __builtin_nan("");
	for (int i = 0; i < READ_RESULTS; i++)
		reads[i] = __builtin_nan("");
}

struct http_shared *exporter_page(struct exporter *e, enum exporter_format format,
	const struct exporter_process *process, struct str *rest)
{
	struct exporter_self self = { .version = OPERATOR_VERSION };
	const struct source_answer *diag = source_says(&e->sources[EXPORTER_DIAG]);
	for (int i = 0; i < EXPORTER_SOURCES; i++)
		if (i < e->n_sources)
			tell_source(&e->sources[i], self.source[i], self.reads[i]);
		else
			tell_none(self.source[i], self.reads[i]);
	if (e->config.job_efficiency)
		self.ended = &e->ended;
	self.process[PROCESS_SCRAPES] = ++e->scrapes;
	self.process[PROCESS_RENDERED] = e->render_s;
	self.process[PROCESS_BYTES] = (double)e->page_bytes;
	self.process[PROCESS_RESIDENT] = process->resident_bytes;
	self.process[PROCESS_OPEN_FDS] = process->open_fds;
	self.process[PROCESS_MAX_FDS] = process->max_fds;
	self.process[PROCESS_CPU] = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	self.process[PROCESS_START] = e->start_s;
	exporter_rest(diag ? &diag->diag : NULL, &self, format, rest);
	return e->pages.now;
}

struct http_shared *exporter_packed(struct exporter *e) { return packed_page_ask(e->packed); }

const char *exporter_trouble(const struct exporter *e)
{
	for (int i = 0; i < e->n_sources; i++)
		if (e->sources[i].last_took_ms < 0)
			return "not ready: not every source has been read from Slurm yet";
	return "";
}

/* ---- create and free ---- */

struct exporter *exporter_new(const struct exporter_config *config)
{
	static void (*const on_change[EXPORTER_SOURCES])(void *) = { changed, jobs_changed, changed,
		statistics_changed, statistics_changed };
	struct exporter *e = own_alloc(sizeof(*e));
	e->config = *config;
	e->packed = packed_page_new(config->loop);
	e->start_s = (double)loop_wall_ms(config->loop) / 1000;
	e->ended.limits = config->limits;
	e->n_sources = config->job_efficiency ? EXPORTER_SOURCES : EXPORTER_ACCOUNTING;
	for (int i = 0; i < e->n_sources; i++) {
		bool ended = i == EXPORTER_ACCOUNTING;
		e->sources[i] = (struct source_reader){
			.of = (enum exporter_source)i,
			.loop = config->loop,
			.slurm = config->slurm,
			.cache_ms = ended && config->cache_ms < ENDED_MS ? ENDED_MS
									 : config->cache_ms,
			.sums = &e->ended,
			.changed = on_change[i],
			.ctx = e,
		};
		source_begin(&e->sources[i]);
	}
	e->look = timer_start(config->loop, LOOK_MS, look, e);
	return e;
}

void exporter_free(struct exporter *e)
{
	if (!e)
		return;
	for (int i = 0; i < e->n_sources; i++)
		source_end(&e->sources[i]);
	timer_stop(e->config.loop, e->render);
	timer_stop(e->config.loop, e->look);
	packed_page_free(e->packed);
	pages_free(&e->pages);
	exporter_waits_free(&e->waits);
	exporter_ended_free(&e->ended);
	free(e);
}
