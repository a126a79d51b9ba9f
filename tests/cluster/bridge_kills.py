"""One object is one job with the end that was meant, however often manager, virtual node, red-box and slurmctld are killed, and whatever the job does: ends well or not, takes too long, is an array, is cancelled or deleted.

What Slurm has of a job is found by its comment, which is the key that its virtual node gives it. A Slurm that is killed has forgotten what came in the last seconds before (24.11): such a job is submitted
again with its key. So jobs are told apart: those that Slurm has forgotten, each right before a kill of slurmctld, and the one of each key that it has not.
"""
import collections
import json
import os
import random
import subprocess
import time

import red_box
from red_box import FOLDER, check, in_slurm, ok, until

JOBS, SEED = int(os.environ["JOBS"]), int(os.environ["SEED"])
KILLS = int(os.environ.get("KILLS") or JOBS)
VICTIMS = ("manager",) * 3 + ("virtual-node",) * 3 + ("red-box",) * 3 + ("slurmctld",)
MIN_JOB_AGE_S = 300  # so long Slurm knows a job that has ended
WAITING = -1  # the tasks of an array that Slurm lists as one, and what is no array
FORGETS_S = 20  # what came so shortly before a kill of slurmctld it may not have written down; on a busy machine that takes longer

Kind = collections.namedtuple("Kind", "option script slurm status")
KINDS = {
    "well": Kind("", "sleep {pause}; exit 0", "COMPLETED", {"status": "Succeeded", "exitCode": 0}),
    "wrong": Kind("", "sleep {pause}; exit {code}", "FAILED", {"status": "Failed", "exitCode": "{code}"}),
    "late": Kind("--time=1", "sleep 900", "TIMEOUT", {"status": "Failed", "reason": "TIMEOUT"}),
    "cancelled": Kind("", "sleep 900", "CANCELLED", {"status": "Failed", "reason": "CANCELLED"}),
    "deleted": Kind("", "sleep 900", "CANCELLED", None),
    "array": Kind("--array=0-3", "exit 0", "COMPLETED", {"status": "Succeeded", "array": {"pending": 0, "running": 0, "succeeded": 4, "failed": 0}}),
    "torn": Kind("--array=0-3", "[ $SLURM_ARRAY_TASK_ID != 2 ]", "FAILED", {"status": "Failed", "array": {"pending": 0, "running": 0, "succeeded": 3, "failed": 1}}),
}
ORDER = ("late", "well", "wrong", "cancelled", "array", "wrong", "deleted", "torn", "well", "wrong", "well", "wrong", "cancelled", "well", "array", "wrong", "deleted", "torn", "well", "wrong")


class Job:
    """What is meant of an object, and what has been seen of it."""

    def __init__(self, i, chance):
        self.name, self.kind = f"job-{i}", ORDER[i % len(ORDER)]
        self.of, self.code, self.pause = KINDS[self.kind], i % 7 + 1, chance.choice((0, 1, 3))
        self.uid, self.number, self.done = None, None, False
        self.meant = self.of.status and {key: self.code if value == "{code}" else value for key, value in self.of.status.items()}

    def script(self):
        """Its first action is to say that it has begun."""
        says = f"echo $SLURM_JOB_ID $SLURM_ARRAY_JOB_ID >>{FOLDER}/home/begun-{self.name}"
        return f"#!/bin/sh\n#SBATCH --job-name={self.name} {self.of.option}\n{says}\n{self.of.script.format(pause=self.pause, code=self.code)}\n"


class Record:
    """One number of Slurm's with a certain comment: its tasks, as they were seen last."""

    def __init__(self):
        self.tasks, self.forgotten = {}, False

    def states(self):
        return [state for state, _, _ in self.tasks.values()]

    def submitted(self):
        return min(at for _, at, _ in self.tasks.values())

    def ended(self):
        """When, or None."""
        live = ("PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT")
        return None if any(state in live for state in self.states()) else max(at for _, _, at in self.tasks.values())

    def verdict(self):
        states = set(self.states())
        return states.pop() if len(states) == 1 else "FAILED" if "FAILED" in states else ",".join(sorted(states))


class Slurm:
    """What it says of all jobs of the account, from look to look."""

    def __init__(self):
        self.keys, self.kills = collections.defaultdict(dict), []

    def look(self):
        try:
            listed = json.loads(in_slurm("squeue", "--json", "--states=all", "--array", "--user=slurm"))["jobs"]
        except (subprocess.SubprocessError, json.JSONDecodeError):
            return False  # it is dead just now
        now, there = time.time(), collections.defaultdict(dict)
        for each in listed:
            state = [word for word in each["job_state"] if word not in ("COMPLETING", "CONFIGURING")] or each["job_state"]
            task = each["array_task_id"]["number"] if each["array_task_id"]["set"] else WAITING
            there[each["comment"], each["array_job_id"]["number"] or each["job_id"]][task] = (state[0], each["submit_time"]["number"], each["end_time"]["number"])
        for (key, number), tasks in there.items():
            record = self.keys[key].setdefault(number, Record())
            record.tasks = {**{task: told for task, told in record.tasks.items() if task != WAITING}, **tasks}
            record.forgotten = False
        for key, records in self.keys.items():
            for number, record in records.items():
                # Not there any more, and too early for that. A job has an end in the future while it runs.
                if (key, number) not in there and (record.ended() is None or now - record.ended() < MIN_JOB_AGE_S - 5):
                    record.forgotten = True
        return True

    def is_live(self, key):
        return any(record.ended() is None and not record.forgotten for record in self.keys.get(key, {}).values())

    def explains(self, submitted):
        """A slurmctld that was killed so shortly after it."""
        return any(-2 <= kill - submitted <= FORGETS_S for kill in self.kills)


class Play:
    def __init__(self, world, bridge):
        self.world, self.bridge, self.slurm = world, bridge, Slurm()
        self.chance = random.Random(SEED)
        self.jobs = [Job(i, self.chance) for i in range(JOBS)]
        self.points = collections.Counter(self.chance.randrange(JOBS) for _ in range(KILLS))
        self.killed = collections.Counter()

    # ---- what people do

    def objects(self):
        return {each["metadata"]["name"]: each for each in json.loads(self.bridge.kubectl("get", "sj", "-o", "json"))["items"]}

    def begin(self, job):
        made = json.loads(self.bridge.kubectl("create", "-o", "json", "-f", "-", given=json.dumps(self.bridge.slurm_job(job.name, job.script()))))
        job.uid = made["metadata"]["uid"]

    def meddle(self, jobs):
        """Those that are to be deleted or cancelled are, once their number is known. A slurmctld that is killed forgets what was cancelled: people do it again."""
        objects, cancelled = self.objects(), []
        for job in jobs:
            status = objects.get(job.name, {}).get("status", {})
            job.number = status.get("jobId") or job.number
            if job.number and job.kind == "deleted" and not job.done:
                self.bridge.kubectl("delete", "sj", job.name, "--wait=false")
                job.done = True
            if job.number and job.kind == "cancelled" and (status.get("status") != "Failed" or self.slurm.is_live(job.uid)):
                cancelled.append(job.name)
        if cancelled:
            in_slurm("sh", "-c", f"for name in {' '.join(cancelled)}; do scancel --name=$name; done; true")
        return objects

    def help(self):
        """As an administrator does after a crash; jobs that are meant to run long are left alone."""
        try:
            red_box.administrator_helps([job.name for job in self.jobs if job.kind in ("late", "cancelled", "deleted")])
        except subprocess.SubprocessError:
            pass  # it is dead just now

    def kill_one(self):
        victim = self.chance.choice(VICTIMS)
        time.sleep(self.chance.uniform(0, 0.6))
        self.killed[victim] += 1
        if victim == "slurmctld":
            red_box.kill_slurmctld()
            self.slurm.kills.append(time.time())
            return
        self.world[victim].kill()
        time.sleep(self.chance.uniform(0, 0.3))
        self.world[victim].start()

    # ---- what came of it

    def fits(self, job, objects):
        """Its object has ended, and says what was meant."""
        if job.meant is None:
            return job.done and job.name not in objects
        status = objects.get(job.name, {}).get("status", {})
        ended = status.get("status") in ("Succeeded", "Failed")
        check(not ended or {key: status.get(key) for key in job.meant} == job.meant, f"the end of {job.name}, {job.kind}", status)
        return ended

    def wait_for_all(self):
        deadline, left = time.monotonic() + 300 + 3 * JOBS, self.jobs
        while left:
            objects, looked = self.meddle(left), self.slurm.look()
            left = [job for job in left if not (self.fits(job, objects) and looked) or self.slurm.is_live(job.uid)]
            check(time.monotonic() < deadline, "all end", [(job.name, job.kind, objects.get(job.name, {}).get("status")) for job in left])
            self.help()
            time.sleep(1)  # kubectl and the programs of Slurm would take one of two processors

    def begun(self, job):
        """The numbers with which its script has begun: what has run, whatever Slurm says."""
        try:
            with open(f"{self.world['red-box'].root}{FOLDER}/home/begun-{job.name}") as f:
                return {int(line.split()[-1]) for line in f if line.strip()}
        except FileNotFoundError:
            return set()

    def judge(self, job):
        """One job that Slurm has not forgotten; gives how many it has."""
        records = self.slurm.keys.get(job.uid, {})
        kept = {number: record for number, record in records.items() if not record.forgotten}
        seen = {number: (record.states(), record.forgotten) for number, record in records.items()}
        for number, record in records.items():
            check(not record.forgotten or self.slurm.explains(record.submitted()), f"a job of {job.name} has gone, and slurmctld was not killed", number, seen, record.submitted(), self.slurm.kills)
        strangers = self.begun(job) - set(records)
        check(not strangers or self.slurm.kills, f"jobs of {job.name} that Slurm never told of", strangers, seen)
        number = int(job.number)
        if not kept and number in records:
            return len(records) - 1 + len(strangers)  # it had ended, and that was told, before it was forgotten
        if not seen and job.meant is None and self.slurm.kills:
            return len(strangers)  # slurmctld lost it before anybody looked, and for a deleted object it is not submitted again
        check(list(kept) == [number], f"{job.name}, {job.kind}, is one job of Slurm", number, seen)
        check(kept[number].verdict() == job.of.slurm, f"the end of {job.name}, {job.kind}, in Slurm", seen)
        return len(records) - 1 + len(strangers)

    def play(self):
        for i, job in enumerate(self.jobs):
            self.begin(job)
            for _ in range(self.points[i]):
                self.kill_one()
            if i % 5 == 4:
                self.slurm.look()
                self.meddle(self.jobs[:i + 1])
                self.help()
        until(120, "slurmctld to answer", red_box.slurmctld_answers)
        self.wait_for_all()
        until(60, "a last look", self.slurm.look)
        forgotten = sum(self.judge(job) for job in self.jobs)
        kinds = collections.Counter(job.kind for job in self.jobs)
        return forgotten, ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())), ", ".join(f"{name} {n}" for name, n in sorted(self.killed.items()))


# Acceptance: V1
def story_one_object_is_one_job_whoever_is_killed(world, bridge):
    print(f"# seed {SEED}: {JOBS} objects, {KILLS} kills", flush=True)
    forgotten, kinds, kills = Play(world, bridge).play()
    ok(f"{JOBS} objects are {JOBS} jobs with the right ends ({kinds}), at {KILLS} points killed: {kills}; Slurm forgot {forgotten} more, which came again with their keys; seed {SEED}")


def main():
    """PLAY=tests/cluster/bridge_kills.py: this story alone."""
    import bridge
    with bridge.programs() as world:
        story_one_object_is_one_job_whoever_is_killed(world, bridge)


if __name__ == "__main__":
    main()
