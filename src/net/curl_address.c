/* SPDX-License-Identifier: Apache-2.0 */
/* The address of a destination: a URL, or a unix socket. */
#include "net/curl_parts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "base/own.h"

bool text_clean(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/*
 * Whether host is a loopback address as libcurl writes it. A name does not count: it may
 * resolve to any address.
 */
static bool is_loopback(const char *host)
{
	struct in_addr v4;
	return str_eq(host, "[::1]") ||
		(inet_pton(AF_INET, host, &v4) == 1 && ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET);
}

static void free_curl_text(char **text) { curl_free(*text); }
static void free_curl_url(CURLU **url) { curl_url_cleanup(*url); }

/* With server_name, the URL gets that name, and connect_to maps it to the real host. */
static struct err read_base_url(struct curl_http *h, const struct http_config *config)
{
	AUTO(free_curl_url) CURLU *url = curl_url();
	AUTO(free_curl_text) char *scheme = NULL, *host = NULL, *port = NULL, *path = NULL;
	AUTO(str_free) struct str start = { 0 };
	if (!text_clean(config->base_url) ||
		curl_url_set(url, CURLUPART_URL, config->base_url, 0) != CURLUE_OK)
		return err_new(ERR_INVALID,
			"\"%s\" is no URL; it should look like https://host:port",
			config->base_url);
	curl_url_get(url, CURLUPART_SCHEME, &scheme, 0);
	curl_url_get(url, CURLUPART_HOST, &host, 0);
	curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
	curl_url_get(url, CURLUPART_PATH, &path, 0);
	if ((!str_eq(scheme, "https") && !str_eq(scheme, "http")) || str_empty(host))
		return err_new(ERR_INVALID, "\"%s\" should start with https:// or http://",
			config->base_url);
	h->tls = str_eq(scheme, "https");
	h->loopback = is_loopback(host);
	/* A proxy elsewhere cannot reach our own loopback */
	h->no_proxy = h->no_proxy || h->loopback || str_eq(host, "localhost");
	str_addf(&start, "%s://%s:%s", scheme,
		str_empty(config->server_name) ? host : config->server_name, port);
	if (path && path[1])
		str_addf(&start, "%.*s", (int)(strlen(path) - (path[strlen(path) - 1] == '/')),
			path);
	h->url_start = str_take(&start);
	if (str_empty(config->server_name))
		return OK;
	str_addf(&start, "%s:%s:%s:%s", config->server_name, port, host, port);
	h->connect_to = curl_slist_append(NULL, str_text(&start));
	return h->connect_to
		? OK
		: err_new(ERR_INTERNAL, "libcurl did not accept a host name: out of memory");
}

static struct err read_unix_socket(struct curl_http *h, const char *path)
{
	const size_t most = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
	if (!text_clean(path) || path[0] != '/' || strlen(path) > most)
		return err_new(ERR_INVALID,
			"\"unix:%s\" names no unix socket; it should be unix: and a path of at most %zu bytes that starts with /",
			path, most);
	if (h->refuse_local)
		return err_new(ERR_INVALID,
			"\"unix:%s\" is on the manager's own machine, and no connection may go there",
			path);
	h->unix_socket = own_strdup(path);
	h->url_start = own_strdup("http://localhost");
	h->no_proxy = true;
	return OK;
}

struct err destination_read(struct curl_http *h, const struct http_config *config)
{
	const char *url = config->base_url;
	return str_has_prefix(url, "unix:") ? read_unix_socket(h, url + strlen("unix:"))
					    : read_base_url(h, config);
}

void destination_free(struct curl_http *h)
{
	curl_slist_free_all(h->connect_to);
	free(h->url_start);
	free(h->unix_socket);
}

struct err http_curl_look(const char *base_url, enum http_way *out)
{
	struct curl_http h = { 0 };
	struct err e = destination_read(&h, &(struct http_config){ .base_url = base_url });
	*out = h.unix_socket ? HTTP_BY_SOCKET
		: h.tls      ? HTTP_BY_TLS
		: h.loopback ? HTTP_BY_LOOPBACK
			     : HTTP_IN_PLAIN_TEXT;
	destination_free(&h);
	return e;
}
