/* SPDX-License-Identifier: Apache-2.0 */
/* Base64, with and without the URL alphabet, and FNV-1. */
#include "base/codec.h"

#include <string.h>

#include "base/own.h"

static int base64_value(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(const char *text, size_t n, char **out, size_t *out_bytes)
{
	AUTO(own_free) char *bytes = own_alloc(n / 4 * 3 + 4);
	size_t used = 0, seen = 0, padding = 0;
	uint32_t group = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '\n' || c == '\r' || c == ' ')
			continue;
		int value = c == '=' ? 0 : base64_value(c);
		if (value < 0 || (padding && c != '='))
			return false;
		padding += c == '=';
		group = group << 6 | (uint32_t)value;
		if (++seen % 4 == 0) {
			bytes[used++] = (char)(group >> 16);
			bytes[used++] = (char)(group >> 8);
			bytes[used++] = (char)group;
		}
	}
	if (seen % 4 || padding > 2 || padding > used)
		return false;
	used -= padding;
	bytes[used] = '\0';
	*out_bytes = used;
	*out = TAKE(bytes);
	return true;
}

static char *encode(const void *bytes, size_t n, const char *alphabet, bool padded)
{
	const unsigned char *in = bytes;
	char *out = own_alloc((n + 2) / 3 * 4 + 1), *p = out;
	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t group = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
			(left > 2 ? in[i + 2] : 0);
		*p++ = alphabet[group >> 18];
		*p++ = alphabet[group >> 12 & 63];
		if (left > 1 || padded)
			*p++ = left > 1 ? alphabet[group >> 6 & 63] : '=';
		if (left > 2 || padded)
			*p++ = left > 2 ? alphabet[group & 63] : '=';
	}
	return out;
}

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

char *base64_encode(const void *bytes, size_t n)
{
	return encode(bytes, n, LETTERS_AND_DIGITS "+/", true);
}

char *base64url_encode(const void *bytes, size_t n)
{
	return encode(bytes, n, LETTERS_AND_DIGITS "-_", false);
}

uint32_t fnv1_32(uint32_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	for (size_t i = 0; i < n; i++)
		hash = (uint32_t)((uint64_t)hash * 16777619u) ^ p[i];
	return hash;
}

void safe_encode(char *text)
{
	static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
	for (char *p = text; *p; p++)
		*p = alphabet[(unsigned char)*p % (sizeof(alphabet) - 1)];
}
