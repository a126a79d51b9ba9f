/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfig files, what credential plug-ins print, and the files of a service account.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "kube/config_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char folder[] = "/tmp/fuzz-XXXXXX", file[64];
static const char *const account_files[] = { "token", "namespace", "ca.crt" };

static void forget_folder(void)
{
	char path[64];
	unlink(file);
	for (size_t i = 0; i < LENGTH(account_files); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, account_files[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* An empty folder of our own: a name in the input finds nothing beside it. */
static void make_folder(void)
{
	if (file[0])
		return;
	if (!mkdtemp(folder))
		abort();
	snprintf(file, sizeof(file), "%s/kubeconfig", folder);
	atexit(forget_folder);
}

static void write_file(const char *name, const uint8_t *data, size_t n)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
		abort();
}

static void as_account(const uint8_t *data, size_t n)
{
	struct kube_config c = { 0 };
	AUTO(own_free) char *host = own_strndup((const char *)data, n < 80 ? n : 80), *token = NULL;
	int64_t expires_in_ms = -1;
	make_folder();
	for (size_t i = 0; i < LENGTH(account_files); i++)
		write_file(account_files[i], data, n);
	struct err e = config_from_account(folder, host, "443", NULL, &c);
	if (failed(e) != !c.server)
		abort();
	if (!failed(e))
		e = kube_config_token(&c, &token, &expires_in_ms);
	if (!failed(e) && token && strpbrk(token, "\r\n"))
		abort(); /* it would be a line of its own in the request */
	kube_config_free(&c);
}

static void as_kubeconfig(const uint8_t *data, size_t n)
{
	struct kube_config c = { 0 };
	make_folder();
	write_file("kubeconfig", data, n);
	struct err e = config_from_files(file, false, NULL, &c);
	if (!failed(e) && !c.server)
		abort();
	kube_config_free(&c);
}

static void as_credential(const uint8_t *data, size_t n)
{
	struct kube_config c = {
		.exec_api_version = own_strdup("client.authentication.k8s.io/v1"),
	};
	AUTO(own_free) char *token = NULL;
	int64_t expires_in_ms = -1;
	plugin_parse(&c, (const char *)data, n, &token, &expires_in_ms);
	kube_config_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* a file that it names is opened: none that would wait or never end */
	if (!memmem(data, n, "/dev", 4) && !memmem(data, n, "/proc", 5) &&
		!memmem(data, n, "..", 2))
		as_kubeconfig(data, n);
	as_credential(data, n);
	as_account(data, n);
	return 0;
}
