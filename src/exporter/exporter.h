/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exporter: reads a Slurm from time to time and keeps a page of metrics of what it
 * said. A scrape is answered from memory, and asks Slurm nothing.
 *
 *     slurmrestd ──► source.c ──► facts ──► src/plan/exporter (pure) ──► the page
 *
 * Each source (nodes, jobs, partitions, diag; accounting if it is wanted) is read by
 * itself, --cache-freq after the last time, later when a read takes long or fails
 * (plan/exporter/rule.h). slurmrestd does not send an unchanged list again. A source that
 * fails keeps its last answer for a while; then its metrics are no more, and the others
 * stay.
 */
#ifndef EXPORTER_EXPORTER_H
#define EXPORTER_EXPORTER_H

#include "net/server.h"
#include "plan/exporter/text.h"
#include "slurm/rest/client.h"

struct exporter;

struct exporter_config {
	struct loop *loop;
	struct slurm *slurm; /* outlives it */
	int64_t cache_ms;
	bool per_user_names;
	bool job_efficiency; /* reads slurmdbd as well, at most once a minute */
	struct exporter_limits limits;
};

/* Begins to read. */
struct exporter *exporter_new(const struct exporter_config *config);
/* Facts of the process that the kernel has. */
struct exporter_process {
	double resident_bytes, open_fds, max_fds;
};
/*
 * The page as of now: its long part, which all scrapes share (NULL: there is none yet),
 * and the rest of it, which is added to rest.
 */
struct http_shared *exporter_page(struct exporter *e, enum exporter_format format,
	const struct exporter_process *process, struct str *rest);
/*
 * The long part of exporter_page as gzip, for a client that takes it; NULL: it is not
 * packed yet.
 */
struct http_shared *exporter_packed(struct exporter *e);
/* "" when it is ready: Slurm was asked for everything once, whatever it answered. */
const char *exporter_trouble(const struct exporter *e);
void exporter_free(struct exporter *e); /* accepts NULL */

#endif
