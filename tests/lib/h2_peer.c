/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of HTTP/2, written and counted by hand. */
#include "lib/h2_peer.h"

#include "lib/grpc_world.h"

enum { FRAME_HEAD_BYTES = 9, PREFACE_BYTES = 24 };

/* ---- its life ---- */

void h2_listen(struct h2_peer *p, struct loop *l)
{
	*p = (struct h2_peer){ .loop = l, .raw = { .loop = l, .fd = -1 } };
	snprintf(p->folder, sizeof(p->folder), "/tmp/h2-peer-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->path, sizeof(p->path), "%s/socket", p->folder);
	p->listener = grpc_world_listen(p->path);
	fcntl(p->listener, F_SETFL, O_NONBLOCK);
}

void h2_accept(struct h2_peer *p)
{
	h2_close(p);
	while ((p->raw.fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) < 0)
		raw_turn(p->loop);
}

void h2_close(struct h2_peer *p)
{
	raw_close(&p->raw);
	p->raw.ended = false;
}

void h2_free(struct h2_peer *p)
{
	h2_close(p);
	close(p->listener);
	unlink(p->path);
	rmdir(p->folder);
}

/* ---- what it says ---- */

static void add_u32(struct str *s, uint32_t n)
{
	const uint8_t bytes[] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
		(uint8_t)n };
	str_add_bytes(s, bytes, sizeof(bytes));
}

void h2_frame(struct h2_peer *p, int type, int flags, uint32_t stream, const void *bytes, size_t n)
{
	AUTO(str_free) struct str frame = { 0 };
	add_u32(&frame, (uint32_t)n << 8 | (uint32_t)type);
	str_add_bytes(&frame, &(uint8_t){ (uint8_t)flags }, 1);
	add_u32(&frame, stream);
	if (n)
		str_add_bytes(&frame, bytes, n);
	raw_send_bytes(&p->raw, frame.text, frame.len);
}

/* HPACK without its tables and without Huffman's code; up to 126 bytes each. */
static void add_literal(struct str *s, const char *text, size_t n)
{
	assert_true(n < 127);
	str_add_bytes(s, &(uint8_t){ (uint8_t)n }, 1);
	str_add_bytes(s, text, n);
}

void h2_headers(struct h2_peer *p, int flags, uint32_t stream, const char *lines)
{
	AUTO(str_free) struct str block = { 0 };
	while (*lines) {
		size_t end = strcspn(lines, "\n");
		const char *colon = strstr(lines + 1, ": ");
		str_add_bytes(&block, "", 1);
		add_literal(&block, lines, (size_t)(colon - lines));
		add_literal(&block, colon + 2, end - (size_t)(colon + 2 - lines));
		lines += end + (lines[end] == '\n');
	}
	h2_frame(p, H2_HEADERS, flags | H2_END_HEADERS, stream, block.text, block.len);
}

void h2_message(struct h2_peer *p, int flags, uint32_t stream, const char *text)
{
	AUTO(str_free) struct str bytes = { 0 };
	str_add_bytes(&bytes, "", 1);
	add_u32(&bytes, (uint32_t)strlen(text));
	str_add(&bytes, text);
	h2_frame(p, H2_DATA, flags, stream, bytes.text, bytes.len);
}

void h2_number(struct h2_peer *p, int type, uint32_t stream, uint32_t number)
{
	AUTO(str_free) struct str bytes = { 0 };
	add_u32(&bytes, number);
	h2_frame(p, type, 0, stream, bytes.text, bytes.len);
}

void h2_goaway(struct h2_peer *p, uint32_t last_stream, uint32_t code)
{
	AUTO(str_free) struct str bytes = { 0 };
	add_u32(&bytes, last_stream);
	add_u32(&bytes, code);
	h2_frame(p, H2_GOAWAY, 0, 0, bytes.text, bytes.len);
}

void h2_allow(struct h2_peer *p, uint32_t calls)
{
	AUTO(str_free) struct str bytes = { 0 };
	str_add_bytes(&bytes, "\0\3", 2); /* SETTINGS_MAX_CONCURRENT_STREAMS */
	add_u32(&bytes, calls);
	h2_frame(p, H2_SETTINGS, 0, 0, bytes.text, bytes.len);
}

/* ---- what it hears ---- */

int h2_count(struct h2_peer *p, int type, int flags)
{
	const struct str *got = &p->raw.got;
	int n = 0;
	raw_read(&p->raw);
	for (size_t at = PREFACE_BYTES; at + FRAME_HEAD_BYTES <= got->len;) {
		const uint8_t *frame = (const uint8_t *)got->text + at;
		n += frame[3] == type && (frame[4] & flags) == flags;
		at += FRAME_HEAD_BYTES +
			((size_t)frame[0] << 16 | (size_t)frame[1] << 8 | frame[2]);
	}
	return n;
}

void h2_wait_calls(struct h2_peer *p, int n)
{
	while (h2_count(p, H2_DATA, H2_END_STREAM) < n)
		raw_turn(p->loop);
}

void h2_take_call(struct h2_peer *p)
{
	h2_accept(p);
	h2_frame(p, H2_SETTINGS, 0, 0, "", 0);
	h2_wait_calls(p, 1);
}
