/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The share of one quota (base/budget.h), as base/budget.c takes it: each quota can take
 * what it has in any case, none has more than half or that, and any group of quotas
 * together has no more than the budget and what each of it was to have in any case. The
 * last is shown for a quota that takes, and whatever group it is in: what the others of
 * the group have is within these bounds before, and giving back or being granted less
 * makes nothing larger. There is no loop and no bound but on the size of numbers.
 *
 * MUTATE_n: the same share with one thing counted wrongly. Each must be refuted.
 */
#include "base/budget.h"

static size_t share_under_proof(size_t limit, size_t of_others, size_t least)
{
#if defined(MUTATE_1) /* one alone may have everything */
	return budget_share(2 * limit, of_others, least);
#elif defined(MUTATE_2) /* what others have is overlooked */
	return budget_share(limit, 0, least);
#elif defined(MUTATE_3) /* nothing is for everybody */
	return budget_share(limit, of_others, 0);
#elif defined(MUTATE_4) /* half of what others have is overlooked */
	return budget_share(limit, of_others / 2, least);
#else
	return budget_share(limit, of_others, least);
#endif
}

int main(void)
{
	const size_t most = 1 << 20; /* of anything: say, kB */
	size_t limit, used, bytes, least, best, in_group, best_in_group, outside;
	__CPROVER_assume(limit <= most && used <= most && bytes <= most && least <= most);
	__CPROVER_assume(in_group <= most && best_in_group <= most && outside <= most);
	__CPROVER_assume(best >= least && best <= most); /* it may have been granted more before */
	__CPROVER_assume(in_group <= limit + best_in_group);

	size_t share = share_under_proof(limit, in_group + outside, least);
	bool taken = used <= share && bytes <= share - used; /* quota_has_room */
	size_t after = used + (taken ? bytes : 0);

	__CPROVER_assert(taken || used > least || bytes > least - used,
		"nobody is kept from what he has in any case");
	__CPROVER_assert(!taken || after <= least || after <= limit / 2,
		"nobody has more than half, and than he has in any case");
	__CPROVER_assert(!taken || after + in_group <= limit + best + best_in_group,
		"a group has the budget, and what each was to have in any case");
	return 0;
}
