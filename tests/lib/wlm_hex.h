/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of red-box as hex: what is read of them, and whether one is written so. */
#ifndef TESTS_LIB_WLM_HEX_H
#define TESTS_LIB_WLM_HEX_H

#include <protobuf-c/protobuf-c.h>

#include "lib/hex.h"
#include "wlm/wlm.h"

static inline struct wlm_request read_hex(enum wlm_request_kind kind, const char *hex)
{
	uint8_t bytes[512];
	size_t n = bytes_of(hex, bytes);
	struct wlm_request r;
	struct err e = wlm_read(kind, bytes, n, &r);
	if (failed(e))
		fail_msg("%s", e.text);
	return r;
}

static inline void is_message(const ProtobufCMessage *m, const char *hex)
{
	uint8_t bytes[512];
	assert_true(protobuf_c_message_get_packed_size(m) <= sizeof(bytes));
	is_hex(bytes, protobuf_c_message_pack(m, bytes), hex);
}

static inline void refused(enum wlm_request_kind kind, const char *hex, const char *sentence)
{
	uint8_t bytes[512];
	size_t n = bytes_of(hex, bytes);
	struct wlm_request r;
	struct err e = wlm_read(kind, bytes, n, &r);
	assert_int_equal(e.kind, ERR_INVALID);
	assert_has(e.text, sentence);
	wlm_request_free(&r);
}

#endif
