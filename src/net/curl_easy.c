/* SPDX-License-Identifier: Apache-2.0 */
/* A request as an easy handle of libcurl: its options and its callbacks. */
#include "net/curl_parts.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/own.h"
#include "net/peer.h"

/*
 * A peer that acknowledges no data for UNACKNOWLEDGED_MS is dead. This replaces HTTP/2
 * PINGs, which libcurl does not send.
 */
enum { UNACKNOWLEDGED_MS = 20000, KEEPALIVE_IDLE_S = 30, KEEPALIVE_EVERY_S = 10 };

static int socket_opened(void *unused, curl_socket_t fd, curlsocktype purpose)
{
	int ms = UNACKNOWLEDGED_MS;
	(void)unused, (void)purpose;
	/* Harmless on other sockets */
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
	return CURL_SOCKOPT_OK;
}

static void note_refused(struct http_call *c, const struct curl_sockaddr *at, const char *what)
{
	char text[INET6_ADDRSTRLEN] = "";
	getnameinfo(&at->addr, at->addrlen, text, sizeof(text), NULL, 0, NI_NUMERICHOST);
	c->broken = err_new(ERR_RETRY, "the address %s is %s, and no connection may go there", text,
		what);
}

/* Runs after DNS, for each address, so a name cannot hide its address. */
static curl_socket_t socket_open(void *call, curlsocktype purpose, struct curl_sockaddr *at)
{
	struct http_call *c = call;
	const char *what = c->http->refuse_local ? peer_local(&at->addr) : NULL;
	(void)purpose;
	if (what) {
		note_refused(c, at, what);
		return CURL_SOCKET_BAD;
	}
	return socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
}

/* Called when the connection is open, before a byte of the request is sent. */
static int about_to_send(void *call, char *their_ip, char *our_ip, int their_port, int our_port)
{
	struct http_call *c = call;
	struct curl_http *h = c->http;
	struct tcp_link link;
	if (!tcp_link_read(our_ip, our_port, their_ip, their_port, &link) ||
		!tcp_link_is_local(&link))
		return CURL_PREREQFUNC_OK;
	struct err e = listener_check(&link, &h->listeners.users, h->listeners.remedy);
	if (!failed(e))
		return CURL_PREREQFUNC_OK;
	c->broken = e;
	return CURL_PREREQFUNC_ABORT;
}

static size_t take_body(char *bytes, size_t size, size_t n, void *call)
{
	struct http_call *c = call;
	n *= size;
	if (c->answer.len + n > c->max_answer_bytes && !(c->on_data && c->status == 200)) {
		c->too_large = true;
		return CURL_WRITEFUNC_ERROR;
	}
	bool long_answer = c->on_data && !c->stream && c->status == 200;
	c->paused = long_answer && c->answer.len >= CURL_PIECE_BYTES;
	if (c->paused)
		return CURL_WRITEFUNC_PAUSE;
	str_add_bytes(&c->answer, bytes, n);
	if (c->on_data && c->status == 200 && !c->has_data) {
		struct curl_mux *m = call_mux(c);
		c->has_data = true;
		c->next_ready = m->ready;
		m->ready = c;
	}
	return n;
}

/*
 * The text after "name:" on a header line, as a C string, truncated to room bytes. NULL
 * for another header.
 */
static const char *header_value(const char *line, size_t n, const char *name, char *out,
	size_t room)
{
	size_t skip = strlen(name);
	if (n <= skip || strncasecmp(line, name, skip) != 0 || line[skip] != ':')
		return NULL;
	for (skip++; skip < n && (line[skip] == ' ' || line[skip] == '\t'); skip++)
		;
	while (n > skip && (line[n - 1] == '\r' || line[n - 1] == '\n' || line[n - 1] == ' '))
		n--;
	n -= skip;
	if (n >= room)
		n = room - 1;
	memcpy(out, line + skip, n);
	out[n] = 0;
	return out;
}

static size_t take_header(char *bytes, size_t size, size_t n, void *call)
{
	struct http_call *c = call;
	char value[32];
	int64_t number;
	long status = 0;
	n *= size;
	if (n > 5 && memcmp(bytes, "HTTP/", 5) == 0) { /* resets the values of a 1xx answer */
		curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
		c->status = (int)status;
		c->retry_after_ms = -1;
		c->warning[0] = '\0';
	} else if (!c->warning[0] &&
		header_value(bytes, n, "Warning", c->warning, sizeof(c->warning))) {
		/* keep the first of several */
	} else if (header_value(bytes, n, "Retry-After", value, sizeof(value))) {
		if (str_to_i64(value, 0, 86400, &number))
			c->retry_after_ms = number * 1000;
	} else if (header_value(bytes, n, "Content-Length", value, sizeof(value)) && !c->on_data) {
		if (str_to_i64(value, 1, (int64_t)c->max_answer_bytes, &number)) {
			str_reserve(&c->answer, (size_t)number); /* one allocation */
			str_add(&c->answer, "");
		}
	}
	return n;
}

static size_t give_body(char *room, size_t size, size_t n, void *call)
{
	struct http_call *c = call;
	size_t left = c->body_bytes - c->body_sent;
	n *= size;
	if (n > left)
		n = left;
	memcpy(room, c->body + c->body_sent, n);
	c->body_sent += n;
	return n;
}

/*
 * Refuses to rewind the body of a POST. When a kept connection turns out to be dead,
 * libcurl sends a request again by itself, and asks here to rewind its body. A POST that
 * arrives twice is worse than a POST whose outcome is unknown, so it ends as ERR_LOST.
 */
static int rewind_body(void *call, curl_off_t offset, int origin)
{
	struct http_call *c = call;
	if (origin != SEEK_SET || offset < 0 || (size_t)offset > c->body_bytes ||
		str_eq(c->method, "POST"))
		return CURL_SEEKFUNC_FAIL;
	c->body_sent = (size_t)offset;
	return CURL_SEEKFUNC_OK;
}

static void set_blob(CURL *e, CURLoption option, const char *pem)
{
	struct curl_blob blob = { (void *)pem, pem ? strlen(pem) : 0, CURL_BLOB_NOCOPY };
	if (pem)
		curl_easy_setopt(e, option, &blob);
}

/* Trusts only our authorities. By default libcurl adds its built-in authorities. */
static void set_authorities(CURL *e, const char *ca_pem)
{
	if (!ca_pem)
		return;
	curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
	curl_easy_setopt(e, CURLOPT_CAINFO, NULL);
	set_blob(e, CURLOPT_CAINFO_BLOB, ca_pem);
}

/* False: this libcurl cannot check public keys. */
static bool set_identity(CURL *e, struct curl_http *h)
{
	set_authorities(e, h->ca_pem);
	set_blob(e, CURLOPT_SSLCERT_BLOB, h->cert_pem);
	set_blob(e, CURLOPT_SSLKEY_BLOB, h->key_pem);
	curl_easy_setopt(e, CURLOPT_SSLCERTTYPE, "PEM");
	curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, h->insecure ? 0L : 1L);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, h->insecure ? 0L : 2L);
	curl_easy_setopt(e, CURLOPT_CONNECT_TO, h->connect_to);
	curl_easy_setopt(e, CURLOPT_USERAGENT, h->user_agent);
	curl_easy_setopt(e, CURLOPT_UNIX_SOCKET_PATH, h->unix_socket);
	if (h->no_proxy)
		curl_easy_setopt(e, CURLOPT_PROXY, "");
	return !h->public_key ||
		curl_easy_setopt(e, CURLOPT_PINNEDPUBLICKEY, h->public_key) == CURLE_OK;
}

/* Makes an easy handle with the options that all requests of a destination share. */
static CURL *easy_new(struct curl_http *h)
{
	CURL *e = curl_easy_init();
	if (!e)
		return NULL;
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION,
		(long)(h->tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
	curl_easy_setopt(e, CURLOPT_PIPEWAIT, 1L);
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)CURL_CONNECT_TIMEOUT_MS);
	/*
	 * A user may name a server for which DNS gives no answer. Without this option
	 * libcurl would block us until its resolver thread ends.
	 */
	curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
	if (!h->tls) /* TLS connections are kept (curl_socket.c): they cost more */
		curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, (long)CURL_IDLE_S);
	curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, (long)CURL_UPLOAD_BUFFER_BYTES);
	curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(e, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
	curl_easy_setopt(e, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_EVERY_S);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, socket_open);
	curl_easy_setopt(e, CURLOPT_SOCKOPTFUNCTION, socket_opened);
	if (!h->tls && !h->unix_socket && h->listeners.remedy)
		curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, about_to_send);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(e, CURLOPT_READFUNCTION, give_body);
	curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, rewind_body);
	if (set_identity(e, h))
		return e;
	curl_easy_cleanup(e);
	return NULL;
}

CURL *easy_take(struct curl_http *h) { return h->n_idle ? h->idle[--h->n_idle] : easy_new(h); }

void easy_give_back(struct curl_http *h, CURL *easy)
{
	if (!easy)
		return;
	if (h->dead || h->n_idle == CURL_IDLE_HANDLES) {
		curl_easy_cleanup(easy);
		return;
	}
	/* leave no pointer to a freed call */
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, NULL);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, NULL);
	h->idle[h->n_idle++] = easy;
}

static bool add_header(struct http_call *c, const char *name, const char *value)
{
	AUTO(str_wipe) struct str line = { 0 };
	/* "Name;" is libcurl's form of a header with an empty value */
	str_addf(&line, str_empty(value) ? "%s;" : "%s: %s", name, value);
	struct curl_slist *longer = curl_slist_append(c->all_headers, str_text(&line));
	if (longer)
		c->all_headers = longer;
	return longer;
}

static bool add_headers(struct http_call *c)
{
	bool typed = !c->body;
	/* No 100-continue round trip before a long body */
	struct curl_slist *more = curl_slist_append(NULL, "Expect:");
	c->all_headers = more;
	if (!more)
		return false;
	for (const struct curl_slist *own = c->headers; own; own = own->next) {
		typed = typed || strncasecmp(own->data, "Content-Type:", 13) == 0;
		if (!curl_slist_append(c->all_headers, own->data))
			return false;
	}
	if (!typed && !add_header(c, "Content-Type", "application/json"))
		return false;
	if (!c->http->bearer)
		return true;
	AUTO(str_wipe) struct str bearer = { 0 };
	str_addf(&bearer, "Bearer %s", c->http->bearer);
	return add_header(c, "Authorization", str_text(&bearer));
}

static void set_method(CURL *e, struct http_call *c)
{
	bool body = c->body || str_eq(c->method, "POST");
	if (body) {
		curl_easy_setopt(e, CURLOPT_POST, 1L);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS, NULL);
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->body_bytes);
	} else {
		curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
	}
	/*
	 * Use a new connection for a request with an empty body, which rewind_body cannot
	 * refuse. libcurl never repeats a request on a new connection
	 */
	curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, body && c->body_bytes == 0 ? 1L : 0L);
	curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST,
		str_eq(c->method, body ? "POST" : "GET") ? NULL : c->method);
}

struct err easy_prepare(struct http_call *c)
{
	CURL *e = c->easy = easy_take(c->http);
	if (!e)
		return err_new(ERR_INTERNAL, "libcurl gave no easy handle");
	if (!add_headers(c))
		return err_new(ERR_INTERNAL, "libcurl did not take a header: out of memory");
	set_method(e, c);
	curl_easy_setopt(e, CURLOPT_URL, c->url);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, c->all_headers);
	curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)c->timeout_ms);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, c->curl_error);
	curl_easy_setopt(e, CURLOPT_PRIVATE, c);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, c);
	curl_easy_setopt(e, CURLOPT_PREREQDATA, c);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(e, CURLOPT_READDATA, c);
	curl_easy_setopt(e, CURLOPT_SEEKDATA, c);
	return OK;
}
