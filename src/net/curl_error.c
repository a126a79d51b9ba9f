/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the end of a transfer to an error for the caller. */
#include "net/curl_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* OpenSSL's messages for failed handshakes, and their meaning. */
static const struct {
	const char *said, *means;
	enum err_kind kind;
} handshakes[] = {
	{ "wrong version number", "the peer does not speak TLS on this port; is it plain http?",
		ERR_INVALID },
	{ "packet length too long", "the peer does not speak TLS on this port; is it plain http?",
		ERR_INVALID },
	{ "http request", "the peer does not speak TLS on this port; is it plain http?",
		ERR_INVALID },
	{ "certificate required", "the peer wants a client certificate and got none", ERR_DENIED },
	{ "bad certificate", "the peer refused our client certificate", ERR_DENIED },
	{ "unknown ca", "the peer does not trust the authority of our client certificate",
		ERR_DENIED },
	{ "certificate expired", "our client certificate has expired", ERR_DENIED },
	{ "SSL_ERROR_SYSCALL", "the peer ended the connection during the TLS handshake",
		ERR_RETRY },
	{ "unexpected eof", "the peer ended the connection during the TLS handshake", ERR_RETRY },
	{ "Connection reset", "the peer ended the connection during the TLS handshake", ERR_RETRY },
};

/* True if no byte of the request was sent. */
static bool nothing_sent(CURL *easy)
{
	curl_off_t began = 0;
	return curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &began) == CURLE_OK &&
		began == 0;
}

static enum err_kind kind_of(CURLcode code, bool unsent)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
		return ERR_RETRY;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
		return ERR_DENIED;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL: /* also for an answer without a status line */
	case CURLE_WEIRD_SERVER_REPLY:
		return ERR_INVALID;
	case CURLE_OUT_OF_MEMORY:
	case CURLE_FAILED_INIT:
		return ERR_INTERNAL;
	default:
		return unsent ? ERR_RETRY : ERR_LOST;
	}
}

static const char *meaning(CURLcode code, bool unsent)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return "the name of the host is not known";
	case CURLE_COULDNT_CONNECT:
		return "no connection";
	case CURLE_PEER_FAILED_VERIFICATION:
		return "the certificate of the peer is not trusted";
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
		return "the key of the peer is not the expected key";
	case CURLE_SSL_CONNECT_ERROR:
		return "the TLS handshake failed";
	case CURLE_SSL_CERTPROBLEM:
		return "our client certificate or its key is not usable";
	case CURLE_SSL_CACERT_BADFILE:
		return "the authorities to trust (CA) are not readable";
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		return "the peer does not speak HTTP";
	case CURLE_OPERATION_TIMEDOUT:
		return unsent ? "no connection in time" : "no answer in time";
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
		return "the connection ended before the answer was complete";
	case CURLE_SEND_FAIL_REWIND:
		return "the connection ended after the request was sent, and a second try could carry it out twice";
	default:
		return unsent ? "nothing was sent" : "no whole answer";
	}
}

/*
 * Whether the error may come from TLS. In TLS 1.3 a peer that rejects our certificate
 * sends its alert after the handshake, and libcurl reports a read error.
 */
static bool about_tls(CURLcode code)
{
	return code == CURLE_SSL_CONNECT_ERROR || code == CURLE_RECV_ERROR ||
		code == CURLE_SEND_ERROR;
}

static struct err of_handshake(const struct http_call *c)
{
	for (size_t i = 0; i < sizeof(handshakes) / sizeof(handshakes[0]); i++)
		if (strstr(c->curl_error, handshakes[i].said))
			return err_new(handshakes[i].kind, "%s (%s)", handshakes[i].means,
				c->curl_error);
	return OK;
}

/*
 * Whether the peer seems to speak TLS. Such a peer answers plain HTTP with a TLS alert,
 * or closes the connection.
 */
static bool looks_like_tls(const struct http_call *c, CURLcode code)
{
	return !c->http->tls && !c->http->unix_socket &&
		(code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY ||
			code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR);
}

/*
 * Removes the time from texts such as "Connection timed out after 5001 milliseconds", so
 * that equal errors have equal texts.
 */
static void without_times(const char *said, char out[static CURL_ERROR_SIZE])
{
	static const char mark[] = " after ";
	size_t n = 0;
	while (*said && n < CURL_ERROR_SIZE - 1) {
		size_t digits = strncmp(said, mark, strlen(mark)) == 0
			? strspn(said + strlen(mark), "0123456789")
			: 0;
		const char *unit = said + strlen(mark) + digits;
		size_t is = !digits                               ? 0
			: strncmp(unit, " milliseconds", 13) == 0 ? 13
			: strncmp(unit, " ms", 3) == 0            ? 3
								  : 0;
		if (is)
			said = unit + is;
		else
			out[n++] = *said++;
	}
	out[n] = '\0';
}

/*
 * Whether descriptors ran out. In that case libcurl and the resolver report a failed
 * connection or an unknown name.
 */
static bool descriptors_are_out(void)
{
	int fds[CURL_SPARE_FDS], n = 0;
	while (n < CURL_SPARE_FDS && (fds[n] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
		n++;
	bool out = n < CURL_SPARE_FDS && errno == EMFILE;
	while (n)
		close(fds[--n]);
	return out;
}

static struct err of_descriptors(void)
{
	struct rlimit files = { 0 };
	getrlimit(RLIMIT_NOFILE, &files);
	return err_new(ERR_RETRY,
		"no connection: too many open files; the limit of the process is %llu, raise it",
		(unsigned long long)files.rlim_cur);
}

static struct err of_transfer(struct http_call *c, CURLcode code)
{
	bool unsent = nothing_sent(c->easy);
	if (unsent && descriptors_are_out())
		return of_descriptors();
	struct err e = about_tls(code) && c->http->tls ? of_handshake(c) : OK;
	char detail[CURL_ERROR_SIZE];
	without_times(c->curl_error[0] ? c->curl_error : curl_easy_strerror(code), detail);

	if (failed(e) && (e.kind != ERR_RETRY || unsent))
		return e;
	return err_new(kind_of(code, unsent), "%s%s (%s)", meaning(code, unsent),
		looks_like_tls(c, code) ? "; should it be https?" : "", detail);
}

/*
 * Wraps the error without the query of the URL, which may hold secrets, and without
 * control characters.
 */
struct err call_error(const struct http_call *c, struct err e)
{
	const struct curl_http *h = c->http;
	const char *shown = h->unix_socket ? c->url + strlen(h->url_start) : c->url;
	size_t n = 0;
	while ((unsigned char)shown[n] > ' ' && shown[n] != '?')
		n++;
	return err_wrap(e, "%s %s%s%s%.*s", c->method, h->unix_socket ? "unix:" : "",
		h->unix_socket ? h->unix_socket : "", h->unix_socket ? " " : "", (int)n, shown);
}

struct err easy_outcome(struct http_call *c, CURLcode code)
{
	struct err e;
	if (code == CURLE_OK && c->status != 0)
		return OK;
	if (c->too_large)
		e = err_new(ERR_TOO_LARGE, "the answer is longer than %zu bytes",
			c->max_answer_bytes);
	else if (code == CURLE_OK)
		e = err_new(ERR_INVALID, "the peer does not speak HTTP");
	else if (failed(c->broken) &&
		(code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK))
		e = c->broken;
	else
		e = of_transfer(c, code);
	return call_error(c, e);
}
