/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation functions that end the process if memory runs out. */
#include "base/own.h"

#include <string.h>
#include <unistd.h>

/*
 * Ends the process when p is NULL. Writes its last line without allocating, in the format
 * of the log: log.c uses own.c, so it cannot be used here.
 */
static void *must(void *p)
{
	static const char words[] =
		"{\"level\":\"error\",\"msg\":\"out of memory: stopping; nothing is lost, because the next start continues with the state in the API server\"}\n";
	if (p)
		return p;
	if (write(STDERR_FILENO, words, sizeof(words) - 1) < 0)
		abort(); /* stderr is not writable */
	abort();
}

void *own_alloc(size_t bytes) { return must(calloc(1, bytes ? bytes : 1)); }
void *own_realloc(void *p, size_t bytes) { return must(realloc(p, bytes ? bytes : 1)); }
char *own_strdup(const char *s) { return s ? must(strdup(s)) : NULL; }
char *own_strndup(const char *s, size_t n) { return s ? must(strndup(s, n)) : NULL; }

void own_wipe(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}
