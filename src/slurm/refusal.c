/* SPDX-License-Identifier: Apache-2.0 */
/* The refusals of slurmctld, one row for each. */
#include "slurm/refusal.h"

#include <string.h>

#include "base/own.h"
#include "base/str.h"

#define FAILED "Batch job submission failed: "

/* The comment before each group is the reason. */
const struct slurm_refusal_row slurm_refusal_rows[] = {
	/* NodeSets and "scontrol reconfigure" delete a partition and create it again */
	{ 2000, REFUSAL_BY_PARTITION, "Invalid partition name specified" },
	/* The script, or the configuration of a client that names no partition */
	{ 2001, REFUSAL_FOR_GOOD, "No partition specified or system default partition" },
	/* RootOnly, and other cases that need a permission */
	{ 2002, REFUSAL_DENIED, "Access/permission denied" },
	/* The nodes of the partition do not suffice, but later nodes may */
	{ 2004, REFUSAL_BY_NODES, "Requested nodes not in this partition" },
	{ 2005, REFUSAL_BY_NODES, "More processors requested than permitted" },
	{ 2006, REFUSAL_BY_NODES, "Node count specification invalid" },
	{ 2014, REFUSAL_BY_NODES, "Requested node configuration is not available" },
	{ 2018, REFUSAL_BY_NODES, "Invalid node name specified" },
	{ 2029, REFUSAL_BY_NODES, "Invalid feature specification" },
	{ 2044, REFUSAL_BY_NODES, "Memory required by task is not available" },
	{ 2178, REFUSAL_BY_NODES, "Requested topology configuration is not available" },
	/* MaxJobCount, until jobs have ended; the texts before and since 26.05 */
	{ 2007, REFUSAL_FOR_NOW, "Unable to create job record, try again" },
	{ 2007, REFUSAL_FOR_NOW, "MaxJobCount limit reached" },
	/* The script or its options */
	{ 2008, REFUSAL_FOR_GOOD, "Job size specification needs to be provided" },
	{ 2009, REFUSAL_FOR_GOOD, "Job script not specified" },
	{ 2011, REFUSAL_FOR_GOOD, "Duplicate job id" },
	{ 2012, REFUSAL_FOR_GOOD, "Pathname of a file, directory or other parameter too long" },
	{ 2023, REFUSAL_FOR_GOOD, "Task distribution specification invalid" },
	{ 2025, REFUSAL_FOR_GOOD, "Task count specification invalid" },
	{ 2036, REFUSAL_FOR_GOOD, "Requested operation not supported on this system" },
	{ 2038, REFUSAL_FOR_GOOD, "Job dependency problem" }, /* the other job no longer exists */
	{ 2048, REFUSAL_FOR_GOOD, "Invalid license specification" },
	{ 2051, REFUSAL_FOR_GOOD, "Requested time limit is invalid" },
	{ 2053, REFUSAL_FOR_GOOD, "Requested reservation is invalid" },
	{ 2054, REFUSAL_FOR_GOOD, "Invalid time specified" },
	{ 2057, REFUSAL_FOR_GOOD, "Invalid wckey specification" },
	{ 2063, REFUSAL_FOR_GOOD, "Job cannot be submitted without the current working" },
	{ 2066, REFUSAL_FOR_GOOD, "Invalid qos specification" },
	{ 2069, REFUSAL_FOR_GOOD, "CPU count specification invalid" },
	{ 2071, REFUSAL_FOR_GOOD, "Circular job dependency" },
	{ 2072, REFUSAL_FOR_GOOD, "Invalid generic resource (gres) specification" },
	{ 2081, REFUSAL_FOR_GOOD, "Invalid job array specification" },
	{ 2094, REFUSAL_FOR_GOOD, "Burst Buffer request invalid" },
	{ 2099, REFUSAL_FOR_GOOD, "Invalid mcs_label specified" },
	{ 2102, REFUSAL_FOR_GOOD, "Duplicate generic resource (gres) specification" },
	{ 2114, REFUSAL_FOR_GOOD, "Job --batch option is invalid" },
	{ 2115, REFUSAL_FOR_GOOD, "Invalid Trackable RESource (TRES) specification" },
	{ 2119, REFUSAL_FOR_GOOD, "Invalid GRES specification" },
	{ 2121, REFUSAL_FOR_GOOD, "Multiple KNL NUMA and/or MCDRAM constraints" },
	{ 2122, REFUSAL_FOR_GOOD, "Requested GRES option unsupported" },
	{ 2123, REFUSAL_FOR_GOOD, "Invalid --nice value" },
	{ 2124, REFUSAL_FOR_GOOD, "Invalid time-min specification" },
	{ 2127, REFUSAL_FOR_GOOD, "Environment is missing in job" },
	{ 2130, REFUSAL_FOR_GOOD, "Multiple partition job request not supported" },
	{ 2132, REFUSAL_FOR_GOOD, "Cannot request more threads per core" },
	{ 2133, REFUSAL_FOR_GOOD, "Invalid preferred feature specification" },
	{ 2170, REFUSAL_FOR_GOOD, "Invalid QOS specification, relative QOS" },
	{ 2171, REFUSAL_FOR_GOOD, "Invalid extra constraints specification" },
	/*
	 * The account lacks a right. slurmctld keeps the accounts while slurmdbd is down
	 */
	{ 2045, REFUSAL_FOR_GOOD, "Invalid account or account/partition combination specified" },
	{ 2052, REFUSAL_FOR_GOOD, "Access denied to requested reservation" },
	{ 2092, REFUSAL_FOR_GOOD, "Burst Buffer permission denied" },
	{ 2167, REFUSAL_FOR_GOOD, "Invalid or unknown association" },
	/*
	 * The user directory did not answer slurmctld, or does not have a new user yet. A
	 * group of AllowGroups that slurmctld cannot look up has no members until the
	 * next look-up (GroupUpdateTime, ten minutes)
	 */
	{ 2003, REFUSAL_FOR_NOW, "User's group not permitted to use this partition" },
	{ 2010, REFUSAL_FOR_NOW, "Invalid user id" },
	{ 2113, REFUSAL_FOR_NOW, "Invalid group id" },
	{ 2163, REFUSAL_FOR_NOW, "Invalid group ID" },
	{ 2164, REFUSAL_FOR_NOW, "Unable to resolve group ID to group name" },
	{ 2165, REFUSAL_FOR_NOW, "Invalid user ID" },
	{ 2166, REFUSAL_FOR_NOW, "Unable to resolve user ID to user name" },
	/* The partition, its nodes or a reservation is not usable at the moment */
	{ 2015, REFUSAL_FOR_NOW, "Requested partition configuration not available now" },
	{ 2016, REFUSAL_FOR_NOW, "Requested nodes are busy" },
	{ 2056, REFUSAL_FOR_NOW, "Requested reservation not usable now" },
	{ 2068, REFUSAL_FOR_NOW, "Required node not available (down, drained or reserved)" },
	{ 2070, REFUSAL_FOR_NOW, "Required partition not available (inactive or drain)" },
	{ 2078, REFUSAL_FOR_NOW, "Job can not start immediately" },
	{ 2101, REFUSAL_FOR_NOW, "Partition in DOWN state" },
	{ 2118, REFUSAL_FOR_NOW, "Job can not start due to maintenance reservation" },
	{ 2177, REFUSAL_FOR_NOW, "Max powered up nodes reached" },
	/*
	 * A limit on jobs or usage, until others have ended. Limits on one job:
	 * is_of_one_job
	 */
	{ 2040, REFUSAL_FOR_NOW, "Licenses currently unavailable" },
	{ 2050, REFUSAL_FOR_NOW, "Job violates accounting/QOS policy" },
	{ 2074, REFUSAL_FOR_NOW, "Requested account has breached requested QOS usage threshold" },
	{ 2093, REFUSAL_FOR_NOW, "Burst Buffer resource limit exceeded" },
	{ 2100, REFUSAL_FOR_NOW, "Waiting for burst buffer" },
	/* An error of slurmctld or slurmdbd, which an administrator repairs */
	{ 2019, REFUSAL_FOR_NOW, "I/O error writing script/environment to file" },
	{ 2026, REFUSAL_FOR_NOW, "Error generating job credential" },
	{ 2027, REFUSAL_FOR_NOW, "Slurm backup controller in standby mode" },
	{ 2037, REFUSAL_FOR_NOW, "Requested operation is presently disabled" },
	{ 2079, REFUSAL_FOR_NOW, "Switch resources currently not available" },
	{ 2090, REFUSAL_FOR_NOW, "Slurm internal error, contact system administrator" },
	{ 2105, REFUSAL_FOR_NOW, "System submissions disabled" },
	{ 2131, REFUSAL_FOR_NOW, "Controller is in standby mode" },
	{ 7000, REFUSAL_FOR_NOW, "Unable to connect to database" },
};
const size_t slurm_refusal_row_count = LENGTH(slurm_refusal_rows);

/*
 * After the text of 2050 sbatch prints the name of the limit, as squeue does; it begins
 * with "Assoc" or "QOS". The script of this job breaks a limit on a single job. Any other
 * limit is shared with jobs that will end.
 */
static bool is_of_one_job(const char *said)
{
	static const char *const parts[] = { "PerJob", "PerNode", "QOSMin" };
	for (const char *at = said; *at; at += strspn(at, " ;:\n")) {
		size_t n = strcspn(at, " ;:\n");
		bool limit = str_has_prefix(at, "QOS") || str_has_prefix(at, "Assoc");
		for (size_t i = 0; limit && i < LENGTH(parts); i++)
			if (memmem(at, n, parts[i], strlen(parts[i])))
				return true;
		at += n;
	}
	return false;
}

static const struct slurm_refusal_row *row_of(const char *text)
{
	for (size_t i = 0; i < slurm_refusal_row_count; i++)
		if (str_has_prefix(text, slurm_refusal_rows[i].text))
			return &slurm_refusal_rows[i];
	return NULL;
}

const char *slurm_refusal_in(const char *said) { return strstr(said, FAILED); }

enum slurm_refusal slurm_refusal_of(const char *said)
{
	const char *failed = slurm_refusal_in(said);
	if (!failed)
		return REFUSAL_NONE;
	const struct slurm_refusal_row *row = row_of(failed + strlen(FAILED));
	if (!row)
		return REFUSAL_UNKNOWN;
	return row->number == 2050 && is_of_one_job(said) ? REFUSAL_FOR_GOOD : row->what;
}
