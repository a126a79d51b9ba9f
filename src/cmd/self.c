/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the process itself: open files, and access to its memory. */
#include "cmd/self.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/log.h"
#include "cmd/options.h"

enum { FEW_DESCRIPTORS = 4096 };

static void raise_descriptors(void)
{
	struct rlimit files;
	char most[24];
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	rlim_t before = files.rlim_cur;
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		files.rlim_cur = before;
	snprintf(most, sizeof(most), "%llu", (unsigned long long)files.rlim_cur);
	if (files.rlim_cur < FEW_DESCRIPTORS)
		log_warn(
			"few files may be open at a time, and each Cluster takes two: raise the hard limit (nofile) of the container",
			"limit", most);
	else
		log_debug("the limit of open files", "limit", most);
}

void self_hide(void) { prctl(PR_SET_DUMPABLE, 0); }

static void keep_memory(void)
{
	/* This limit has no effect if the kernel pipes core files to a program. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	self_hide();
}

void self_begin(const struct options *o)
{
	log_set_level(o->log_level);
	log_set_text(o->log_text);
	keep_memory();
	raise_descriptors();
}
