/* SPDX-License-Identifier: Apache-2.0 */
/* How long Slurm's tools take, how they end, and how many wait for their turn. */
#include "base/metric.h"
#include "base/own.h"
#include "slurm/tools/tools_parts.h"

METRIC(commands, "slurm_operator_red_box_slurm_commands_total", METRIC_COUNTER,
	"Finished programs of Slurm. The outcome is ok, or the kind of the error: invalid (Slurm refused it), denied, not-found, retry (Slurm could not be queried), lost (it is unknown whether it was done), too-large.",
	"command,outcome", METRIC_OF_RED_BOX);
static const double bounds[] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60 };
METRIC(command_seconds, "slurm_operator_red_box_slurm_command_duration_seconds", METRIC_HISTOGRAM,
	"Run time of a program of Slurm, without its wait in the queue.", "command",
	METRIC_OF_RED_BOX, bounds, LENGTH(bounds));
METRIC(line, "slurm_operator_red_box_slurm_commands", METRIC_GAUGE,
	"Programs of Slurm that are running, and those that wait in the queue.", "state",
	METRIC_OF_RED_BOX);

void tools_count(const struct slurm_tools_call *c, const char *command, struct err e)
{
	int64_t took_ms = loop_now_ms(c->tools->loop) - c->started_ms;
	metric_add(&commands, 1, command, failed(e) ? err_kind_name(e.kind) : "ok");
	metric_observe(&command_seconds, (double)took_ms / 1000, command);
}

void slurm_tools_measure(const struct slurm_tools *t)
{
	int waiting = 0;
	for (const struct slurm_tools_call *c = t->first; c; c = c->next)
		waiting += c->state == WAITING;
	metric_set(&line, t->running, "running");
	metric_set(&line, waiting, "waiting");
}
