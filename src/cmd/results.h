/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command "results": copies the results of one job into a volume, and ends; and
 * "prepare", which brings the inputs of one to its Slurm. The manager runs each in a pod
 * of its own, and reads the exit status (0: all is there; 2: it
 * is of no use to try again; else: try again) and /dev/termination-log, which has the
 * last sentence.
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
	const char *to;   /* of "results"; NULL of "prepare" */
	const char *from; /* the other way round */
};

/* Runs until all is there, or nothing more can be done. The process's exit status. */
int results_command(const struct options *o, struct str *print);

#endif
