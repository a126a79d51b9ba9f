/* SPDX-License-Identifier: Apache-2.0 */
/* The peer is in the library of tests: include lib/fake_peer.h. */
#ifndef UNIT_FAKE_PEER_H
#define UNIT_FAKE_PEER_H

#include "lib/fake_peer.h"

#endif
