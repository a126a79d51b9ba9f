/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The partition and its limits, and the refusals of sbatch. The words are those of
 * 24.11.5, as tests/wire/refusals sees them and slurm_strerror has them.
 */
#include <string.h>

#include "base/codec.h"
#include "base/own.h"
#include "base/str.h"
#include "sim/sim_hpc_parts.h"

enum { NODES = 4 };

#define FAILED "sbatch: error: Batch job submission failed: "
#define POLICY                                                                             \
	FAILED "Job violates accounting/QOS policy (job submit limit, user's size and/or " \
	       "time limits)\n"

struct hpc_refusal {
	const char *said;
	bool for_good;
};

/* Until something has passed. */
static const struct hpc_refusal limits[] = {
	{ "sbatch: error: AssocMaxSubmitJobLimit\n" POLICY },
	{ "sbatch: error: QOSMaxSubmitJobPerUserLimit\n" POLICY },
	{ FAILED "Unable to create job record, try again\n" },
	{ FAILED "User's group not permitted to use this partition\n" },
	{ FAILED "Requested reservation not usable now\n" },
	{ FAILED "I/O error writing script/environment to file\n" },
	{ FAILED "System submissions disabled\n" },
};

static const struct hpc_refusal of_state = { FAILED
	"Required partition not available (inactive or drain)\n" };
static const struct hpc_refusal of_nodes = { FAILED "More processors requested than permitted\n" };
static const struct hpc_refusal of_root = { FAILED "Access/permission denied\n", true };

/* The script asks for what it never gets. */
static const struct hpc_refusal scripts[] = {
	{ FAILED "Invalid qos specification\n", true },
	{ FAILED "Invalid account or account/partition combination specified\n", true },
	{ FAILED "Requested time limit is invalid (missing or exceeds some limit)\n", true },
	{ "sbatch: error: QOSMaxCpuPerJobLimit\n" POLICY, true },
	{ FAILED "Node count specification invalid\n", true },
	{ "sbatch: unrecognized option '--nope'\n"
	  "Try \"sbatch --help\" for more information\n",
		true },
};

bool hpc_starts_jobs(const struct hpc_partition *p)
{
	bool starts = str_eq(p->state, "UP") || str_eq(p->state, "DRAIN");
	return starts && p->usable_nodes > 0;
}

static const struct hpc_refusal *refusal(const struct hpc_partition *p, const char *key,
	const char *script)
{
	if (p->limit)
		return p->limit;
	if (p->root_only)
		return &of_root;
	if (str_eq(p->state, "DRAIN") || str_eq(p->state, "INACTIVE"))
		return &of_state;
	if (!p->nodes)
		return &of_nodes;
	uint32_t hash = fnv1_32(FNV1_START, key, strlen(key));
	return strstr(script, "refuse") ? &scripts[hash % LENGTH(scripts)] : NULL;
}

struct err sim_hpc_takes(const struct sim_hpc *h, const char *key, const char *script)
{
	const struct hpc_refusal *r = refusal(h->debug, key, script);
	if (!r)
		return OK;
	h->note(h->ctx, "slurm: %s is refused: %s", key, r->said);
	if (h->on_refuse && !strstr(script, "stranger"))
		h->on_refuse(h->ctx, key, r->for_good);
	return hpc_why(r->said);
}

void sim_hpc_change_partition(struct sim_hpc *h)
{
	static const char *const states[] = { "UP", "UP", "UP", "DOWN", "DRAIN", "DRAIN",
		"INACTIVE" };
	struct hpc_partition *p = h->debug;
	struct sim_rand *r = &h->changes;
	p->state = states[sim_rand_range(r, 0, LENGTH(states) - 1)];
	p->nodes = sim_rand_chance(r, 200) ? 0 : NODES;
	p->usable_nodes = sim_rand_chance(r, 100) ? 0 : p->nodes;
	p->root_only = sim_rand_chance(r, 100);
	p->limit = sim_rand_chance(r, 300) ? &limits[sim_rand_range(r, 0, LENGTH(limits) - 1)]
					   : NULL;
	h->note(h->ctx, "slurm: the partition is %s, %lld of %lld nodes are usable%s%s%s", p->state,
		(long long)p->usable_nodes, (long long)p->nodes,
		p->root_only ? ", for root alone" : "", p->limit ? ", " : "",
		p->limit ? p->limit->said : "");
}

void sim_hpc_open_partition(struct sim_hpc *h)
{
	*h->debug = (struct hpc_partition){ .state = "UP", .nodes = NODES, .usable_nodes = NODES };
}
