/* SPDX-License-Identifier: Apache-2.0 */
/* A SlurmJob or WlmJob and its pod, given to their planner (see given_job.h). */
#include "lib/given_job.h"
#include "json/build.h"

void job_world_end(struct job_world *w) { given_end(&w->g); }

void given_job_spec(struct job_world *w, const char *spec, const char *metadata,
	const char *members)
{
	struct given *g = &w->g;
	g->d = jdoc_new(&g->arena);
	g->wall_ms = GIVEN_WALL_MS;
	g->object = given_json(g,
		arena_printf(&g->arena,
			"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"cow\",\"uid\":\"job\","
			"\"resourceVersion\":\"7\",\"generation\":1%s%s},\"spec\":{%s}%s%s}",
			*metadata ? "," : "", metadata, spec, *members ? "," : "", members));
	w->view.resource = strstr(spec, "\"image\"") ? RES_WLMJOB : RES_SLURMJOB;
	w->view.pods_known = true;
	w->view.options = &job_options_usual;
	w->view.server = (struct job_server){ .url = "", .key = "" };
}

void given_job(struct job_world *w, const char *metadata, const char *members)
{
	given_job_spec(w, "\"batch\":\"" JOB_SCRIPT "\"", metadata, members);
}

struct pod_fact *given_job_pod(struct job_world *w, enum pod_phase phase)
{
	w->pod = (struct pod_fact){
		.ns = "ns",
		.name = w->view.resource == RES_WLMJOB ? "cow-wlm-job" : "cow-job",
		.uid = "pod",
		.resource_version = "11",
		.node_name = "slurm-login-debug",
		.phase = phase,
		.why = "",
		.finalizer = "",
		.unreported_at = -1,
		.exit_code = -1,
		.reason = "",
		.message = "",
		.annotations = w->annotations,
		.controller = { "SlurmJob", "cow", "job", true, w->view.resource },
	};
	w->view.pod = &w->pod;
	return &w->pod;
}

void given_job_annotation(struct job_world *w, const char *key, const char *value)
{
	w->annotations[w->pod.n_annotations++] = (struct kv){ key, value };
}

#define URL "https://10.0.0.1:10250"
#define KEY "sha256//abc="

void given_job_results(struct job_world *w, const char *spec, enum pod_phase phase)
{
	given_job_spec(w, spec, JOB_KEPT,
		phase == POD_FAILED ? JOB_NOTED("Failed") : JOB_NOTED("Succeeded"));
	given_job_pod(w, phase);
	w->options = job_options_usual;
	w->options.image = "example.com/slurm-operator:1";
	w->view.options = &w->options;
	w->view.server = (struct job_server){ .known = true, .url = URL, .key = KEY };
}

struct pod_fact *given_collector(struct job_world *w, enum pod_phase phase, const char *attempt)
{
	w->notes[0] = (struct kv){ "wlm.sylabs.io/collect-attempt", attempt };
	w->notes[1] = (struct kv){ "wlm.sylabs.io/results-url", URL };
	w->notes[2] = (struct kv){ "wlm.sylabs.io/results-key", KEY };
	w->collector = (struct pod_fact){
		.ns = "ns",
		.name = "cow-job-collect",
		.uid = "collector",
		.resource_version = "21",
		.node_name = "machine",
		.phase = phase,
		.created_ms = GIVEN_WALL_MS,
		.why = "",
		.finalizer = "",
		.unreported_at = -1,
		.exit_code = -1,
		.reason = "",
		.message = "",
		.annotations = w->notes,
		.n_annotations = 3,
		.controller = { "SlurmJob", "cow", "job", true, w->view.resource },
	};
	w->view.collector = &w->collector;
	return &w->collector;
}

void when_job_planned(struct job_world *w)
{
	w->view.object = w->g.object;
	w->g.plan = (struct plan){ .arena = &w->g.arena };
	job_plan(&w->view, w->g.wall_ms, &w->g.plan);
}

void when_job_published(struct job_world *w)
{
	struct operation status = { VERB_PATCH_STATUS, w->view.resource };
	when_job_planned(w);
	when_applied(&w->g, then(&w->g, status, "cow"));
	when_job_planned(w);
	then_no(&w->g, status, NULL);
}

const char *job_status(const struct job_world *w, const char *key)
{
	return json_str(json_at(w->g.object, "status", key), "");
}
