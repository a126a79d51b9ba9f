/* SPDX-License-Identifier: Apache-2.0 */
/* How red-box begins, dies and begins again. */
#include "sim/sim_redbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

static struct slurm_tools *tools_of(struct sim_redbox *b) { return (struct slurm_tools *)b->hpc; }

static void journal_path(const struct sim_redbox *b, char out[static 96])
{
	snprintf(out, 96, "%s/journal", b->folder);
}

static void live_by_rest(struct sim_redbox *b)
{
	char path[96];
	snprintf(path, sizeof(path), "%s/rest", b->folder);
	const struct rest_config config = {
		.loop = b->loop,
		.service = b->service,
		.socket = path,
		.group = (gid_t)-1,
	};
	struct err e = rest_new(&config, &b->rest);
	if (failed(e))
		abort();
}

void sim_redbox_live(struct sim_redbox *b)
{
	struct err e = journal_open(b->loop, b->folder, &b->journal);
	if (failed(e)) {
		fprintf(stderr, "sim: %s\n", e.text);
		abort();
	}
	b->lives++;
	b->submitter = submitter_new(b->loop, tools_of(b), b->journal);
	struct service_config config = {
		.loop = b->loop,
		.config = &b->config,
		.tools = tools_of(b),
		.submitter = b->submitter,
	};
	b->service = service_new(&config);
	live_by_rest(b);
	b->link->methods = service_methods;
	b->link->service = b->service;
}

static void die(struct sim_redbox *b)
{
	sim_link_box_died(b->link);
	rest_free(TAKE(b->rest));
	service_free(TAKE(b->service));
	submitter_free(TAKE(b->submitter));
	journal_free(TAKE(b->journal));
}

/* red-box was about to write one more line. */
static void tear(struct sim_redbox *b)
{
	static const char line[] = "B 1795270000 0 0 5c1e-0000";
	char path[96];
	journal_path(b, path);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	size_t n = (size_t)sim_rand_range(&b->rand, 1, sizeof(line) - 1);
	if (fd < 0 || write(fd, line, n) != (ssize_t)n)
		abort();
	close(fd);
}

static void born(void *ctx)
{
	struct sim_redbox *b = ctx;
	b->turn = NULL;
	sim_redbox_live(b);
}

void sim_redbox_crash(struct sim_redbox *b, int64_t for_ms)
{
	if (!b->service)
		return;
	die(b);
	if (sim_rand_chance(&b->rand, 300))
		tear(b);
	int64_t pause_ms = sim_rand_range(&b->rand, 100, 5000);
	b->turn = timer_start(b->loop, for_ms ? for_ms : pause_ms, born, b);
}

void sim_redbox_lose_journal(struct sim_redbox *b)
{
	char path[96];
	journal_path(b, path);
	sim_redbox_crash(b, 0);
	unlink(path);
}

static void make_folder(struct sim_redbox *b)
{
	snprintf(b->folder, sizeof(b->folder), "/dev/shm/red-box-XXXXXX");
	if (mkdtemp(b->folder))
		return;
	snprintf(b->folder, sizeof(b->folder), "/tmp/red-box-XXXXXX");
	if (!mkdtemp(b->folder))
		abort();
}

void sim_redbox_init(struct sim_redbox *b, struct sim_link *link, struct sim_hpc *hpc,
	uint64_t seed, bool old)
{
	enum { AGE_MS = (JOURNAL_KEEP_S + 3600) * 1000 };
	*b = (struct sim_redbox){
		.loop = &link->loop->loop,
		.link = link,
		.hpc = hpc,
		.rand = sim_rand_new(seed, 33),
	};
	make_folder(b);
	if (!old)
		return;
	sim_loop_jump_wall(link->loop, -(int64_t)AGE_MS);
	if (failed(journal_open(b->loop, b->folder, &b->journal)))
		abort();
	journal_free(TAKE(b->journal));
	sim_loop_jump_wall(link->loop, AGE_MS);
}

void sim_redbox_free(struct sim_redbox *b)
{
	char path[96];
	timer_stop(b->loop, b->turn);
	if (b->service)
		die(b);
	journal_path(b, path);
	unlink(path);
	rmdir(b->folder);
}
