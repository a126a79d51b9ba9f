/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world for the planner of SlurmJobs and WlmJobs: given one, called ns/cow, and
 * perhaps its pod; when it is planned; then these actions and no others.
 *
 *     JOB(w);
 *     given_job(&w, JOB_KEPT, "");
 *     when_job_planned(&w);
 *     then(&w.g, DO(CREATE, POD), "cow-job");
 */
#ifndef TESTS_LIB_GIVEN_JOB_H
#define TESTS_LIB_GIVEN_JOB_H

#include "lib/given.h"

#include "plan/job/plan.h"

struct job_world {
	struct given g;
	struct job_view view;
	struct pod_fact pod, collector;
	struct kv annotations[8], notes[3]; /* notes: of the collector */
	struct job_options options;
};

void job_world_end(struct job_world *w);
#define JOB(w) struct job_world w AUTO(job_world_end) = { 0 }

#define JOB_KEPT "\"finalizers\":[\"other\",\"" FINALIZER_JOB "\"]"
#define JOB_DELETING JOB_KEPT ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""
#define JOB_NOTED(phase) "\"status\":{\"status\":\"" phase "\"}"
/* A spec that asks for results, with these members more. */
#define JOB_RESULTS(more)                                                    \
	"\"batch\":\"#!/bin/sh\",\"results\":{\"mount\":{\"name\":\"data\"," \
	"\"persistentVolumeClaim\":{\"claimName\":\"c\"}}" more "}"
#define JOB_SCRIPT "#!/bin/sh\\n#SBATCH -N 7\\nsrun hostname\\n"

/* A SlurmJob with these members of metadata, and beside spec, such as JOB_NOTED. */
void given_job(struct job_world *w, const char *metadata, const char *members);
/* A job with this spec; a WlmJob is one with an image. */
void given_job_spec(struct job_world *w, const char *spec, const char *metadata,
	const char *members);
/* The pod of the job, on a virtual node, in this phase; without its first finalizer. */
struct pod_fact *given_job_pod(struct job_world *w, enum pod_phase phase);
void given_job_annotation(struct job_world *w, const char *key, const char *value);
/*
 * A job with this spec, such as JOB_RESULTS, and its pod in this phase. The manager has
 * an image for the pod that copies results, and its virtual node gives them out.
 */
void given_job_results(struct job_world *w, const char *spec, enum pod_phase phase);
/* The pod that copies them, the attempt-th one, in this phase. */
struct pod_fact *given_collector(struct job_world *w, enum pod_phase phase, const char *attempt);
void when_job_planned(struct job_world *w); /* once: see w->g.plan */
/* Writes the status that was planned into the object, and plans once more. */
void when_job_published(struct job_world *w);
/* A member of the status; "" without it. */
const char *job_status(const struct job_world *w, const char *key);

#endif
