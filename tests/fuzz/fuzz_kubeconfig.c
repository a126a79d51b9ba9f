/* kubeconfig files and what credential plug-ins print. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "kube/config_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char folder[] = "/tmp/fuzz-XXXXXX", file[64];

static void forget_folder(void)
{
	unlink(file);
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

static void as_kubeconfig(const uint8_t *data, size_t n)
{
	struct kube_config c = { 0 };
	FILE *f;

	make_folder();
	f = fopen(file, "w");
	if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
		abort();
	struct err e = config_from_files(file, false, NULL, &c);
	if (!failed(e) && !c.server)
		abort();
	kube_config_free(&c);
}

static void as_credential(const uint8_t *data, size_t n)
{
	struct kube_config c = { .exec_api_version = own_strdup("client.authentication.k8s.io/v1") };
	AUTO(own_free) char *token = NULL;
	int64_t expires_in_ms = -1;

	plugin_parse(&c, (const char *)data, n, &token, &expires_in_ms);
	kube_config_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* a file that it names is opened: none that would wait or never end */
	if (!memmem(data, n, "/dev", 4) && !memmem(data, n, "/proc", 5) && !memmem(data, n, "..", 2))
		as_kubeconfig(data, n);
	as_credential(data, n);
	return 0;
}
