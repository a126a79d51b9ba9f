/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of a call. HTTP/2 carries bytes: the values are unchecked, and not C
 * strings, until head_judge has accepted them.
 */
#ifndef GRPC_HEAD_H
#define GRPC_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "grpc/server.h"

enum { HEAD_MOST_BYTES = 16 << 10 };

/* The intended server of a call. A server that does not support the header ignores it. */
#define HEAD_AUDIENCE "x-audience"

struct head {
	struct str method, path, content_type, te, timeout, audience; /* of a request */
	/* Headers of a response or of trailers */
	struct str http, status, message;
	size_t bytes; /* of all headers, as HTTP/2 counts them: 32 more for each */
	bool spoiled; /* a header that matters came twice, or has a NUL byte */
};

/* The response to a call that is refused before its method. */
struct refusal {
	int http;
	enum grpc_status status;
	struct str text;
};

/* Adds a header. Headers beyond HEAD_MOST_BYTES are dropped. */
void head_add(struct head *h, const void *name, size_t name_bytes, const void *value,
	size_t value_bytes);
/* Whether the headers are those of a gRPC call; otherwise fills in why. */
bool head_judge(const struct head *h, struct refusal *why);
/* The method of the path; NULL and why when there is none. */
const struct grpc_method *head_method(const struct head *h, const struct grpc_method *methods,
	struct refusal *why);
/* Whether the audience is one of these names, or absent; otherwise fills in why. */
bool head_is_for(const struct head *h, const char *const *names, struct refusal *why);
/*
 * grpc-timeout, rounded up; INT64_MAX: none. Only after head_judge accepted the headers.
 */
int64_t head_timeout_ms(const struct head *h);
void head_free(struct head *h);

/* Whether content-type is gRPC's. */
bool head_is_grpc(const struct head *h);
/* A number from 0 to most, of digits only; -1: no such number. */
int head_number(const struct str *value, int most);

/* Encodes like grpc-message: bytes other than printable ASCII, and %, become %XX. */
void percent_encode(struct str *out, const char *text);
/* Decodes %XX, and appends the text as str_add_foreign does. */
void percent_decode(struct str *out, const char *text);

#endif
