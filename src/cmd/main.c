/* SPDX-License-Identifier: Apache-2.0 */
/* slurm-operator: runs the command, and returns its exit status. */
#include <stdio.h>
#include <sysexits.h>

#include "base/own.h"
#include "cmd/options.h"

int main(int argc, char **argv)
{
	struct options options AUTO(options_free) = { 0 };
	struct str print AUTO(str_free) = { 0 };
	struct err e = options_read(argc, argv, &options, &print);
	if (failed(e)) {
		fprintf(stderr, "slurm-operator: %s\n", e.text);
		return EX_USAGE;
	}
	int status = options.command ? options.command(&options, &print) : 0;
	fputs(str_text(&print), stdout);
	return fflush(stdout) ? 1 : status;
}
