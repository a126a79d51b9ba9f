/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of messages, and messages as bytes; private to this folder. */
#ifndef WLM_TEXTS_H
#define WLM_TEXTS_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

/*
 * The most fields of one message. protobuf-c keeps each in 30 bytes while it parses, and
 * a record of a job takes 500, so a message of 4 MiB could become a hundred times as
 * large. An array of 20,000 tasks has records of 4 MiB.
 */
enum { WLM_FIELDS_MOST = 20000 };

/*
 * Whether the message, and each message nested in it, has at most WLM_FIELDS_MOST fields.
 * The bytes may be anything: true for what is no message.
 */
bool wlm_is_small(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n);

/*
 * Whether no text of the message, or of a message nested in it, has a NUL byte.
 * protobuf-c returns texts without their length, so that a text with a NUL byte would
 * look shorter. protobuf-c has parsed the message before, so its form is valid.
 */
bool wlm_texts_are_whole(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n);

/*
 * A copy that every client accepts: bytes that are no UTF-8 become "?". NULL counts as
 * "".
 */
char *wlm_text(struct arena *a, const char *from);

/* Appends the message. */
void wlm_pack(struct str *out, const ProtobufCMessage *m);

#endif
