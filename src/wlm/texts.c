/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the fields of a message in its wire format; copies texts; packs messages. */
#include "wlm/texts.h"

#include <string.h>

struct cursor {
	const uint8_t *at, *end;
};

static bool varint(struct cursor *c, uint64_t *out)
{
	*out = 0;
	for (int shift = 0; shift < 70 && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;
		if (shift < 64)
			*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Skips the value of a field of this wire type; *bytes is its length. */
static bool skip(struct cursor *c, unsigned wire_type, uint64_t *bytes)
{
	uint64_t ignored;
	*bytes = wire_type == PROTOBUF_C_WIRE_TYPE_64BIT ? 8 : 4;
	if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT) {
		*bytes = 0;
		return varint(c, &ignored);
	}
	if (wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED && !varint(c, bytes))
		return false;
	if (*bytes > (uint64_t)(c->end - c->at))
		return false;
	c->at += *bytes;
	return true;
}

bool wlm_is_small(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n)
{
	struct cursor c = { .at = bytes, .end = (const uint8_t *)bytes + n };
	uint64_t tag, len;
	for (int fields = 1; c.at < c.end; fields++) {
		if (!varint(&c, &tag) || !skip(&c, tag & 7, &len))
			return true;
		const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(d,
			(unsigned)(tag >> 3));
		bool nests = f && f->type == PROTOBUF_C_TYPE_MESSAGE;
		if (fields > WLM_FIELDS_MOST ||
			(nests && !wlm_is_small(f->descriptor, c.at - len, len)))
			return false;
	}
	return true;
}

bool wlm_texts_are_whole(const ProtobufCMessageDescriptor *d, const void *bytes, size_t n)
{
	struct cursor c = { .at = bytes, .end = (const uint8_t *)bytes + n };
	uint64_t tag, len;
	while (c.at < c.end) {
		if (!varint(&c, &tag) || !skip(&c, tag & 7, &len))
			return false;
		const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(d,
			(unsigned)(tag >> 3));
		if (!f || !len)
			continue;
		if (f->type == PROTOBUF_C_TYPE_STRING && memchr(c.at - len, '\0', len))
			return false;
		if (f->type == PROTOBUF_C_TYPE_MESSAGE &&
			!wlm_texts_are_whole(f->descriptor, c.at - len, len))
			return false;
	}
	return true;
}

char *wlm_text(struct arena *a, const char *from)
{
	char *copy = arena_strdup(a, from ? from : "");
	for (char *s = copy; *s;) {
		size_t n = str_utf8(s);
		if (!n)
			*s = '?';
		s += n ? n : 1;
	}
	return copy;
}

void wlm_pack(struct str *out, const ProtobufCMessage *m)
{
	size_t n = protobuf_c_message_get_packed_size(m);
	str_reserve(out, n);
	protobuf_c_message_pack(m, (uint8_t *)out->text + out->len);
	out->len += n;
	out->text[out->len] = '\0';
}
