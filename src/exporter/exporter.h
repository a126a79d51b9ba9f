/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exporter reads Slurm periodically, and keeps a page of metrics. A scrape is
 * answered from memory, without a request to Slurm.
 *
 *     slurmrestd ──► source.c ──► facts ──► src/plan/exporter (pure) ──► the page
 *
 * Each source (nodes, jobs, partitions, diag, and optionally accounting) is read
 * independently, --cache-freq after its last read. The pause is longer if a read takes
 * long or fails (plan/exporter/rule.h). slurmrestd does not send an unchanged list again.
 * If a source fails, its last answer is used for a limited time. After that its metrics
 * disappear, and those of other sources stay.
 */
#ifndef EXPORTER_EXPORTER_H
#define EXPORTER_EXPORTER_H

#include "net/server.h"
#include "plan/exporter/text.h"
#include "slurm/rest/client.h"

struct exporter;

struct exporter_config {
	struct loop *loop;
	struct slurm *slurm; /* must outlive the exporter */
	int64_t cache_ms;
	bool per_user_names;
	bool job_efficiency; /* reads slurmdbd as well, at most once a minute */
	struct exporter_limits limits;
};

/* Creates an exporter, which starts to read. */
struct exporter *exporter_new(const struct exporter_config *config);
/* Facts about this process, from the kernel. */
struct exporter_process {
	double resident_bytes, open_fds, max_fds;
};
/*
 * The current page. Returns its long part, which all scrapes share (NULL: not yet
 * rendered), and adds the remaining part to rest.
 */
struct http_shared *exporter_page(struct exporter *e, enum exporter_format format,
	const struct exporter_process *process, struct str *rest);
/*
 * The long part of exporter_page as gzip, for a client that accepts gzip. NULL: not yet
 * compressed.
 */
struct http_shared *exporter_packed(struct exporter *e);
/*
 * Why the exporter is not ready; "" after the first read of each source, successful or
 * not.
 */
const char *exporter_trouble(const struct exporter *e);
void exporter_free(struct exporter *e); /* accepts NULL */

#endif
