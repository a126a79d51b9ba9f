/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the settings of TCP are complete before red-box listens. */
#include "redbox/tcp.h"

#include <string.h>

#include "base/own.h"
#include "net/listen.h"

static void take(const char **to, const char *given)
{
	if (given)
		*to = given;
}

/* Splits the list at commas. redbox_tcp_check refuses empty names later. */
static void take_clients(struct redbox_config *c, const char *given)
{
	struct redbox_texts *to = &c->tcp.clients;
	to->rows = arena_array(&c->arena, const char *, strlen(given) + 1);
	to->n = 0;
	for (const char *at = given;; at++) {
		size_t n = strcspn(at, ",");
		to->rows[to->n++] = arena_strndup(&c->arena, at, n);
		at += n;
		if (!*at)
			return;
	}
}

void redbox_tcp_override(struct redbox_config *c, const struct redbox_tcp_flags *f)
{
	take(&c->tcp.address, f->address);
	take(&c->tcp.cert_file, f->cert_file);
	take(&c->tcp.key_file, f->key_file);
	take(&c->tcp.client_ca_file, f->client_ca_file);
	if (f->clients)
		take_clients(c, f->clients);
}

/* Port 0 is refused: clients would not know the port. */
static struct err check_address(const char *address)
{
	char host[MAX_HOST_BYTES];
	const char *port;
	if (address_split(address, host, &port) && !str_eq(port, "0"))
		return OK;
	return err_new(ERR_INVALID,
		"tcp_address: \"%s\" is no address to listen on; it should look like :7433 or 10.0.0.5:7433",
		address);
}

/* A relative path would start in the first folder, where clients can write. */
static struct err check_file(const char *name, const char *path)
{
	return *path == '/'
		? OK
		: err_new(ERR_INVALID, "%s: \"%s\" should be an absolute path, it begins with /",
			  name, path);
}

static struct err check_values(const struct redbox_tcp *t)
{
	struct err e = check_address(t->address);
	if (!failed(e))
		e = check_file("tcp_cert_file", t->cert_file);
	if (!failed(e))
		e = check_file("tcp_key_file", t->key_file);
	if (!failed(e))
		e = check_file("tcp_client_ca_file", t->client_ca_file);
	for (size_t i = 0; i < t->clients.n && !failed(e); i++)
		if (!*t->clients.rows[i])
			e = err_new(ERR_INVALID, "tcp_clients: a name is empty");
	return e;
}

struct err redbox_tcp_check(const struct redbox_tcp *t)
{
	const struct {
		const char *name;
		bool given;
	} parts[] = {
		{ "tcp_address", t->address },
		{ "tcp_cert_file", t->cert_file },
		{ "tcp_key_file", t->key_file },
		{ "tcp_client_ca_file", t->client_ca_file },
		{ "tcp_clients", t->clients.n },
	};
	const char *there = NULL, *missing = NULL;
	for (size_t i = 0; i < LENGTH(parts); i++)
		if (parts[i].given)
			there = there ? there : parts[i].name;
		else
			missing = missing ? missing : parts[i].name;
	if (there && missing)
		return err_new(ERR_INVALID,
			"%s is given and %s is not: clients by TCP need tcp_address, tcp_cert_file, tcp_key_file, tcp_client_ca_file and tcp_clients, or none of them",
			there, missing);
	return there ? check_values(t) : OK;
}
