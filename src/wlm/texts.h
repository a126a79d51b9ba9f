/* SPDX-License-Identifier: Apache-2.0 */
/* What protobuf-c does not say of the texts of a message; private to this folder. */
#ifndef WLM_TEXTS_H
#define WLM_TEXTS_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

/*
 * protobuf-c gives texts without their length, so that one with a NUL byte would be taken
 * for a shorter one. Whether none has it, also those of messages within this one. The
 * message has been read by protobuf-c before: its form is sound.
 */
bool wlm_texts_are_whole(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n);

#endif
