/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates of clients: names are sound texts, few and short, or there are none. The
 * subject is none of theirs when it cannot be read.
 */
#include <stdint.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "net/tls_parts.h"
#include "net/x509.h"

enum { NAME_BYTES = 1000, NAMES = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void is_sound(const char *name)
{
	if (!*name || strlen(name) > NAME_BYTES)
		abort();
	for (const char *at = name; *at; at += str_utf8(at))
		if (!str_utf8(at))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a AUTO(arena_free) = { 0 };
	struct tls_names names;
	struct x509_subject subject;
	struct err e = tls_read_names(bytes, n, &a, &names);
	if (names.n > NAMES || (failed(e) && names.n))
		abort();
	for (size_t i = 0; i < names.n; i++)
		is_sound(names.rows[i]);
	e = x509_read_subject(bytes, n, &a, &subject);
	if (failed(e) ? subject.name != NULL : !subject.name)
		abort();
	if (subject.name)
		is_sound(subject.name);
	return 0;
}
