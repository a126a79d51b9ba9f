/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of virtual nodes: their pods and jobs, and the age of red-box's answers. */
#include "base/metric.h"
#include "base/own.h"
#include "virtual_node/parts.h"

METRIC(pods, "slurm_operator_virtual_node_pods", METRIC_GAUGE, "Pods of a virtual node.", "node",
	METRIC_OF_VIRTUAL_NODE);
METRIC(phases, "slurm_operator_virtual_node_pod_phase", METRIC_GAUGE,
	"Pods of a virtual node by the phase in their status: Pending, Running, Succeeded, Failed.",
	"node,phase", METRIC_OF_VIRTUAL_NODE);
METRIC(jobs, "slurm_operator_virtual_node_jobs", METRIC_GAUGE,
	"Jobs of these pods, by the last response of red-box: unsubmitted, pending, running, ended, none (Slurm does not have the job), lost (its outcome can never be known), unknown (submitted, but no response yet). An array counts once, as running while one of its tasks runs.",
	"node,state", METRIC_OF_VIRTUAL_NODE);
METRIC(answer_age, "slurm_operator_virtual_node_answer_age_seconds", METRIC_GAUGE,
	"Seconds since red-box last named the partition of this node. The virtual node queries red-box every 10 s. A partition that red-box has not named since the start has no sample.",
	"node", METRIC_OF_VIRTUAL_NODE);
METRIC(away, "slurm_operator_red_box_away", METRIC_GAUGE,
	"1 while a Slurm cannot be reached through its red-box. The account is empty for the red-box of --red-box; the red-box of an account is queried only while pods use it.",
	"cluster,account", METRIC_OF_VIRTUAL_NODE);

static const char *const phase_names[] = { "Pending", "Running", "Succeeded", "Failed" };
enum { UNSUBMITTED, PENDING, RUNNING, ENDED, NONE, LOST, UNHEARD, JOB_STATES };
static const char *const state_names[JOB_STATES] = { "unsubmitted", "pending", "running", "ended",
	"none", "lost", "unknown" };

static bool runs(const struct vpod *p)
{
	for (size_t i = 0; i < p->report.n_records; i++)
		if (vjob_phase_of(p->report.records[i].state) == VJOB_RUNNING)
			return true;
	return false;
}

static size_t state_of(const struct vpod *p)
{
	static const size_t states[] = {
		[VJOB_UNKNOWN] = UNHEARD,
		[VJOB_NONE] = NONE,
		[VJOB_LIVE] = PENDING,
		[VJOB_ENDED] = ENDED,
		[VJOB_LOST] = LOST,
	};
	if (!p->object.begun)
		return UNSUBMITTED;
	if (p->report.job == VJOB_UNKNOWN && p->object.pod && vpod_has_ended(p->object.pod))
		return ENDED;
	return p->report.job == VJOB_LIVE && runs(p) ? RUNNING : states[p->report.job];
}

static void count_phase(const struct vpod *p, size_t counts[LENGTH(phase_names)])
{
	const char *phase = json_str(json_at(p->object.pod, "status", "phase"), "Pending");
	for (size_t i = 0; i < LENGTH(phase_names); i++)
		counts[i] += p->doc && str_eq(phase, phase_names[i]);
}

static void measure_part(const struct part *part, int64_t now_ms)
{
	size_t by_phase[LENGTH(phase_names)] = { 0 }, by_state[JOB_STATES] = { 0 };
	for (const struct vpod *p = part->pods; p; p = p->hh.next) {
		count_phase(p, by_phase);
		if (p->object.key)
			by_state[state_of(p)]++;
	}
	metric_set(&pods, (double)HASH_COUNT(part->pods), part->node_name);
	for (size_t i = 0; i < LENGTH(phase_names); i++)
		metric_set(&phases, (double)by_phase[i], part->node_name, phase_names[i]);
	for (size_t i = 0; i < JOB_STATES; i++)
		metric_set(&jobs, (double)by_state[i], part->node_name, state_names[i]);
	if (part->listed_ms)
		metric_set(&answer_age, (double)(now_ms - part->listed_ms) / 1000, part->node_name);
}

void vnode_measure(const struct vnode *v)
{
	struct metric *const all[] = { &pods, &phases, &jobs, &answer_age, &away };
	for (size_t i = 0; i < LENGTH(all); i++)
		/* for partitions that are gone, and for a standby */
		metric_clear(all[i]);
	for (const struct part *p = v ? v->parts : NULL; p; p = p->hh.next)
		measure_part(p, loop_now_ms(v->loop));
	for (size_t i = 0; v && i < v->n_boxes; i++)
		metric_set(&away, v->boxes[i].away, v->boxes[i].cluster, v->boxes[i].account);
}
