/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of red-box as a whole. They come from counters in memory, so a scrape reads
 * neither Slurm nor the disk.
 */
#include <string.h>

#include "base/metric.h"
#include "base/own.h"
#include "redbox/service_parts.h"

METRIC(calls, "slurm_operator_red_box_calls_total", METRIC_COUNTER,
	"Finished calls of clients, by gRPC status. REST requests count as rest-sbatch, rest-sjob and so on. The method is other if the call does not exist. CANCELLED means that the client disconnected first.",
	"method,code", METRIC_OF_RED_BOX);
METRIC(call_seconds, "slurm_operator_red_box_call_duration_seconds", METRIC_HISTOGRAM,
	"Time from the headers of a call to its end; a call that sends a file lasts as long as its client reads.",
	"method", METRIC_OF_RED_BOX, grpc_took_bounds, GRPC_TOOK_BOUNDS);
METRIC(waiting, "slurm_operator_red_box_submissions_waiting", METRIC_GAUGE,
	"Submissions that have not ended, by what they wait for: disk (the journal), slurm (whether a job has their key), sbatch (it runs, or waits for its turn), turn (the loop).",
	"for", METRIC_OF_RED_BOX);
METRIC(keys, "slurm_operator_red_box_journal_keys", METRIC_GAUGE,
	"Keys of submissions in the journal; at most 200,000.", "", METRIC_OF_RED_BOX);
METRIC(complete, "slurm_operator_red_box_journal_complete", METRIC_GAUGE,
	"1 while the journal has every key of the last week, so that a key that it lacks is new. Otherwise Slurm is queried for each new key, and submissions take longer.",
	"", METRIC_OF_RED_BOX);
METRIC(connections, "slurm_operator_red_box_connections", METRIC_GAUGE,
	"Connections of clients on unix, tcp and rest. handshake counts TCP connections during their TLS handshake.",
	"on", METRIC_OF_RED_BOX);
METRIC(streams, "slurm_operator_red_box_streams", METRIC_GAUGE, "Open calls of clients.", "",
	METRIC_OF_RED_BOX);
METRIC(rest_requests, "slurm_operator_red_box_rest_requests", METRIC_GAUGE,
	"REST requests in progress.", "", METRIC_OF_RED_BOX);
METRIC(files, "slurm_operator_red_box_files", METRIC_GAUGE,
	"Files of clients that are open or waited for.", "", METRIC_OF_RED_BOX);
METRIC(message_bytes, "slurm_operator_red_box_message_bytes", METRIC_GAUGE,
	"Memory of incomplete messages from clients.", "", METRIC_OF_RED_BOX);
METRIC(limits, "slurm_operator_red_box_limits_hit_total", METRIC_COUNTER,
	"Refusals because of a limit: submissions, files, connections (the oldest idle one is closed for a new one), messages (memory).",
	"limit", METRIC_OF_RED_BOX);

void service_over(void *service, const struct grpc_over *o)
{
	(void)service;
	const char *slash = o->path ? strrchr(o->path, '/') : NULL;
	const char *method = slash ? slash + 1 : "other";
	metric_add(&calls, 1, method, grpc_status_name(o->status));
	metric_observe(&call_seconds, (double)o->took_ms / 1000, method);
}

static void measure_submissions(const struct submitter_counts *counts)
{
	static const char *const names[SUBMIT_WAITS] = { "turn", "disk", "sbatch", "slurm" };
	for (size_t i = 0; i < SUBMIT_WAITS; i++)
		metric_set(&waiting, (double)counts->waiting[i], names[i]);
	metric_set(&limits, (double)counts->turned_away, "submissions");
}

static void measure_server(const struct grpc_counts *counts)
{
	metric_set(&connections, (double)counts->on_unix, "unix");
	metric_set(&connections, (double)counts->on_tcp, "tcp");
	metric_set(&connections, (double)counts->handshakes, "handshake");
	metric_set(&streams, (double)counts->calls);
	metric_set(&message_bytes, (double)counts->message_bytes);
	metric_set(&limits, (double)counts->connections_closed, "connections");
	metric_set(&limits, (double)counts->messages_refused, "messages");
}

void service_measure_rest(size_t n_connections, size_t n_requests)
{
	metric_set(&connections, (double)n_connections, "rest");
	metric_set(&rest_requests, (double)n_requests);
}

void service_measure(const struct service *s, const struct grpc_server *server,
	const struct journal *journal)
{
	const struct submitter_counts submissions = submitter_counts(s->config.submitter);
	const struct grpc_counts clients = grpc_server_counts(server);
	measure_submissions(&submissions);
	measure_server(&clients);
	metric_set(&files, (double)s->files.used);
	metric_set(&limits, (double)s->files_refused, "files");
	metric_set(&keys, (double)journal_count(journal));
	metric_set(&complete, journal_vouches(journal));
}
