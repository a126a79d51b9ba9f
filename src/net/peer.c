/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that no server on the network has: one row for each range. */
#include "net/peer.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/own.h"

enum { IP_BYTES = 16, V4_AT = 12 };

/* The first bits of an IPv6 address. */
struct range {
	uint8_t bytes[IP_BYTES];
	unsigned bits;
	const char *what;
};

#define V4(...) { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, __VA_ARGS__ }
#define V4_BITS(bits) (V4_AT * 8 + (bits))

static const char own_machine[] = "the manager's own machine";
static const char link_local[] = "link-local, like the metadata service of a cloud";
static const char metadata[] = "the metadata service of a cloud";
static const char of_many[] = "not that of one machine";

static const struct range ranges[] = {
	{ V4(127), V4_BITS(8), own_machine },
	{ V4(0), V4_BITS(8), own_machine }, /* Linux treats 0.0.0.0 as the loopback */
	{ V4(169, 254), V4_BITS(16), link_local },
	{ V4(224), V4_BITS(4), of_many },
	{ V4(255, 255, 255, 255), V4_BITS(32), of_many },
	{ { [15] = 1 }, 128, own_machine },
	{ { 0 }, 128, own_machine },
	{ { 0xfe, 0x80 }, 10, link_local },
	{ { 0xff }, 8, of_many },
	/* Metadata services that are not link-local: of AWS, Alibaba and Azure */
	{ { 0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54 }, 128, metadata },
	{ V4(100, 100, 100, 200), V4_BITS(32), metadata },
	{ V4(168, 63, 129, 16), V4_BITS(32), metadata },
};

/* IPv6 ranges that embed the IPv4 address of the destination, from byte "at" on. */
static const struct {
	struct range range;
	size_t at;
} carriers[] = {
	{ { { 0 }, 96, "IPv4-compatible" }, V4_AT },
	{ { { 0x00, 0x64, 0xff, 0x9b }, 96, "NAT64" }, V4_AT },
	{ { { 0x20, 0x02 }, 16, "6to4" }, 2 },
};

static bool within(const uint8_t ip[static IP_BYTES], const struct range *r)
{
	unsigned whole = r->bits / 8, rest = r->bits % 8;
	return memcmp(ip, r->bytes, whole) == 0 &&
		(!rest || (ip[whole] ^ r->bytes[whole]) >> (8 - rest) == 0);
}

static const char *what_is(const uint8_t ip[static IP_BYTES])
{
	for (size_t i = 0; i < LENGTH(ranges); i++)
		if (within(ip, &ranges[i]))
			return ranges[i].what;
	return NULL;
}

static const char *v4(const uint8_t bytes[static 4])
{
	uint8_t ip[IP_BYTES] = V4(0);
	memcpy(ip + V4_AT, bytes, IP_BYTES - V4_AT);
	return what_is(ip);
}

static const char *v6(const uint8_t ip[static IP_BYTES])
{
	const char *what = what_is(ip);
	for (size_t i = 0; !what && i < LENGTH(carriers); i++)
		if (within(ip, &carriers[i].range))
			what = v4(ip + carriers[i].at);
	return what;
}

const char *peer_local(const struct sockaddr *at)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	switch (at->sa_family) {
	case AF_INET:
		memcpy(&in, at, sizeof(in));
		return v4((const uint8_t *)&in.sin_addr);
	case AF_INET6:
		memcpy(&in6, at, sizeof(in6));
		return v6((const uint8_t *)&in6.sin6_addr);
	}
	return own_machine;
}
