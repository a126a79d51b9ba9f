/*
 * The protocol that lets a pod go or keeps it, as a model for SPIN: every order in which
 * its steps, its requests and the trouble around it can come. Each decision by itself is
 * proven on the real code (tests/proof); here is what can happen between a decision and
 * the arrival of what was decided.
 *
 * A slot is a name: the pod of that name, its successors, and the Slurm node of that
 * name. In it are
 *   the pod        in the API server: its life and its cordon; every write of it makes a
 *                  new version
 *   the slurmd     in the pod: whether it lives, and has registered
 *   the node       in Slurm: known or not, drained or not and with whose reason, and its
 *                  job. A job on two nodes is one on each
 *   the requests   on their way to either server
 *   the memory     of the operator: what it has seen of the pod, what Slurm has said in a
 *                  row, for which of its own requests it waits
 *
 * How requests come:
 * - Each arrives at any time after it was sent, in any order, also when its sender has
 *   died or has given up waiting; or never.
 * - A write or deletion of a pod names the version that its sender saw. When the pod
 *   changes, those on their way become void: here they are taken off at once. So one that
 *   comes twice does nothing the second time.
 * - A drain or an undrain names no version: Slurm knows no conditions. It comes once at
 *   most, but then it is done, however late.
 * - To ask Slurm and to send what follows from the answer is one step: an old answer is
 *   the same as a request that was longer on its way.
 *
 * One operator sends at a time (the lease). Another takes over at any moment, knows
 * nothing but what it reads, and meets what the last one left on its way.
 *
 * What is shown, for every order of at most TROUBLE pieces of trouble and JOBS jobs in
 * SLOTS slots:
 *   JOBS LIVE    the end of a pod that the operator deleted takes no job that has begun
 *                and not ended.
 *   DRAINS LIVE  no drain of an administrator is lifted.
 *   IT ENDS      without trouble all comes to rest (no cycle: -DNP -l), and then (judge)
 *                each condemned pod is gone, or holds a job that never ends; each other
 *                one runs, without a cordon of ours and without a drain of ours on its
 *                node.
 *
 * What nobody can keep, and what therefore is no broken promise here:
 * - An administrator resumes the node of a condemned pod after the operator's last look
 *   at it, while the deletion is on its way or the pod is ending: a job that starts
 *   because of this starts at his risk. slurmctld that comes back with an older save,
 *   without the drain, is the same.
 * - A drain is lifted by somebody else and set again, and in between a job has begun and
 *   is suspended, all between the answer about jobs and the last look: nothing that Slurm
 *   says tells this node from one that was drained all the time.
 * - An administrator drains a node while a drain or an undrain of ours is on its way to
 *   it: ours comes last. The same when he resumes it, or Slurm forgets it: the undrain can
 *   then lift the drain of a successor of which nobody knows that it needs a mark.
 * - Two undrains of a node are on their way, because two managers have died within
 *   SLURM_LATE_MS, and its pod is gone before the third one looks: the first that comes
 *   hides the second.
 * - A slurmd that registers later than the grace time after its start; or whose start the
 *   kubelet has not told yet, while a deletion is on its way.
 *
 * One thing is taken for granted: a time after which an update of Slurm without an answer
 * has arrived or is dead (SLURM_LATE_MS). Until then no deletion relies on a drain that one
 * of ours may lift (NO_UNDRAIN_COMES). That has to be known after a crash, too: an undrain
 * is sent only for a pod that bears a mark, which stays until none can come (MAY_CLEAR).
 * A manager heeds the marks that it found (HEEDED), and a pod that is made within that time has
 * the mark when its predecessor had it, or, if nobody saw that one, when its node is still drained
 * (BORN_MARKED). Here Slurm has always said whether it is; a manager that has had no answer yet makes
 * its first pods without the mark.
 *
 * Left out: drains without a reason (nobody can tell whose they are), two pods of
 * different names that name one node (no action for either).
 *
 * MUTATE_...: the same with one guard left out. Each must be refuted.
 */
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef TROUBLE
#define TROUBLE 5
#endif
#ifndef JOBS
#define JOBS 2
#endif

/* The life of a pod, as the API server knows it; its cordon, of the operator or of a user. */
mtype = { NONE, UNASSIGNED, ASSIGNED, RUNS, ENDED, GOING };
mtype = { NO_CORDON, OUR_CORDON, THEIR_CORDON };
/* A slurmd: mute is one that lives and will never register. */
mtype = { DEAD, STARTING, MUTE, SERVES };
/* A node: known by the name of the slot, or by another name but with the pod's address. */
mtype = { UNKNOWN_NODE, BY_NAME, BY_OTHER_NAME };
/* Whose reason its drain has; its job. */
mtype = { FREE, DRAINED_BY_US, DRAINED_BY_THEM };
mtype = { NO_JOB, RUNNING, SUSPENDED, COMPLETING };
/* An update of Slurm that the operator waits for; the unbroken row of Slurm's answers. */
mtype = { NOTHING, DRAIN, UNDRAIN };
mtype = { NOT_SAID, SAID_DRAINED, SAID_FREE_OF_JOBS };

typedef Slot {
	/* the wish */
	bool condemned;

	/* Kubernetes */
	mtype life = RUNS;
	mtype cordon = NO_CORDON;
	bool marked; /* returning: its drain is being lifted, or was when it was cordoned */
	bool heeded; /* the mark, by this life of the operator: it is not its own */
	bool told = true;            /* the kubelet has told of the last start */
	/* requests for this version of the pod; to mark it takes its cordon off */
	bool cordon_comes, mark_comes, clear_comes, delete_comes;

	/* the machine */
	mtype slurmd = SERVES;
	bool other_name;

	/* Slurm */
	mtype node = BY_NAME;
	mtype drain = FREE;
	mtype job = NO_JOB;
	byte drains, undrains;       /* requests on their way, of this life of the operator */
	byte old_undrains;           /* of one before */

	/* the operator's memory */
	mtype seen_life = RUNS;
	mtype seen_cordon = NO_CORDON;
	bool seen_marked;
	bool went_marked;            /* the last pod that it saw go had the mark */
	bool seen_newest = true;     /* what it has seen is the newest version */
	bool waits_for_pod;          /* for the answer to a write or deletion of its own */
	mtype waits_for_slurm = NOTHING;
	mtype row = NOT_SAID;

	/* for the promises only: nobody decides by these */
	bool resumed_late;    /* since the last look of a deletion that is not done yet */
	bool resumed_between; /* since the row of answers began, and unseen */
	bool at_his_risk, begun_between; /* the job, because of the one or the other */
	bool drained_beside; /* by an administrator, while an update of ours was on its way */
	bool resumed_beside; /* by somebody else, or by one of two of ours */
}

Slot slot[SLOTS];
byte trouble = TROUBLE;
byte jobs = JOBS;

#define S slot[s]
#define LIVES(life) (life == UNASSIGNED || life == ASSIGNED || life == RUNS)
#define ANY_TROUBLE (trouble > 0)

/* ---- the API server ---- */

/* What is on its way for the last version is void; what the operator has seen is old. */
inline new_version()
{
	S.cordon_comes = false;
	S.mark_comes = false;
	S.clear_comes = false;
#if !defined(MUTATE_NO_VERSION) && !defined(MUTATE_NO_UID)
	S.delete_comes = false;
	S.resumed_late = false;
#endif
	S.seen_newest = false;
}

/* The pod is no more, or a new one of its name: another uid. */
inline new_pod(a_life)
{
	S.life = a_life;
	S.cordon = NO_CORDON;
	S.marked = false;
	S.heeded = false;
	S.told = true;
	new_version();
#ifndef MUTATE_NO_UID
	S.delete_comes = false;
	S.resumed_late = false;
#endif
}

inline row_breaks()
{
	S.row = NOT_SAID;
	S.resumed_between = false;
}

/* The operator sees the pod as it is. */
inline see()
{
	if
	:: S.seen_life != S.life -> row_breaks()
	:: else
	fi;
	S.went_marked = S.life == NONE && (S.went_marked || S.seen_marked);
	S.seen_life = S.life;
	S.seen_cordon = S.cordon;
	S.seen_marked = S.marked;
	S.seen_newest = true;
}

/* The answer to a write is as good as the watch. */
inline answered()
{
	if
	:: S.waits_for_pod -> S.waits_for_pod = false; see()
	:: else
	fi
}

/* All processes of the pod end: what ran on it is lost. */
inline processes_end()
{
	S.slurmd = DEAD;
	S.job = NO_JOB;
	S.at_his_risk = false;
	S.begun_between = false;
}

inline undrained()
{
	assert(S.drain != DRAINED_BY_THEM || S.drained_beside); /* DRAINS LIVE */
	S.drain = FREE;
	S.drained_beside = false;
	S.resumed_late = S.resumed_late || (S.resumed_beside && (S.delete_comes || S.life == GOING))
}

/* By an administrator, or because Slurm forgets it. */
inline resumed() { S.resumed_beside = S.undrains + S.old_undrains > 0 }

proctype network(byte s)
{
end:
	do
	:: atomic { S.cordon_comes -> S.cordon = OUR_CORDON; new_version(); answered() }
	:: atomic { S.mark_comes -> S.cordon = NO_CORDON; S.marked = true; new_version(); answered() }
	:: atomic { S.clear_comes -> S.marked = false; new_version(); answered() }
	:: atomic { S.delete_comes && S.life != GOING ->
		bool late = S.resumed_late;
		S.delete_comes = false;
		if
		:: S.life == NONE
		:: S.life == UNASSIGNED || S.life == ENDED -> new_pod(NONE)
		:: S.life == ASSIGNED || S.life == RUNS ->
			S.life = GOING;
			new_version();
			S.resumed_late = late
		fi;
		late = false;
		answered() }
	:: atomic { S.drains > 0 ->
		S.drains--;
		if
		:: S.node == BY_NAME -> S.drain = DRAINED_BY_US
		:: else
		fi;
		if
		:: S.waits_for_slurm == DRAIN -> S.waits_for_slurm = NOTHING
		:: S.waits_for_slurm != DRAIN || S.drains > 0
		fi }
	:: atomic { S.undrains > 0 ->
		S.undrains--;
		undrained();
		if
		:: S.waits_for_slurm == UNDRAIN -> S.waits_for_slurm = NOTHING
		:: S.waits_for_slurm != UNDRAIN || S.undrains > 0
		fi }
	:: atomic { S.old_undrains > 0 -> S.old_undrains--; undrained() }
	:: atomic { S.old_undrains > 0 -> S.old_undrains-- } /* lost */
	od
}

/* ---- the operator ---- */

#ifdef MUTATE_NO_CORDON
#define LOCKED true
#else
/* Nothing is undrained for a version of the pod that carries a cordon, or that is yet to start. */
#define LOCKED (S.seen_cordon != NO_CORDON || S.seen_life == ASSIGNED)
#endif

#ifdef MUTATE_UNDRAIN_BEFORE_UNCORDON
#define UNLOCKED true
#define MARKED true
#else
#define UNLOCKED (S.seen_cordon == NO_CORDON)
#define MARKED S.seen_marked
#endif

/*
 * An undrain of this life is known until it is answered or dead. One of another life was sent
 * for a pod that bore the mark: this one, if it had it when this life began, or one before,
 * and then this one was made with the mark. A mark that this life has set tells nothing.
 */
#if defined(MUTATE_LATE_UNDRAIN)
#define NO_UNDRAIN_COMES (S.waits_for_slurm != UNDRAIN)
#elif defined(MUTATE_NO_MARK)
#define NO_UNDRAIN_COMES (S.undrains == 0)
#else
#define NO_UNDRAIN_COMES (S.undrains == 0 && (S.old_undrains == 0 || !(S.seen_marked && S.heeded)))
#endif

/*
 * While an undrain of another life may be on its way, a new pod has the mark when its predecessor
 * was seen with it, or, if nobody saw that one, when the node is still drained.
 */
#ifdef MUTATE_UNMARKED_SUCCESSOR
#define BORN_MARKED false
#else
#define STILL_DRAINED (S.node == BY_NAME && S.drain != FREE)
#define UNDRAIN_COMES (S.undrains + S.old_undrains > 0)
#define BORN_MARKED (UNDRAIN_COMES && (STILL_DRAINED || S.went_marked))
#endif

/* None is made while an undrain of this life is on its way. */
#define MAY_MAKE (S.undrains == 0 || S.drain == FREE)

/* Which marks a new life of the operator heeds. */
#ifdef MUTATE_MARK_NOT_HEEDED
#define HEEDED false
#else
#define HEEDED S.marked
#endif

/* The mark is the proof, so it stays until no update of ours can come. */
#ifdef MUTATE_MARK_CLEARED_EARLY
#define MAY_CLEAR true
#else
#define MAY_CLEAR (S.drains + S.undrains + S.old_undrains == 0)
#endif

#ifdef MUTATE_FOREIGN_REASON
#define OUR_DRAIN (S.drain != FREE)
#else
#define OUR_DRAIN (S.drain == DRAINED_BY_US)
#endif

#ifdef MUTATE_JOBS_ASKED_EARLY
#define JOBS_MAY_BE_ASKED true
#else
#define JOBS_MAY_BE_ASKED (S.row == SAID_DRAINED)
#endif

#ifdef MUTATE_JOBS_NOT_ASKED
#define FREE_OF_JOBS (S.row != NOT_SAID)
#else
#define FREE_OF_JOBS (S.row == SAID_FREE_OF_JOBS)
#endif

#ifdef MUTATE_NO_LOOK
#define LOOKS_DRAINED true
#else
#define LOOKS_IDLE (S.job == NO_JOB || S.job == SUSPENDED)
#define LOOKS_DRAINED (S.node == BY_NAME && S.drain != FREE && LOOKS_IDLE)
#endif

#if defined(MUTATE_SILENCE_IS_ABSENCE)
#define NOT_THERE true
#elif defined(MUTATE_NO_ADDRESS)
#define NOT_THERE (S.node != BY_NAME)
#else
#define NOT_THERE (S.node == UNKNOWN_NODE)
#endif

#ifdef MUTATE_ABSENCE_NEVER_COUNTS
#define ABSENCE_COUNTS false
#else
#define ABSENCE_COUNTS true
#endif

#ifdef MUTATE_NO_GRACE
#define GRACE_IS_OVER true
#else
#define GRACE_IS_OVER !(S.slurmd == STARTING && S.told)
#endif

#define WRITE_COMES (S.cordon_comes || S.mark_comes || S.clear_comes || S.delete_comes)
#define NO_UPDATE (S.waits_for_slurm == NOTHING) /* none of ours that is not answered */
#define SAID_SO (FREE_OF_JOBS && NO_UPDATE && NO_UNDRAIN_COMES)
#define ABSENT (S.seen_life != UNASSIGNED && NOT_THERE && GRACE_IS_OVER && ABSENCE_COUNTS)
/* A version that is not the newest need not be written: the write would fail. */
#define MAY_WRITE (S.seen_newest && !S.waits_for_pod)
#define GOES (S.condemned && LIVES(S.seen_life))
#define CORDONED_BY_USER (LIVES(S.seen_life) && S.seen_cordon == THEIR_CORDON)
#ifdef MUTATE_OLD_WISH
#define STAYS LIVES(S.seen_life)
#else
#define STAYS (!S.condemned && LIVES(S.seen_life))
#endif

inline send_delete()
{
	S.delete_comes = true;
	S.waits_for_pod = true;
	/* A job begun between the answer about jobs and this look, and suspended since, is not seen. */
	S.at_his_risk = S.at_his_risk || (S.job == SUSPENDED && S.begun_between);
	S.resumed_late = false;
}

proctype operator(byte s)
{
end:
	do
	:: atomic { !S.seen_newest && !S.waits_for_pod -> see() }
	:: atomic { !S.condemned && S.seen_life == NONE && MAY_WRITE && MAY_MAKE ->
		new_pod(UNASSIGNED);
		S.marked = BORN_MARKED;
		S.heeded = S.marked;
		see() }

	/* a pod that is to go */
	:: atomic { GOES && MAY_WRITE && S.seen_cordon == NO_CORDON && !S.cordon_comes ->
		S.cordon_comes = true; S.waits_for_pod = true }
	:: atomic { (GOES || CORDONED_BY_USER) && NO_UPDATE && S.node == BY_NAME && S.drain == FREE ->
		row_breaks(); S.drains++; S.waits_for_slurm = DRAIN }
	:: atomic { GOES && S.row == NOT_SAID && S.node == BY_NAME && S.drain != FREE && NO_UPDATE &&
		NO_UNDRAIN_COMES ->
		S.row = SAID_DRAINED }
	:: atomic { S.row != NOT_SAID && (S.node != BY_NAME || S.drain == FREE) -> row_breaks() }
	:: atomic { GOES && JOBS_MAY_BE_ASKED && S.job == NO_JOB -> S.row = SAID_FREE_OF_JOBS }
	:: atomic { GOES && MAY_WRITE && LOCKED && SAID_SO && LOOKS_DRAINED -> send_delete() }
	:: atomic { GOES && MAY_WRITE && LOCKED && ABSENT -> send_delete() }
	:: atomic { GOES && MAY_WRITE && S.seen_life == UNASSIGNED -> send_delete() }
	:: atomic { S.seen_life == ENDED && MAY_WRITE -> send_delete() }

	/* a pod that stays */
	:: atomic { STAYS && MAY_WRITE && S.seen_cordon == OUR_CORDON && !S.mark_comes ->
		S.mark_comes = true; S.waits_for_pod = true }
	:: atomic { STAYS && MAY_WRITE && UNLOCKED && !S.seen_marked && S.seen_life == RUNS &&
		!S.mark_comes && S.node == BY_NAME && OUR_DRAIN ->
		S.mark_comes = true; S.waits_for_pod = true }
	:: atomic { STAYS && MAY_WRITE && S.seen_cordon == NO_CORDON && S.seen_marked &&
		!S.clear_comes && !(S.node == BY_NAME && OUR_DRAIN) && NO_UPDATE && MAY_CLEAR ->
		S.clear_comes = true; S.waits_for_pod = true }
	:: atomic { STAYS && !S.waits_for_pod && UNLOCKED && MARKED && S.seen_life == RUNS &&
		NO_UPDATE && S.undrains == 0 && S.node == BY_NAME && OUR_DRAIN ->
		row_breaks(); S.undrains++; S.waits_for_slurm = UNDRAIN }

	/* an answer does not come in time: the request may be on its way, or lost */
	:: atomic { S.waits_for_pod && ANY_TROUBLE -> trouble--; S.waits_for_pod = false }
	:: atomic { S.waits_for_pod && ANY_TROUBLE ->
		trouble--;
		S.waits_for_pod = false;
		S.cordon_comes = false;
		S.mark_comes = false;
		S.clear_comes = false;
		S.delete_comes = false }
	:: atomic { S.waits_for_pod && !WRITE_COMES -> S.waits_for_pod = false } /* it was void */
	:: atomic { S.waits_for_slurm != NOTHING && ANY_TROUBLE ->
		trouble--; S.waits_for_slurm = NOTHING }
	:: atomic { S.waits_for_slurm == DRAIN && ANY_TROUBLE ->
		trouble--; S.waits_for_slurm = NOTHING; S.drains-- }
	:: atomic { S.waits_for_slurm == UNDRAIN && ANY_TROUBLE ->
		trouble--; S.waits_for_slurm = NOTHING; S.undrains-- }
	od
}

/* Two undrains were sent, and one of them may have come. */
#define TWO_LIFTS (S.old_undrains > 1 || (S.old_undrains > 0 && S.drain == FREE))

/* It crashes, or another one takes over. Whoever begins reads everything first. */
proctype lease()
{
	byte s;
end:
	do
	:: atomic { ANY_TROUBLE ->
		trouble--;
		s = 0;
		do
		:: s < SLOTS ->
			row_breaks();
			S.waits_for_pod = false;
			S.waits_for_slurm = NOTHING;
			S.old_undrains = S.old_undrains + S.undrains;
			S.resumed_beside = S.resumed_beside || (S.life == NONE && TWO_LIFTS);
			S.undrains = 0;
			S.heeded = HEEDED;
			see();
			S.went_marked = false;
			s++
		:: else -> break
		od;
		s = 0 }
	od
}

/* ---- the kubelet ---- */

proctype kubelet(byte s)
{
end:
	do
	:: atomic { S.life == UNASSIGNED -> S.life = ASSIGNED; new_version() }
	:: atomic { S.life == ASSIGNED && S.slurmd == DEAD -> S.slurmd = STARTING; S.told = false }
	:: atomic { S.life == ASSIGNED && S.slurmd != DEAD ->
		S.life = RUNS; S.told = true; new_version() }
	:: atomic { S.life == RUNS && !S.told -> S.told = true; new_version() }
	:: atomic { S.life == RUNS && S.told && ANY_TROUBLE ->
		trouble--; processes_end(); S.slurmd = STARTING; S.told = false } /* a restart */
	:: atomic { (S.life == RUNS || S.life == ASSIGNED) && ANY_TROUBLE ->
		trouble--; processes_end(); S.life = ENDED; new_version() }
	:: atomic { S.life == GOING ->
		assert(S.job == NO_JOB || S.at_his_risk); /* JOBS LIVE */
		processes_end();
		new_pod(NONE);
		S.delete_comes = false;
		S.resumed_late = false }
	od
}

/* ---- Slurm ---- */

proctype slurm(byte s)
{
end:
	do
	:: atomic { S.slurmd == STARTING && (S.told || !(S.delete_comes || S.life == GOING)) ->
		S.slurmd = SERVES;
		if
		:: S.other_name -> S.node = BY_OTHER_NAME
		:: else -> S.node = BY_NAME
		fi }
	:: atomic { S.slurmd == STARTING -> S.slurmd = MUTE }
	:: atomic { S.slurmd == SERVES && S.job == NO_JOB && jobs > 0 &&
		(S.drain == FREE || S.other_name) ->
		jobs--;
		S.job = RUNNING;
		S.at_his_risk = S.resumed_late;
		S.begun_between = S.resumed_between }
	:: atomic { S.job == RUNNING -> S.job = COMPLETING }
	:: atomic { S.job == COMPLETING ->
		S.job = NO_JOB; S.at_his_risk = false; S.begun_between = false }
	:: atomic { S.job == RUNNING && ANY_TROUBLE -> trouble--; S.job = SUSPENDED }
	:: atomic { S.job == SUSPENDED && ANY_TROUBLE -> trouble--; S.job = RUNNING }
	/* It forgets a dynamic node, whose slurmd registers again only when restarted. */
	:: atomic { S.slurmd == SERVES && ANY_TROUBLE ->
		trouble--;
		S.slurmd = MUTE;
		S.resumed_between = S.row != NOT_SAID;
		resumed();
		S.node = UNKNOWN_NODE;
		S.drain = FREE;
		S.job = NO_JOB; S.at_his_risk = false; S.begun_between = false }
	od
}

/* ---- people, and the garbage collector ---- */

proctype people(byte s)
{
end:
	do
	:: atomic { ANY_TROUBLE -> trouble--; S.condemned = !S.condemned }
	:: atomic { S.node == BY_NAME && S.drain != DRAINED_BY_THEM && ANY_TROUBLE ->
		trouble--;
		S.drain = DRAINED_BY_THEM;
		S.drained_beside = S.drains + S.undrains + S.old_undrains > 0 }
	/* an administrator resumes the node; or slurmctld comes back with an older save */
	:: atomic { S.node == BY_NAME && S.drain != FREE && ANY_TROUBLE ->
		trouble--;
		S.drain = FREE;
		resumed();
		S.resumed_late = S.delete_comes || S.life == GOING;
		S.resumed_between = S.row != NOT_SAID }
	/* somebody cordons the pod, takes a cordon away, writes something else, or deletes the pod */
	:: atomic { LIVES(S.life) && S.cordon != THEIR_CORDON && ANY_TROUBLE ->
		trouble--; S.cordon = THEIR_CORDON; new_version() }
	:: atomic { LIVES(S.life) && S.cordon != NO_CORDON && ANY_TROUBLE ->
		trouble--; S.cordon = NO_CORDON; new_version() }
	:: atomic { S.life != NONE && S.life != GOING && ANY_TROUBLE -> trouble--; new_version() }
	:: atomic { S.life != NONE && S.life != GOING && ANY_TROUBLE ->
		trouble--; processes_end(); new_pod(NONE) }
	od
}

#define AS_CONDEMNED (S.life == NONE || S.job == SUSPENDED || S.node == BY_OTHER_NAME)
#define AS_CORDONED (S.cordon == THEIR_CORDON && (S.node != BY_NAME || S.drain != FREE))
#define OUR_DRAIN_IS_LEFT (S.node == BY_NAME && S.drain == DRAINED_BY_US)
#define AS_IN_SERVICE (S.cordon == NO_CORDON && !S.marked && !OUR_DRAIN_IS_LEFT)
#define AS_KEPT (S.life == RUNS && (AS_CORDONED || AS_IN_SERVICE))
#define AT_REST_AS_WISHED (S.condemned -> AS_CONDEMNED : AS_KEPT)

proctype judge()
{
	byte s;
	timeout;
	atomic {
		do
		:: s < SLOTS -> assert(AT_REST_AS_WISHED); s++
		:: else -> break
		od
	}
}

init {
	byte s;
	atomic {
		do
		:: s < SLOTS ->
			if
			:: S.other_name = false
			:: S.other_name = true; S.node = BY_OTHER_NAME
			fi;
			run network(s); run operator(s); run kubelet(s); run slurm(s); run people(s);
			s++
		:: else -> break
		od;
		s = 0;
		run lease();
		run judge()
	}
}
