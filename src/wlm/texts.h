/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of messages, and messages as bytes; private to this folder. */
#ifndef WLM_TEXTS_H
#define WLM_TEXTS_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

/*
 * protobuf-c gives texts without their length, so that one with a NUL byte would be taken
 * for a shorter one. Whether none has it, also those of messages within this one. The
 * message has been read by protobuf-c before: its form is sound.
 */
bool wlm_texts_are_whole(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n);

/* A copy that any client takes: bytes that are no UTF-8 become "?". NULL counts as "". */
char *wlm_text(struct arena *a, const char *from);

/* Appends the message. */
void wlm_pack(struct str *out, const ProtobufCMessage *m);

#endif
