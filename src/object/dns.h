/* SPDX-License-Identifier: Apache-2.0 */
/* DNS names as Kubernetes uses them (RFC 1123): lower case. */
#ifndef OBJECT_DNS_H
#define OBJECT_DNS_H

#include <stdbool.h>

/* At most 63 letters, digits and hyphens, a letter or digit at both ends. */
bool is_dns_label(const char *s);
/* Labels with dots between them, at most 253 characters: the name of most objects. */
bool is_dns_name(const char *s);

#endif
