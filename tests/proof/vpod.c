/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pod of a virtual node and its job: nothing is submitted that could be forgotten, no
 * job is cancelled that no user wishes to end, and no pod goes while its job may run. For
 * every mapping of namespaces to accounts, a job that one red-box may have is asked of no
 * other, and no other answer counts. It holds for every value of every fact; there is no
 * loop.
 *
 * MUTATE_n: the same decision with one fact ignored. Each must be refuted.
 */
#include "plan/vnode/rule.h"

struct world {
	bool sent;   /* a submission was sent, or may be */
	bool runs;   /* Slurm has a job of it that waits or runs */
	bool coming; /* a submission that was sent may still be done */
	bool late;   /* one that was sent, perhaps by who is dead now, may come at any time */
	bool came;   /* such a one came after Slurm was asked last */
	bool wanted; /* its owner is there, and was not deleted */
	bool again;  /* Slurm was told to run it once more, after its end was told */
	bool left;   /* who deleted its owner has said that it stays */
	bool lacks;  /* its owner wishes inputs that are not there */
	bool holds;  /* what its owner asks to submit is here */
	/* The job has ended, and a slurmctld that is killed now would not know that */
	bool unsaved;
	/* Accounts: which red-box has a submission or may, and which one is asked */
	int has, asked;
	bool lacks_account; /* its namespace is to have one, and has none */
	bool heard;         /* the status of its owner says how it ended */
	bool by_hand;       /* a client removed the pod by force */
};

static struct vpod_facts later_facts(struct vpod_facts f)
{
#if defined(MUTATE_19) /* what slurmctld says it also has on its disk */
	f.end_kept = true;
#elif defined(MUTATE_20) /* what had ended before needs no second look */
	f.end_kept = f.ended ? true : f.end_kept;
#elif defined(MUTATE_35) /* what was sent long ago never comes */
	f.closed = f.asked_since = true;
#elif defined(MUTATE_36) /* what came before its key was closed is overlooked */
	f.asked_since = true;
#elif defined(MUTATE_21) /* who deletes its owner wishes the end of its job */
	f.orphaned = false;
#endif
	return f;
}

static struct vpod_facts inputs_facts(struct vpod_facts f)
{
#if defined(MUTATE_31) /* it is submitted before its inputs are there */
	f.inputs = f.inputs == VINPUTS_AWAITED ? VINPUTS_THERE : f.inputs;
#elif defined(MUTATE_32) /* an owner that was not read wishes no inputs */
	f.inputs = f.inputs == VINPUTS_UNKNOWN ? VINPUTS_NONE : f.inputs;
#elif defined(MUTATE_33) /* inputs that will never come are not needed */
	f.inputs = f.inputs == VINPUTS_FAILED ? VINPUTS_NONE : f.inputs;
#elif defined(MUTATE_34) /* inputs that are there are waited for */
	f.inputs = f.inputs == VINPUTS_THERE ? VINPUTS_AWAITED : f.inputs;
#endif
	return f;
}

static struct vpod_facts way_facts(struct vpod_facts f)
{
#if defined(MUTATE_41) /* an account that is not here is taken for the one of its namespace */
	f.way = f.way == VWAY_LOST ? VWAY_NOTED : f.way;
#elif defined(MUTATE_42) /* the same, before anything is submitted */
	f.way = f.way == VWAY_LOST ? VWAY_MAPPED : f.way;
#elif defined(MUTATE_43) /* a namespace without an account has that of the Slurm */
	f.way = f.way == VWAY_NONE ? VWAY_MAPPED : f.way;
#elif defined(MUTATE_44) /* what the mapping says needs no note */
	f.way = f.way == VWAY_MAPPED ? VWAY_NOTED : f.way;
	f.begun = f.way == VWAY_NOTED && f.asks && !f.deleting ? true : f.begun;
#elif defined(MUTATE_45) /* what the pod says is not known here */
	f.way = f.way == VWAY_NOTED ? VWAY_LOST : f.way;
#endif
	return f;
}

static struct vpod_facts read_facts(struct vpod_facts f)
{
#if defined(MUTATE_46) /* our watch is never behind */
	f.pod_read = true;
#elif defined(MUTATE_47) /* the same, of an owner that is still there */
	f.pod_read = f.owner == VOWNER_DELETING ? true : f.pod_read;
#elif defined(MUTATE_48) /* what is to be submitted need not be here */
	f.has_script = true;
#elif defined(MUTATE_49) /* what was read of the pod is read again and again */
	f.pod_read = false;
#endif
	return f;
}

static struct vpod_facts told_facts(struct vpod_facts f)
{
#if defined(MUTATE_50) /* what the pod says its owner has heard */
	f.end_told = f.ended ? true : f.end_told;
#elif defined(MUTATE_51) /* what goes need not be told */
	f.end_told = f.ended ? f.end_told : true;
#elif defined(MUTATE_52) /* an owner that was not read goes as well */
	f.end_told = f.owner == VOWNER_UNKNOWN ? true : f.end_told;
#elif defined(MUTATE_53) /* what was heard is waited for */
	f.end_told = false;
#elif defined(MUTATE_55) /* who removes a pod by force wishes nothing */
	f.taken = false;
#elif defined(MUTATE_56) /* what is gone was removed by force */
	f.taken = !f.there && !f.ended;
#elif defined(MUTATE_57) /* a kind that is not known for a moment has gone */
	f.unserved = true;
#elif defined(MUTATE_58) /* who can never hear is waited for */
	f.unserved = false;
#elif defined(MUTATE_59) /* what is refused has no other call */
	f.job = f.refused && f.job == VJOB_UNKNOWN ? VJOB_LOST : f.job;
#elif defined(MUTATE_54) /* an owner that goes is to hear it */
	f.owner = f.ended && f.owner == VOWNER_DELETING ? VOWNER_LIVE : f.owner;
#endif
	return f;
}

static enum vpod_step decision_under_proof(struct vpod_facts f)
{
	f = told_facts(read_facts(way_facts(inputs_facts(later_facts(f)))));
#if defined(MUTATE_1) /* a call under way is overlooked */
	f.in_flight = false;
#elif defined(MUTATE_2)  /* it is submitted before the pod says so */
	f.begun = f.deleting ? f.begun : true;
#elif defined(MUTATE_3)  /* what may have begun is taken for not begun */
	f.begun = false;
#elif defined(MUTATE_4)  /* no answer is read as: Slurm has none */
	f.none_sure = f.job == VJOB_UNKNOWN ? true : f.none_sure;
	f.job = f.job == VJOB_UNKNOWN ? VJOB_NONE : f.job;
#elif defined(MUTATE_5)  /* Slurm has none, though a submission is on its way */
	f.none_sure = true;
#elif defined(MUTATE_6)  /* what Kubernetes takes away is cancelled */
	f.disrupted = false;
#elif defined(MUTATE_7)  /* an owner that was not read is taken for gone */
	f.owner = f.owner == VOWNER_UNKNOWN ? VOWNER_GONE : f.owner;
#elif defined(MUTATE_8)  /* the job is cancelled, so it has ended */
	f.job = f.cancelled ? VJOB_ENDED : f.job;
#elif defined(MUTATE_9)  /* a deletion that was not asked for */
	f.deleting = true;
#elif defined(MUTATE_10) /* an owner that is being deleted still has its job submitted */
	f.owner = f.owner == VOWNER_DELETING ? VOWNER_LIVE : f.owner;
#elif defined(MUTATE_11) /* any pod is a job */
	f.asks = true;
#elif defined(MUTATE_12) /* another virtual node has run it, and it is run again */
	f.others = false;
#elif defined(MUTATE_13) /* what was refused is submitted again */
	f.refused = false;
#elif defined(MUTATE_14) /* a live job whose status says something is taken for ended */
	f.ended = f.job == VJOB_LIVE ? true : f.ended;
#elif defined(MUTATE_15) /* an object that has gone had no job */
	f.begun = f.there ? f.begun : false;
#elif defined(MUTATE_16) /* what has ended was looked at when it ended */
	f.looked = true;
#elif defined(MUTATE_17) /* what has ended does not run, whatever Slurm says */
	f.job = f.ended && f.job == VJOB_LIVE ? VJOB_ENDED : f.job;
#elif defined(MUTATE_18) /* a Slurm that is away holds up what has ended */
	f.unasked = false;
#endif
	return decide_vpod(&f);
}

#define IS_BOOL(b) __CPROVER_assume((b) == 0 || (b) == 1)

static void assume_bools(const struct vpod_facts *f, const struct world *w)
{
	IS_BOOL(f->in_flight);
	IS_BOOL(f->there);
	IS_BOOL(f->asks);
	IS_BOOL(f->owner_told);
	IS_BOOL(f->pod_read);
	IS_BOOL(f->has_script);
	IS_BOOL(w->holds);
	IS_BOOL(f->begun);
	IS_BOOL(f->has_id);
	IS_BOOL(f->others);
	IS_BOOL(f->ended);
	IS_BOOL(f->deleting);
	IS_BOOL(f->disrupted);
	IS_BOOL(f->none_sure);
	IS_BOOL(f->refused);
	IS_BOOL(f->cancelled);
	IS_BOOL(f->let_go);
	IS_BOOL(f->looked);
	IS_BOOL(f->unasked);
	IS_BOOL(f->end_kept);
	IS_BOOL(w->unsaved);
	IS_BOOL(f->orphaned);
	IS_BOOL(w->left);
	IS_BOOL(w->again);
	IS_BOOL(w->sent);
	IS_BOOL(w->runs);
	IS_BOOL(w->coming);
	IS_BOOL(w->late);
	IS_BOOL(w->came);
	IS_BOOL(f->closed);
	IS_BOOL(f->asked_since);
	IS_BOOL(w->wanted);
	IS_BOOL(w->lacks);
	IS_BOOL(w->lacks_account);
	__CPROVER_assume(f->way >= VWAY_NONE && f->way <= VWAY_LOST);
	__CPROVER_assume(f->inputs >= VINPUTS_UNKNOWN && f->inputs <= VINPUTS_FAILED);
	__CPROVER_assume(f->owner >= VOWNER_UNKNOWN && f->owner <= VOWNER_GONE);
	__CPROVER_assume(f->job >= VJOB_UNKNOWN && f->job <= VJOB_LOST);
}

static void assume_bools_of_ends(const struct vpod_facts *f, const struct world *w)
{
	IS_BOOL(f->end_told);
	IS_BOOL(f->unserved);
	IS_BOOL(f->taken);
	IS_BOOL(w->heard);
	IS_BOOL(w->by_hand);
}

/* How what is known hangs together with what has happened. */
static void assume_knowledge(const struct vpod_facts *f, const struct world *w)
{
	/* Nothing runs or comes that was not sent, nor is sent before the pod says so. */
	__CPROVER_assume(!(w->runs || w->coming || w->late || w->came) || w->sent);
	__CPROVER_assume(!w->sent || f->begun || f->others);
	/* An answer of Slurm is true while nothing is on its way; an old one was true. */
	bool old = w->again && f->ended && !f->looked;
	__CPROVER_assume(f->job != VJOB_ENDED || !(w->runs || w->coming) || old);
	__CPROVER_assume(f->job != VJOB_NONE || !w->runs || w->coming || old || w->came);
	/* Nothing new comes for a key whose job is known, nor for one that is closed. */
	bool unknown = f->job == VJOB_NONE || f->job == VJOB_UNKNOWN;
	__CPROVER_assume((!w->late && !w->came) || (f->begun && unknown));
	__CPROVER_assume(!w->late || !f->closed);
	__CPROVER_assume(!w->came || !(f->closed && f->asked_since));
	/* The next answer of red-box waits for what was begun before the closing. */
	bool none_after = f->closed && f->asked_since && f->job == VJOB_NONE;
	__CPROVER_assume(!none_after || !w->coming);
	__CPROVER_assume(!f->looked || f->job != VJOB_UNKNOWN);
	__CPROVER_assume(!w->again || w->sent);
	__CPROVER_assume(!f->none_sure || !w->coming);
	/* The end is of now; an end that was reported again later is on the disk. */
	__CPROVER_assume(!w->unsaved || (!w->runs && w->sent && f->job == VJOB_ENDED));
	__CPROVER_assume(!f->end_kept || !w->unsaved);
	/* The status has an end only of a job that has ended, or was never submitted. */
	__CPROVER_assume(!f->ended || !w->coming || f->job == VJOB_LOST);
	__CPROVER_assume(!f->ended || (!w->late && !w->came));
	__CPROVER_assume(!f->ended || !w->runs || f->job == VJOB_LOST || w->again);
	__CPROVER_assume(f->owner != VOWNER_LIVE || w->wanted);
	/* Where its owner goes, the pod says that it stays: read after that. */
	bool goes = f->owner == VOWNER_DELETING || f->owner == VOWNER_GONE;
	bool read = f->pod_read || !f->asks;
	__CPROVER_assume(!(w->left && f->begun && f->there && goes && read) || f->orphaned);
	__CPROVER_assume(!f->has_script || w->holds);
	__CPROVER_assume(!f->end_told || w->heard);
	__CPROVER_assume(!f->taken || (w->by_hand && !f->there && !f->ended));
	__CPROVER_assume(!f->owner_told || f->end_told);
	__CPROVER_assume(!f->orphaned || (f->begun && f->there && w->left));
	__CPROVER_assume((f->inputs != VINPUTS_NONE && f->inputs != VINPUTS_THERE) || !w->lacks);
	__CPROVER_assume((f->owner != VOWNER_DELETING && f->owner != VOWNER_GONE) || !w->wanted);
}

/* The note is written before the submission, and has the red-box that gets it. */
static void assume_accounts(const struct vpod_facts *f, const struct world *w)
{
	__CPROVER_assume(!(f->begun || f->others) || f->way == VWAY_NOTED || f->way == VWAY_LOST);
	__CPROVER_assume(f->way != VWAY_NOTED || w->asked == w->has);
	__CPROVER_assume(f->way != VWAY_NONE || w->lacks_account);
	__CPROVER_assume(f->way != VWAY_MAPPED || !w->lacks_account);
	/* A red-box that is not here has sent no answer, nor will it. */
	__CPROVER_assume(f->way != VWAY_LOST ||
		(f->job == VJOB_UNKNOWN && !f->looked && f->unasked && !f->cancelled));
}

static void assert_accounts(const struct vpod_facts *f, const struct world *w, enum vpod_step s)
{
	if (s == VPOD_SUBMIT || s == VPOD_ASK_JOB || s == VPOD_CANCEL || s == VPOD_CLOSE)
		__CPROVER_assert(w->asked == w->has && f->way == VWAY_NOTED,
			"only the red-box that the pod says is asked");
	if (s == VPOD_MARK)
		__CPROVER_assert(f->way == VWAY_MAPPED || f->way == VWAY_NOTED,
			"a submission is announced only where it can be made");
	if (s == VPOD_SUBMIT || s == VPOD_MARK || s == VPOD_AWAIT)
		__CPROVER_assert(f->way == VWAY_NOTED || !w->lacks_account, "no account, no job");
	if (f->way == VWAY_LOST && f->there && !f->deleting && !f->ended && !f->in_flight)
		__CPROVER_assert(s == VPOD_LEAVE, "without its red-box nothing is concluded");
	if (f->way == VWAY_NONE && f->there && !f->deleting && !f->ended && !f->in_flight)
		__CPROVER_assert(s == VPOD_REJECT, "who has no account hears so");
}

static void assert_who_goes(const struct vpod_facts *f, const struct world *w, enum vpod_step s)
{
	/* A pod that others have run has no known fact but the uid of its owner. */
	bool unseen = f->others && (!f->asks || !f->there);
	/* One look at what has ended is all that is promised. */
	bool unasked = f->ended && w->again && f->unasked && !f->looked;
	bool kept_by_owner = f->ended && w->again && w->wanted;
	if (s == VPOD_LET_GO || s == VPOD_FORGET)
		__CPROVER_assert(!w->runs || f->job == VJOB_LOST || unseen || unasked ||
				kept_by_owner || (s == VPOD_FORGET && w->wanted),
			"no pod goes while its job may run");
	/* An end before its deletion is Slurm's own, and was told. */
	bool own_end = f->ended && !(f->looked && f->cancelled);
	if (s == VPOD_LET_GO || s == VPOD_FORGET)
		__CPROVER_assert(!w->unsaved || unseen || own_end || kept_by_owner ||
				(f->disrupted && w->wanted) || (s == VPOD_FORGET && w->wanted),
			"nor while a cancellation may be forgotten");
	if (s == VPOD_FORGET && f->taken && f->begun && f->way == VWAY_NOTED)
		__CPROVER_assert((!w->runs && !w->coming && !w->late) || f->job == VJOB_LOST,
			"a job whose pod was removed by force is not forgotten");
	if (s == VPOD_LET_GO)
		__CPROVER_assert(f->deleting, "none goes that nobody deletes");
	if (s == VPOD_LET_GO)
		__CPROVER_assert(!w->wanted || w->heard || !f->asks || f->others || f->unserved,
			"an end is told before the pod goes");
	if (s == VPOD_LET_GO || s == VPOD_FORGET)
		__CPROVER_assert(!w->coming || f->job == VJOB_LOST || unseen ||
				(s == VPOD_FORGET && w->wanted),
			"nor while one may still come");
	if (s == VPOD_LET_GO || s == VPOD_FORGET)
		__CPROVER_assert(!w->late || (s == VPOD_FORGET && w->wanted), "however late");
}

static void assert_what_is_done(const struct vpod_facts *f, const struct world *w, enum vpod_step s)
{
	if (s == VPOD_SUBMIT) {
		__CPROVER_assert(f->begun, "the pod says so before");
		__CPROVER_assert(f->there && w->wanted && f->owner == VOWNER_LIVE,
			"only what somebody wishes");
		__CPROVER_assert(!f->refused && !f->ended, "not what has an end");
		__CPROVER_assert(f->job == VJOB_UNKNOWN || f->job == VJOB_NONE,
			"not what Slurm has");
		__CPROVER_assert(!w->lacks, "not before its inputs are there");
		__CPROVER_assert(w->holds, "nor without what is to be submitted");
	}
	if (s == VPOD_MARK)
		__CPROVER_assert(f->asks && w->wanted && !f->others && !w->lacks,
			"only a job, once, with its inputs");
	if (s == VPOD_CANCEL)
		__CPROVER_assert((f->begun || (f->others && f->asks)) &&
				(f->there ? f->deleting && !(f->disrupted && w->wanted)
					  : !w->wanted || w->by_hand),
			"only what somebody wishes to end");
	if (s == VPOD_CANCEL && f->there && f->begun && f->disrupted && !f->ended)
		__CPROVER_assert(!w->left, "nor what is to stay without its owner");
	if (s == VPOD_TELL && (f->job == VJOB_NONE || f->job == VJOB_UNKNOWN))
		__CPROVER_assert(!w->late && !w->coming && !w->runs,
			"that there is no job is told when none can come");
	if (s == VPOD_CLOSE)
		__CPROVER_assert(f->begun &&
				((f->refused && f->there && !f->ended) ||
					(f->job == VJOB_NONE &&
						(!w->wanted || w->by_hand ||
							(f->there && f->deleting &&
								!f->disrupted)))),
			"no job is kept from coming that somebody wishes");
	if (s == VPOD_REJECT || s == VPOD_AWAIT)
		__CPROVER_assert(!f->begun, "no job is told to have failed unasked");
	__CPROVER_assert(!f->in_flight || s == VPOD_WAIT, "one thing at a time");
}

/* The pod may go; first its owner gets its end, if it is still there, and can. */
static bool is_parting(const struct vpod_facts *f, enum vpod_step s)
{
	bool goes = f->owner == VOWNER_DELETING || f->owner == VOWNER_GONE;
	bool deaf = f->unserved && f->owner == VOWNER_UNKNOWN;
	if (!f->asks || f->others || goes || deaf || f->end_told)
		return s == VPOD_LET_GO;
	if (f->ended || f->owner == VOWNER_UNKNOWN)
		return s == VPOD_ASK_OWNER;
	return s == (f->begun ? VPOD_TELL : VPOD_REJECT);
}

static void assert_progress(const struct vpod_facts *f, enum vpod_step s)
{
	bool here = f->way == VWAY_MAPPED || f->way == VWAY_NOTED;
	bool quiet = f->there && !f->in_flight && !f->let_go && here;
	if (quiet && f->begun && f->deleting && !f->disrupted && !f->ended)
		__CPROVER_assert(s == VPOD_CANCEL || s == VPOD_ASK_JOB || s == VPOD_CLOSE ||
				is_parting(f, s),
			"a deletion goes on");
	if (quiet && f->begun && f->deleting && !f->disrupted && !f->ended && f->job == VJOB_NONE &&
		f->none_sure && f->closed && f->asked_since)
		__CPROVER_assert(is_parting(f, s), "until there is no job and none can come");
	if (f->ended && !f->in_flight && !f->let_go && f->deleting && f->there && f->unasked &&
		!f->looked && !f->disrupted)
		__CPROVER_assert(is_parting(f, s), "what has ended waits for its owner alone");
	if (quiet && f->asks && !f->begun && !f->deleting && !f->ended && !f->others &&
		f->owner == VOWNER_LIVE && vpod_has_inputs(f))
		__CPROVER_assert(s == VPOD_MARK, "a job begins");
	if (quiet && f->begun && !f->deleting && !f->ended && !f->refused && !f->has_id &&
		f->owner == VOWNER_LIVE && f->job == VJOB_UNKNOWN && vpod_has_inputs(f))
		__CPROVER_assert(s == (f->has_script ? VPOD_SUBMIT : VPOD_ASK_OWNER),
			"and is submitted");
	bool goes = f->owner == VOWNER_DELETING || f->owner == VOWNER_GONE;
	if (quiet && f->asks && f->begun && f->deleting && f->disrupted && !f->ended && goes &&
		!f->orphaned)
		__CPROVER_assert((s == VPOD_ASK_POD) == !f->pod_read,
			"what the pod says is read, once");
	if (s == VPOD_ASK_POD)
		__CPROVER_assert(f->there && f->asks && f->begun && !f->pod_read, "or not at all");
	if (quiet && f->begun && !f->deleting && !f->ended && f->job == VJOB_ENDED)
		__CPROVER_assert(s == VPOD_TELL, "and its end is told");
}

int main(void)
{
	struct vpod_facts f;
	struct world w;
	assume_bools(&f, &w);
	assume_bools_of_ends(&f, &w);
	assume_knowledge(&f, &w);
	assume_accounts(&f, &w);
	enum vpod_step s = decision_under_proof(f);
	assert_what_is_done(&f, &w, s);
	assert_who_goes(&f, &w, s);
	assert_progress(&f, s);
	assert_accounts(&f, &w, s);
	return 0;
}
