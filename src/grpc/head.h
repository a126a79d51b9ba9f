/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the headers of a call say. HTTP/2 carries them as bytes: nothing is a C string,
 * and nothing has been checked, before head_judge has seen it.
 */
#ifndef GRPC_HEAD_H
#define GRPC_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "grpc/server.h"

enum { HEAD_MOST_BYTES = 16 << 10 };

/* For whom a call is. A server that does not know it passes it over. */
#define HEAD_AUDIENCE "x-audience"

struct head {
	struct str method, path, content_type, te, timeout, audience; /* of a request */
	struct str http, status, message;                             /* of an answer, or its end */
	size_t bytes; /* of all headers, as HTTP/2 counts them: 32 more for each */
	bool spoiled; /* one that matters came twice, or has a byte of 0 */
};

/* The sentence a call is answered with instead of by a method. */
struct refusal {
	int http;
	enum grpc_status status;
	struct str text;
};

/* One header. Beyond HEAD_MOST_BYTES nothing is kept. */
void head_add(struct head *h, const void *name, size_t name_bytes, const void *value,
	size_t value_bytes);
/* Whether it is a call of gRPC; when not, why is filled in. */
bool head_judge(const struct head *h, struct refusal *why);
/* The row of its path; NULL when there is none, and why is filled in. */
const struct grpc_method *head_method(const struct head *h, const struct grpc_method *methods,
	struct refusal *why);
/* Whether it is for one of these, or says nothing; when not, why is filled in. */
bool head_is_for(const struct head *h, const char *const *names, struct refusal *why);
/* Rounded up. INT64_MAX: there is none; only after head_judge found nothing. */
int64_t head_timeout_ms(const struct head *h);
void head_free(struct head *h);

/* Whether content-type is that of gRPC. */
bool head_is_grpc(const struct head *h);
/* A number of digits alone, at most so large; -1: it is none. */
int head_number(const struct str *value, int most);

/* As grpc-message has it: bytes other than printable ASCII, and %, are %XX. */
void percent_encode(struct str *out, const char *text);
/* The other way round, as part of a sentence of ours: see str_add_foreign. */
void percent_decode(struct str *out, const char *text);

#endif
