/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs that wait for nodes, as slurmrestd reports them: pending jobs that could start
 * if they had nodes. Equal jobs are one sort with a count, so 50,000 jobs of an array or
 * of a loop of sbatch need the memory of one.
 */
#ifndef SLURM_REST_QUEUE_H
#define SLURM_REST_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUEUE_SORTS = 256, QUEUE_TEXT_BYTES = 128 };

/*
 * The resources that each job of a sort requests. Texts are complete, with zeroes after
 * them, because sorts are compared as bytes.
 */
struct queued {
	char partitions[QUEUE_TEXT_BYTES]; /* "a" or "a,b" */
	char features[QUEUE_TEXT_BYTES];   /* the constraint: "a&(b|c)"; "": none */
	/* "gres/gpu:2,gres/gpu:a100:1"; "": none */
	char gres_node[QUEUE_TEXT_BYTES], gres_job[QUEUE_TEXT_BYTES], gres_task[QUEUE_TEXT_BYTES];
	int64_t nodes;                      /* at least */
	int64_t nodes_most;                 /* 0: no limit */
	int64_t cpus, cpus_task, cpus_node; /* in all; for each task; at least on each node */
	int64_t tasks, tasks_node;          /* in all; at most on each node; 0: no limit */
	int64_t memory_node, memory_cpu;    /* MiB; 0: not requested */
	int64_t exclusive;                  /* 1: no other job may use its nodes */
};

struct queued_sort {
	struct queued job;
	int64_t first_id;
	int64_t count; /* jobs; each task of an array counts */
};

struct slurm_queue {
	size_t n;
	int64_t left_out;           /* waiting jobs beyond QUEUE_SORTS, or with too long texts */
	struct queued_sort sorts[]; /* n; at most QUEUE_SORTS */
};

static inline size_t queue_bytes(size_t sorts)
{
	return sizeof(struct slurm_queue) + sorts * sizeof(struct queued_sort);
}

#endif
