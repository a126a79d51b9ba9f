/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the versions of the loaded libraries, not of those used for the build. */
#include "cmd/libraries.h"

#include <gnu/libc-version.h>

#include "json/libraries.h"
#include "net/libraries.h"
#include "wlm/libraries.h"

int libraries_command(const struct options *o, struct str *print)
{
	(void)o;
	str_add(print, "slurm-operator " OPERATOR_VERSION "\n");
	net_libraries(print);
	json_libraries(print);
	wlm_libraries(print);
	str_addf(print, "glibc %s\n", gnu_get_libc_version());
	return 0;
}
