/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seeds that broke a promise once, each with the faults that it took and the test that
 * tells its story. The story is what holds: when the operator's requests change, the
 * faults of an old row meet other requests, and the row is only one more rough play.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/own.h"
#include "sim/sim_play.h"

enum { MOST_FAULTS = 64 };

static const struct once_broken {
	const char *promise, *story;
	uint64_t seed;
	const char *faults;
	const char *rough; /* NULL: none of it */
} rows[] = {
	{ "P6", "test_a_list_is_right_about_what_an_older_answer_touched_meanwhile", 1010846,
		"3767677260:watch-cut 2736530741:refused 3583324730:watch-delay" },
	{ "P1", "test_a_list_overtaken_by_a_single_read_is_no_base_for_a_304", 1015195,
		"3614422160:slow 2557229349:watch-cut 3467687947:lost-before "
		"3890379376:lost-before "
		"2742154542:lost-before 4036310172:slow 3716505565:slow 4006221601:lost-before "
		"2950915030:refused 2797050652:429 3373040645:refused 2354604580:lost-after "
		"2987785536:slow 3631134187:lost-before 4170253674:slow" },
	{ "P2", "an_answer_of_the_same_millisecond_may_be_older", 1052771,
		"2810271753:crash-after 3514306768:slow 4184191777:slow 3632910002:slow "
		"2237777161:500 3852357223:lost-before 4036310172:lost-before 2914044524:refused "
		"3520522669:slow 2784218658:lost-after" },
	{ "P6", "test_a_creation_whose_name_a_stranger_took_is_still_coming", 2092193,
		"3621868000:500 2492820417:crash-before 3550473393:refused 4110450765:500 "
		"3366824744:500 2354604580:500 3483652163:slow 3853508870:slow" },
	{ "P6", "p6_a_stray_a_moment_ago_cannot_be_known", 2093999,
		"3081250710:slow 3816638364:slow 4048820659:crash-after" },
	{ "P4", "test_a_pod_that_is_being_adopted_is_not_in_service_yet", 2110227,
		"3865578324:crash-after 3550473393:refused 3270085225:lost-before "
		"3463411169:watch-delay 2950969432:slow" },
	{ "P2", "an_answer_of_the_same_millisecond_may_be_older", 7051685,
		"2956643582:slow 3507118012:watch-cut 2552313658:503 2662925176:500 "
		"3718231747:crash-after 2448504071:slow 3829003018:crash-after 2495166822:slow "
		"3142401507:crash-after 3882506389:crash-after 2708386610:slow 3497168464:refused "
		"3460297958:slow" },
	{ "P2", "an_answer_of_the_same_millisecond_may_be_older", 7074801,
		"3816638364:429 2724461287:error-inside 2993514088:429 3853508870:lost-after "
		"3865578324:lost-after 2430121407:slow 2957753777:slow 4036310172:slow "
		"4110450765:slow 3092014700:slow" },
	{ "P2", "an_answer_of_the_same_millisecond_may_be_older", 7077649,
		"2186134074:crash-before 3301480261:crash-before 3105088679:slow "
		"3644490735:refused "
		"2552313658:refused 4034512735:slow 3853508870:lost-after 4010358317:refused "
		"2991922252:slow 2810407200:slow 2734940006:lost-after 2368674533:slow "
		"2197706454:slow" },
	{ "P4", "test_a_pod_that_is_being_adopted_is_not_in_service_yet", 7081357,
		"2251649160:refused 3485427978:lost-before 2430121407:lost-after "
		"2589055215:crash-after 2914044524:lost-before 2818998128:503 3644361786:429 "
		"3559168990:slow 3403695250:slow 4259175935:crash-after 4197265756:crash-after "
		"2177908148:crash-after 3007509698:crash-after 3141959185:crash-before "
		"4238911491:crash-after 3439861875:lost-before 2311518173:500 "
		"2308893715:crash-after "
		"4043092107:crash-after 3055144194:503 2577603431:slow 3669780508:lost-after "
		"4147321271:429 3716505565:slow 2760180146:slow" },
	{ "P6", "p6_a_stray_a_moment_ago_cannot_be_known", 7108613,
		"3614422160:slow 3621868000:500 2638629677:watch-cut 3816638364:slow" },
	{ "P6", "a_bookmark_comes_behind_what_it_vouches_for", 7108767,
		"2186134074:lost-after 3853508870:error-inside 2761331793:refused "
		"2884307965:refused "
		"2994919483:lost-before 3768187504:error-inside 2958048977:lost-after "
		"3144659432:lost-before 2417610042:lost-after 3105531001:lost-after "
		"3275945428:crash-before 2485374577:refused 2725085455:lost-after "
		"2380739536:lost-after 2270128018:lost-before 3632285834:lost-before "
		"4125172121:watch-cut 2780095112:watch-delay 2405545039:lost-after "
		"3166998858:lost-after 2438333231:slow 3718391500:lost-after 3672798722:lost-after "
		"2338640364:refused 3765211554:watch-delay 2709904983:watch-delay "
		"2449110240:refused "
		"3617729530:watch-cut" },
	{ "P8", "test_a_leader_decides_by_lists_that_it_has_asked_for_as_such", 1795631169906,
		"2413633800:refused 4037638267:lost-before 2945461190:lost-after "
		"2630970361:watch-delay",
		"=two-managers" },
	{ "P9", "test_a_deletion_that_is_on_its_way_is_given_no_claim", 1795632734074,
		"2186134074:error-inside 2251649160:error-inside 2283044196:error-inside "
		"2638833078:lost-after 2825423458:error-inside 3337597920:watch-delay "
		"2736530741:error-inside 2712370689:watch-delay 2773401247:error-inside "
		"2957753777:error-inside 2890706630:watch-delay 2773696447:lost-after "
		"2162041003:watch-delay 2682201541:watch-delay 2576979263:lost-before "
		"2788552952:lost-before 2306795123:watch-delay",
		"=stand-in claims two-clusters tokens" },
	{ "P1", "", 1000512,
		"2787339350:slow 4006221601:lost-before 2995341285:refused "
		"2824209856:lost-before 4161259374:lost-before 4043092107:503 "
		"2466991913:slow 3449780809:watch-cut 4260931941:watch-delay "
		"2224059811:watch-delay 2187189305:watch-delay 3279366382:watch-delay "
		"3227739249:refused 3264609755:lost-after 2449110240:429 "
		"2982554829:lost-before 3607914973:slow 3681655985:lost-before",
		"=typos" },
	{ "P6", "no_other_slurm_comes_before_a_frozen_manager_had_time_to_remember", 2008525,
		"2223004580:slow 2699924141:lost-after", "=stand-in two-managers" },
	{ "P1", "no_machine_that_comes_back_cuts_a_back_off_short", 3000033,
		"3485427978:refused 2810271753:429 2847142259:slow "
		"2430121407:slow 3828707818:refused 2385259185:refused "
		"3290459274:500 2957753777:refused 3514306768:lost-after "
		"4164075294:slow 3105235801:500 2344893278:slow "
		"3018273688:lost-after 2381763784:refused 2308022772:slow "
		"2503862419:slow 3584552379:slow 2455504796:500 "
		"3483652163:refused 3990127945:refused 2971691880:429 "
		"4076579411:watch-delay 3021272840:watch-delay 4110051184:429 "
		"3177775867:lost-after 3008562386:429 3371095994:watch-cut "
		"4043092107:500 3414137952:refused 3303526434:refused "
		"2303259353:slow 3340396940:500 2432572393:slow 3706651014:slow "
		"4098847655:slow 3997894596:watch-delay 3253434827:refused "
		"2766562500:slow 3253148016:slow 2613762572:slow "
		"3829424820:slow 2229518341:slow 3866295326:slow "
		"2798202299:refused 3321695418:500 2487611883:slow "
		"4050647856:slow 2377000365:slow 2803433006:500 2619080476:503 "
		"3267372930:slow",
		"=other-names typos autoscale" },
	{ "P1", "a_request_that_is_slow_is_refused_at_its_deadline", 4002123,
		"4036709753:lost-after 2981403182:slow 3818135283:429 "
		"2311518173:slow 3601940104:slow 2317734074:slow "
		"3409911151:slow 3504416811:slow",
		"=second-set claims typos" },
	{ "P6", "test_what_was_announced_is_done_beside_newer_nodes", 4013892,
		"2900940830:slow 2969261267:slow 2699924141:slow 2724461287:slow "
		"2736530741:slow 3580859024:watch-delay 3914495125:slow 2853836124:watch-cut "
		"2581626397:slow 3203886886:slow 2773401247:slow",
		"=slow-lists autoscale" },
	{ "P6", "test_a_node_that_was_forgotten_with_a_job_counts_as_busy", 4010521,
		"4123671866:slow 2736825941:500",
		"=restored-state two-clusters rollbacks autoscale" },
};

static bool row_holds(const struct once_broken *row)
{
	struct sim_fault list[MOST_FAULTS];
	long n = sim_faults_parse(row->faults, list, MOST_FAULTS);
	assert_true(n > 0);
	struct sim_play p = {
		.seed = row->seed,
		.faults = list,
		.n_faults = (size_t)n,
		.exact = true,
		.rough = row->rough ? row->rough : "=",
	};
	struct sim_played played = sim_play(&p);
	bool holds = !*played.promise;
	if (!holds)
		fprintf(stderr,
			"%s\nit broke %s once: %s\nreplay with: make test SEED=%llu "
			"FAULTS=\"%s\"\n",
			played.text, row->promise, row->story, (unsigned long long)row->seed,
			row->faults);
	sim_played_free(&played);
	return holds;
}

/* Acceptance: removal-20 */
static void every_seed_that_broke_a_promise_once_holds(void **state)
{
	(void)state;
	bool hold = true;
	for (size_t i = 0; i < LENGTH(rows); i++)
		hold &= row_holds(&rows[i]);
	assert_true(hold);
}

int main(void)
{
	log_set_level(LOG_ERROR + 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_seed_that_broke_a_promise_once_holds)
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
