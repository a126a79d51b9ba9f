"""What sacct says of a script that sbatch took, beside what its SlurmJob says: pure functions of both."""
import dataclasses
import re

HOME = re.compile(r"/tmp/scripts-[^/]+/home/[ks]\b")
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
RUN = [  # what is another one in each run
    (r"<([a-z]+):[^>]*>", r"<\1>"), (HOME, "HOME"), (TIME, "TIME"), (r"/tmp/scripts-[^/]+/spool-n\d/job\d+", "SPOOL"), (r"\b(JOB|STEP|[Jj]ob|JobId=|StepId=|JobID=)( ?)\d+", r"\1\2ID"), (r"\bn[1-5]\b", "NODE"),
    (r"(line \d+:) +\d+ ", r"\1 PID "), (r"slurmstepd(-NODE)?", "slurmstepd"), (r"\[NODE(:\d+)?\]", "[NODE]"), (r"-chain-[ks]-", "-chain-"), (r"srun: (job|Job) \d+", "srun: job ID"),
    (r"(?m)^(.*line \d+: PID )?(Terminated|Killed)\b.*\n", ""),  # a shell says so of a child, or is not in time to
]


def plain(text, ids=()):
    for pattern, by in RUN:
        text = re.sub(pattern, by, text)
    for number in sorted(ids, reverse=True):
        text = re.sub(rf"(?<![0-9])0*{number}(?![0-9])", "ID", text)
    return text


# ---------------------------------------------------------------- how it ended

@dataclasses.dataclass
class End:
    """What a user is told."""
    status: str
    word: str
    code: int
    requeues: int = 0
    counts: dict = None


def exit_code(text):
    code, by = map(int, text.split(":"))
    return code or (128 + by if by else 0)


def counts_of(records, tasks):
    """sacct has no record of a task that was cancelled while it waited: of an array that had more tasks the others have failed (docs/virtual-node.md, Status of the pod)."""
    good = sum(record.tasks() for record in records if record.word() == "COMPLETED")
    return {"succeeded": good, "failed": tasks - good}


# slurmctld tells the accounts of these ends before the script has ended: they have 0:0, "scontrol show job" the signal. And it tells them 1:0 of a script that SIGHUP has ended (0:1).
ENDED_FROM_OUTSIDE = ("CANCELLED", "TIMEOUT", "DEADLINE", "NODE_FAIL", "PREEMPTED")


def ends_of(records, tasks, codes):
    """Each End that would be right: of an array it is that of any task that failed. codes: what slurmctld said of each."""
    bad = [record for record in records if record.word() != "COMPLETED"]
    counts = counts_of(records, tasks) if tasks else None
    if tasks and not bad and counts["failed"]:  # who never saw the task does not know that there was one: it is as sacct says
        return [End("Failed", "CANCELLED", 0, counts=counts), End("Succeeded", "COMPLETED", 0, counts={**counts, "failed": 0})]
    found = []
    for record in bad or records:
        by_controller = codes.get(int(record["JobIDRaw"]), record["ExitCode"])
        said = [record["ExitCode"]] + [by_controller] * (record.word() in ENDED_FROM_OUTSIDE or by_controller == "0:1")
        for code in {exit_code(one) if bad else 0 for one in said}:
            found.append(End("Failed" if bad else "Succeeded", record.word(), code, 0 if tasks else int(record["Restarts"] or 0), counts))
    return found


def end_of(status):
    counts = status.get("array")
    return End(status.get("status"), status.get("slurmState"), status.get("exitCode"), status.get("requeues", 0), counts and {word: counts.get(word, 0) for word in ("succeeded", "failed")})


# ---------------------------------------------------------------- what was refused

@dataclasses.dataclass
class Row:
    reason: str     # of the SlurmJob
    ends: bool      # else it waits
    sentence: bool  # it has that of sbatch
    why: str


# A SlurmJob may differ from sbatch so. Nothing else may.
REFUSED = [
    Row("sbatch submitted nothing", True, False, "--test-only, --help and the like: sbatch refuses nothing and submits nothing, and that is told"),
    Row("SubmissionRefused", True, True, "Slurm refuses it for good, and its sentence is told"),
    Row("InvalidScript", True, False, "the manager reads the script before it makes a pod: its sentence has the line (docs/slurmjob.md, Accepted)"),
    Row("SubmissionDelayed", False, True, "a refusal for now is tried again (docs/virtual-node.md#refusals)"),
    Row("NoPartitionFits", False, False, "it waits for a partition that takes it (docs/slurmjob.md#when-no-partition-fits)"),
]


def message_of(status, kind="Ended"):
    return next((c.get("message", "") for c in status.get("conditions", []) if c["type"] == kind), "")


def sentence_of(said):
    """The line of sbatch that says why; its last one."""
    lines = [line for line in said.splitlines() if line.startswith("sbatch:")] or said.splitlines()
    return lines[-1].removeprefix("sbatch: ").removeprefix("error: ").removeprefix("fatal: ") if lines else ""


def refusal_differs(status, said):
    """None, or how it differs."""
    text, ended = message_of(status), status.get("status") == "Failed"
    row = next((row for row in REFUSED if row.reason in (status.get("reason"), text.split(":")[0]) or row.reason in text), None)
    if row and row.reason == "sbatch submitted nothing" and "error" in said:
        return f"sbatch says {said}, the SlurmJob {text}"
    if not row:
        return f"sbatch refuses it ({sentence_of(said)}), the SlurmJob says {status.get('status')} {status.get('reason')}: {text}"
    if row.ends != ended:
        return f"{row.reason}, and its status is {status.get('status')}"
    if row.sentence and plain(sentence_of(said)) not in plain(text):
        return f"the sentence of sbatch is \"{sentence_of(said)}\", the SlurmJob says \"{text}\""
    return None


# ---------------------------------------------------------------- what waits

# Where the SlurmJob has not been submitted: what its partition is.
KEPT_AWAY = {"down": "the node has a taint", "drain": "the node has a taint", "inactive": "the node has a taint", "root": "the node has a taint",
             "groups": "Slurm shows the account no such partition: no node", "hidden": "Slurm shows no such partition: no node"}
# EnforcePartLimits=NO: such a job waits in Slurm, the SlurmJob waits for a partition that fits (docs/slurmjob.md#when-no-partition-fits).
BEYOND_LIMITS = {"PartitionTimeLimit", "PartitionNodeLimit"}


def waiting_differs(status, partition, refused, said, reasons):
    """Of a script whose SlurmJob waits. refused: by sbatch; else its job waits, for these reasons."""
    if status.get("reason") == "NoPartitionFits" and (partition in KEPT_AWAY or reasons & BEYOND_LIMITS):
        return None
    if refused:
        return refusal_differs(status, said)
    if status.get("reason", "").replace("_", " ") in {reason.replace("_", " ") for reason in reasons}:
        return None
    return f"sbatch's job waits for {reasons}, the SlurmJob for {status.get('reason')}: {message_of(status)}"
