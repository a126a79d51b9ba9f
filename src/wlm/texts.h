/* SPDX-License-Identifier: Apache-2.0 */
/* Checks texts of messages, and packs messages as bytes; private to this folder. */
#ifndef WLM_TEXTS_H
#define WLM_TEXTS_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

/*
 * The maximum number of fields of one message. While protobuf-c parses, a field takes 30
 * bytes, and a record of a job takes 500 bytes, so a message of 4 MiB could need a
 * hundred times as much memory. The records of an array of 20,000 tasks take 4 MiB.
 */
enum { WLM_FIELDS_MOST = 20000 };

/*
 * True if the message, and each message nested in it, has at most WLM_FIELDS_MOST fields.
 * Also true for bytes that are not a valid message.
 */
bool wlm_is_small(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n);

/*
 * True if no text of the message, or of a message nested in it, has a NUL byte.
 * protobuf-c returns texts without their length, so a text with a NUL byte would look
 * shorter. Call this for a message that protobuf-c has parsed, so that its form is valid.
 */
bool wlm_texts_are_whole(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n);

/*
 * A copy that every client accepts: bytes that are not UTF-8 become "?". NULL becomes "".
 */
char *wlm_text(struct arena *a, const char *from);

/* Appends the message. */
void wlm_pack(struct str *out, const ProtobufCMessage *m);

#endif
