/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodings: base64 (RFC 4648, with and without URL alphabet), FNV-1 as the Kubernetes
 * history library uses it.
 */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes n bytes of standard base64. *out is terminated; the caller frees it. */
bool base64_decode(const char *text, size_t n, char **out, size_t *out_bytes);
char *base64_encode(const void *bytes, size_t n);    /* with padding; the caller frees */
char *base64url_encode(const void *bytes, size_t n); /* no padding, as in JWTs; the caller frees */

/* 32-bit FNV-1 (multiply, then xor), continued from hash. Start with FNV1_START. */
#define FNV1_START UINT32_C(2166136261)
uint32_t fnv1_32(uint32_t hash, const void *bytes, size_t n);

/*
 * Maps text in place, byte by byte, to the alphabet "bcdfghjklmnpqrstvwxz2456789", as
 * k8s.io/apimachinery's rand.SafeEncodeString does.
 */
void safe_encode(char *text);

#endif
