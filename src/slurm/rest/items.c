/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a long list while it arrives, and takes the memory for it from the quota. */
#include "slurm/rest/parts.h"

static void one(void *ctx, const struct json *item)
{
	struct answer_items *items = ctx;
	items->n++;
	items->each(items->ctx, item);
}

void items_free(struct answer_items *items)
{
	quota_give(items->quota, items->paid);
	items->paid = 0;
	json_list_free(items->list);
	items->list = NULL;
}

void items_begin(struct answer_items *items, struct slurm *s, size_t max_bytes)
{
	items_free(items);
	items->n = 0;
	items->err = OK;
	items->quota = s->quota;
	items->list = json_list_new(&(struct json_list_config){
		.key = items->key,
		.max_bytes = max_bytes,
		.max_item_bytes = SLURM_ITEM_BYTES,
		.max_item_values = SLURM_ITEM_VALUES,
		.max_rest_bytes = SLURM_REST_BYTES,
		.item = one,
		.ctx = items,
	});
}

bool items_take(struct answer_items *items, const char *bytes, size_t n)
{
	items->err = json_list_add(items->list, bytes, n);
	size_t kept = json_list_bytes(items->list);
	if (!failed(items->err) && kept > items->paid)
		items->err = quota_take_leaving(items->quota, kept - items->paid,
			items->spare ? *items->spare : 0);
	if (!failed(items->err) && kept > items->paid)
		items->paid = kept;
	return !failed(items->err);
}
