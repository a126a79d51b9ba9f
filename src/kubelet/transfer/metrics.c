/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of requests for results and with inputs. */
#include <stdio.h>
#include <utlist.h>

#include "base/metric.h"
#include "base/own.h"
#include "kubelet/transfer/parts.h"

METRIC(requests, "slurm_operator_virtual_node_transfer_requests", METRIC_GAUGE,
	"Requests in flight, at most 64, for results or with inputs (label of).", "of",
	METRIC_OF_VIRTUAL_NODE);
METRIC(refused, "slurm_operator_virtual_node_transfer_refused_total", METRIC_COUNTER,
	"Refused requests for results or with inputs, by HTTP code: 429 if there were too many, 503 if the client should try again later.",
	"of,code", METRIC_OF_VIRTUAL_NODE);

static const char *const names[] = { "results", "inputs" };
static bool is_inputs(const struct transfer *h) { return h->role && h->role->inputs; }

void transfer_count(const struct transfer *h, int status)
{
	char code[16];
	snprintf(code, sizeof(code), "%d", status);
	metric_add(&refused, 1, names[is_inputs(h)], code);
}

void kubelet_measure(const struct kubelet *k)
{
	const struct transfer *h;
	int n[LENGTH(names)] = { 0 };
	if (k)
		DL_FOREACH(k->transfers, h)
	n[is_inputs(h)]++;
	for (size_t i = 0; i < LENGTH(names); i++)
		metric_set(&requests, n[i], names[i]);
}
