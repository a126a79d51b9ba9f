/* SPDX-License-Identifier: Apache-2.0 */
/* The rules, and the messages when a rule is broken. */
#include "slurm/sbatch/container.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"

/* The largest numbers that sbatch accepts (or computes with) without an overflow. */
static const int64_t most[CONTAINER_NUMBERS] = {
	[CONTAINER_TIME] = 10 * 365 * INT64_C(86400),
	[CONTAINER_MEMORY] = 1000000000,
	[CONTAINER_NODES] = 1000000,
	[CONTAINER_CPUS] = 65000,
};

struct err container_check_number(enum container_number which, const char *field, int64_t value)
{
	if (value >= 0 && value <= most[which])
		return OK;
	return err_new(ERR_INVALID, "%s is %" PRId64 ": 0 to %" PRId64 " is wanted", field, value,
		most[which]);
}

struct err container_check_text(const char *field, const char *text)
{
	if (strlen(text) > CONTAINER_TEXT_BYTES)
		return err_new(ERR_INVALID, "%s has more than %d bytes", field,
			CONTAINER_TEXT_BYTES);
	for (const char *s = text; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			return err_new(ERR_INVALID,
				"%s holds a line break or another control character", field);
	return OK;
}

struct err container_check_image(const char *field, const char *image)
{
	struct err e = container_check_text(field, image);
	if (failed(e))
		return e;
	if (!*image)
		return err_new(ERR_INVALID,
			"%s is empty: an image is wanted, such as library://lolcow", field);
	if (*image == '-')
		return err_new(ERR_INVALID, "%s begins with \"-\", as an option does", field);
	if (str_has_prefix(image, CONTAINER_LOCAL) && image[strlen(CONTAINER_LOCAL)] != '/')
		return err_new(ERR_INVALID,
			"%s: an absolute path must follow local.file, such as local.file/home/u/a.sif",
			field);
	return OK;
}

struct err container_check_bind(const char *field, const char *bind)
{
	struct err e = container_check_text(field, bind);
	if (!failed(e) && !*bind)
		e = err_new(ERR_INVALID, "%s is empty: SOURCE[:PLACE] is wanted", field);
	return e;
}
