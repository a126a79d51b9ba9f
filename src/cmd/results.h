/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command "results" copies the results of one job into a volume, and ends. The
 * command "prepare" copies the inputs of one job to its Slurm. The manager runs each in
 * its own pod, and reads the last sentence from /dev/termination-log and the exit status.
 * 0: all is copied; 2: a retry is of no use; else: try again.
 */
#ifndef CMD_RESULTS_H
#define CMD_RESULTS_H

struct options;
struct str;

struct results_command_config {
	const char *url;        /* of the virtual node: "https://10.0.0.7:10250" */
	const char *public_key; /* "sha256//..." */
	const char *pod;        /* "NAMESPACE/NAME" */
	const char *token_file;
	const char *to;   /* for "results"; else NULL */
	const char *from; /* for "prepare"; else NULL */
};

/* Runs until all is copied, or a retry is of no use. Returns the exit status. */
int results_command(const struct options *o, struct str *print);

#endif
