/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of the libraries that were loaded, not of those it was built with. */
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
