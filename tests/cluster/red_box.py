"""red-box in the container of a real slurmd: what its calls give, and one job for each key however often it and slurmctld are killed."""

import json
import os
import random
import subprocess
import sys
import time

from messages import fields, message

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEYS, SEED = int(os.environ.get("KEYS", "40")), int(os.environ.get("SEED", "1"))
RUN = str(time.time_ns())  # part of each key: Slurm knows those of a run before
ACCOUNT = 401  # slurm, in the image
FOLDER = "/tmp/red-box"  # in the container
SLURMCTLD_KILLS = 4  # the kubelet waits 0, 10, 20 and 40 s before it starts it anew
START = time.monotonic()
STORY = "red-box, real Slurm"  # in front of each line; the story of the bridge says its own
OK, UNKNOWN, NOT_FOUND, DENIED, UNAVAILABLE = 0, 2, 5, 7, 14


def ok(what):
    print(f"ok - {STORY}: {what} ({time.monotonic() - START:.0f} s)", flush=True)


def check(holds, what, *seen):
    if not holds:
        raise SystemExit(f"not ok - {STORY}: {what}: {seen}")


def until(seconds, what, look):
    """Waits for a condition; gives what it found. Two looks are at least twice the time of a look apart: kubectl takes most of it on a busy machine."""
    end = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        if found := look():
            return found
        now = time.monotonic()
        if now > end:
            raise SystemExit(f"not ok - {STORY}: waited {seconds} s in vain for {what}")
        time.sleep(min(max(0.1, 2 * (now - began)), 1.0))


def tell_what_broke(kind, error, trace):
    """The log ends with the lines that say "not ok": what a command said is in one of them."""
    sys.__excepthook__(kind, error, trace)
    print(f"not ok - {STORY}: {error!r} {(getattr(error, 'stderr', None) or '').strip()[-400:]!r}", flush=True)


sys.excepthook = tell_what_broke


def kubectl(*args):
    return subprocess.run(["kubectl", "-n", os.environ["NS"], *args], check=True, capture_output=True, text=True, timeout=120).stdout


def process_of(container, program):
    """The number, here, of a program that runs in a container."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/comm") as f:
                comm = f.read().strip()
            with open(f"/proc/{number}/cgroup") as f:
                inside = container in f.read().replace("_", "-")
        except OSError:
            continue
        if inside and comm == program:
            return int(number)
    return None


def child_of(nsenter):
    """The number of the program itself: nsenter forks."""
    def look():
        with open(f"/proc/{nsenter.pid}/task/{nsenter.pid}/children") as f:
            return f.read().split()
    return int(until(10, "a program to be there", look)[0])


# ---- red-box


class Box:
    def __init__(self, container):
        self.slurmd = until(10, "slurmd", lambda: process_of(container, "slurmd"))
        self.root = f"/proc/{self.slurmd}/root"
        self.socket = f"{self.root}{FOLDER}/socket"
        self.process = None
        os.makedirs(self.root + FOLDER, exist_ok=True)
        subprocess.run([os.path.join(TOP, "tools", "cluster"), ".red-box-files", self.root + FOLDER], check=True)
        os.makedirs(f"{self.root}{FOLDER}/home", exist_ok=True)
        self.configure()
        for path in ("", "/home"):
            os.chown(self.root + FOLDER + path, ACCOUNT, ACCOUNT)

    def configure(self):
        with open(f"{self.root}{FOLDER}/config", "w") as f:
            json.dump({"red-box": {"folders": [FOLDER + "/home"], "state_folder": FOLDER + "/state"}}, f)

    def command(self, *argv):
        """In the container, as the account of red-box."""
        return ["nsenter", "-t", str(self.slurmd), "-m", "-n", "-u", "-i", "-p", "-r", "-w", "--", "setpriv", f"--reuid={ACCOUNT}", f"--regid={ACCOUNT}", "--clear-groups", *argv]

    def start(self):
        """By itself, not by kubectl exec: it is to be killed at once."""
        self.log = open(os.path.join(os.environ.get("SLURM_OPERATOR_STATE", TOP + "/.cluster"), "log", "red-box.log"), "ab")
        self.process = subprocess.Popen(
            self.command("env", f"LD_LIBRARY_PATH={FOLDER}", FOLDER + "/red-box", "-socket", FOLDER + "/socket", "-config", FOLDER + "/config"), stdout=self.log, stderr=self.log)
        until(60, "red-box to answer", lambda: self.call("WorkloadInfo")[0] == OK)

    def number(self):
        return child_of(self.process)

    def kill(self):
        os.kill(self.number(), 9)
        self.process.wait(10)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()

    def ask(self, method, body=b"", seconds=30):
        """A call under way."""
        call = subprocess.Popen(
            ["curl", "-sS", "--max-time", str(seconds), "--http2-prior-knowledge", "--unix-socket", self.socket, "-H", "content-type: application/grpc", "-H", "te: trailers",
             "--data-binary", "@-", "-D", "/dev/stderr", f"http://red-box/api.WorkloadManager/{method}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        call.stdin.write(b"\0" + len(body).to_bytes(4, "big") + body)
        call.stdin.close()
        call.stdin = None
        return call

    @staticmethod
    def answer(call):
        """Status (None: no answer came), messages, what it says."""
        out, heads = call.communicate()
        heads = dict(line.split(": ", 1) for line in heads.decode(errors="replace").splitlines() if ": " in line)
        status, messages = heads.get("grpc-status"), []
        while len(out) >= 5:
            size = int.from_bytes(out[1:5], "big")
            messages, out = messages + [out[5:5 + size]], out[5 + size:]
        return None if status is None else int(status), messages, heads.get("grpc-message", "")

    def call(self, method, body=b""):
        return self.answer(self.ask(method, body))

    def submit(self, script, key):
        status, messages, said = self.call("SubmitJob", message(f1=script, f2="all", f3=f"{RUN}-{key}"))
        check(status == OK, "a submission", status, said)
        return fields(messages[0])[1][0]

    def jobs(self, job):
        """Fields of what is told of a job, by its number or its key."""
        status, messages, said = self.call("JobInfo", message(f1=job) if isinstance(job, int) else message(f2=job))
        check(status == OK, "JobInfo", job, status, said)
        return [fields(each) for each in fields(messages[0])[1]]

    def ends(self, job):
        """Its state once it has ended: 0 COMPLETED, 1 CANCELLED, 2 FAILED, 3 TIMEOUT; its exit code."""
        def look():
            told = self.jobs(job)[0]
            state = told.get(5, [0])[0]
            return (state, told[4][0].decode()) if state < 4 else None
        return until(120, f"job {job} to end", look)


def in_slurm(*command):
    return kubectl("exec", "box-0", "--", *command)


# ---- the stories


def story_partitions_and_limits_are_as_slurm_says(box):
    status, messages, _ = box.call("Partitions")
    check(status == OK and b"all" in fields(messages[0])[1], "the partition is named", messages)
    status, messages, _ = box.call("Resources", message(f1="all"))
    check(status == OK and fields(messages[0])[1][0] >= 1, "its nodes are counted", messages)
    status, _, said = box.call("Resources", message(f1="none"))
    check(status not in (OK, None) and "none" in said, "one that is not there is named", status, said)
    ok("partitions and their limits are as Slurm says")


def story_a_job_its_end_and_its_output(box):
    # given: a job that prints and fails
    job = box.submit("#!/bin/sh\n#SBATCH --output=cow.out\necho moo\nexit 7\n", "output")
    # then: its exit code is told, and its output is read
    check(box.ends(job) == (2, "7:0"), "exit code 7", job)
    status, messages, said = box.call("OpenFile", message(f1="cow.out"))
    check(status == OK and b"".join(fields(each)[1][0] for each in messages) == b"moo\n", "the output", status, messages, said)
    status, _, said = box.call("OpenFile", message(f1="../config"))
    check(status == DENIED, "no other file is read", status, said)
    ok("a job fails with its exit code, and its output is read")


def story_a_job_is_cancelled(box):
    job = box.submit("#!/bin/sh\nsleep 300\n", "cancelled")
    until(30, "it to run", lambda: "RUNNING" in in_slurm("scontrol", "show", "job", str(job)))
    check(box.call("CancelJob", message(f1=job))[0] == OK, "the call")
    check(box.ends(job)[0] == 1, "it is CANCELLED", job)
    check(box.call("CancelJob", message(f1=job))[0] == OK, "again: it has ended")
    ok("a job is cancelled, and may be cancelled again")


def story_a_held_and_a_suspended_job_have_not_ended(box):
    held = box.submit("#!/bin/sh\n#SBATCH --hold\ntrue\n", "held")
    check(box.jobs(held)[0][5] == [4], "the held one is PENDING")
    job = box.submit("#!/bin/sh\nsleep 5\nexit 3\n", "suspended")
    until(30, "it to run", lambda: "RUNNING" in in_slurm("scontrol", "show", "job", str(job)))
    in_slurm("scontrol", "suspend", str(job))
    until(10, "it to be suspended", lambda: "SUSPENDED" in in_slurm("scontrol", "show", "job", str(job)))
    check(box.jobs(job)[0][5] == [10], "it has not ended, as far as the protocol can say it")
    in_slurm("scontrol", "resume", str(job))
    in_slurm("scontrol", "release", str(held))
    check(box.ends(job) == (2, "3:0") and box.ends(held) == (0, "0:0"), "both end as they do")
    ok("a held and a suspended job have not ended, and end later")


def story_an_array_has_a_record_for_each_task(box):
    job = box.submit("#!/bin/sh\n#SBATCH --array=0-3\n[ $SLURM_ARRAY_TASK_ID != 2 ]\n", "array")

    def ended():
        tasks = box.jobs(job)
        return tasks if len(tasks) == 4 and all(each.get(5, [0])[0] < 4 for each in tasks) else None
    tasks = until(60, "four tasks to end", ended)
    check(sorted(each.get(5, [0])[0] for each in tasks) == [0, 0, 0, 2], "one of them has failed", tasks)
    check(all(each[17][0].decode() == str(job) for each in tasks), "all name their array", tasks)
    ok("an array has a record for each task")


def story_a_job_that_cannot_be_is_refused_with_sbatch_s_words(box):
    status, _, said = box.call("SubmitJob", message(f1="#!/bin/sh\n#SBATCH --nodes=foo\ntrue\n", f2="all", f3=RUN + "-wrong"))
    check(status not in (OK, None, UNAVAILABLE) and "foo" in said, "the sentence", status, said)
    status, _, said = box.call("SubmitJob", message(f1="#!/bin/sh\ntrue\n", f2="none", f3=RUN + "-nowhere"))
    check(status not in (OK, None, UNAVAILABLE) and "partition" in said, "a partition that is not there", status, said)
    ok("a job that cannot be is refused with sbatch's words")


def slurmctld_answers():
    try:
        return "UP" in in_slurm("scontrol", "ping")
    except subprocess.SubprocessError:
        return False


def kill_slurmctld():
    os.kill(until(120, "slurmctld to run", lambda: process_of(os.environ["SLURMCTLD_POD"], "slurmctld")), 9)


def administrator_helps(long=()):
    """What Slurm leaves to people when its slurmctld was killed, or does minutes later.

    slurmd refuses a job whose number it had before ("credential revoked"): Slurm holds the job and drains the node. And of a job that
    ended while nobody listened it believes for five minutes that it runs; then it runs it again. Not so of jobs whose names are those of long ones.
    """
    in_slurm("sh", "-c", "scontrol update nodename=box-0 state=resume || true")  # it need not be drained
    for line in in_slurm("squeue", "--noheader", "--states=PENDING,RUNNING", "--format=%A %j %T %M %r").splitlines():
        number, name, state, spent, reason = line.split(" ", 4)
        # it may have ended since
        if "held" in reason:
            in_slurm("sh", "-c", f"scontrol release {number} || true")
        if state == "RUNNING" and name not in long and spent not in [f"0:{second:02}" for second in range(20)]:
            in_slurm("sh", "-c", f"scontrol requeue {number} || true")


def all_have_ended():
    administrator_helps()
    return not in_slurm("squeue", "--noheader", "--format=%A").strip()


def script_of(key):
    return f"#!/bin/sh\nexit {int(key.split('-')[1]) % 5}\n"


def story_one_job_for_each_key_whoever_is_killed(box):
    # given: seeded moments; a key is asked for until its job is known, by at most a few at a time
    chance = random.Random(SEED)
    waiting, numbers, kills, restarts = [f"{RUN}-{i}" for i in range(KEYS)], {}, 0, 0
    began = time.monotonic()
    while waiting:
        check(time.monotonic() - began < 900, "all keys have a job in 15 minutes", waiting)
        batch, waiting = waiting[:4], waiting[4:]
        calls = [(key, box.ask("SubmitJob", message(f1=script_of(key), f2="all", f3=key), 60)) for key in batch]
        # when: red-box is killed, and now and then slurmctld, which is started anew later and later
        killed = kills < KEYS
        if killed:
            time.sleep(chance.uniform(0, 0.25))
            box.kill()
            kills += 1
        for key, call in calls:
            status, messages, said = box.answer(call)
            check(status in (OK, None, UNKNOWN, UNAVAILABLE), "a passing trouble, no other", key, status, said)
            if status == OK:
                known = fields(messages[0])[1][0]
                check(restarts or numbers.get(key, known) == known, "the same job", key, numbers.get(key), known)
                numbers[key] = known
            # a key whose answer came is asked for again, too: it was told to somebody who may have died
            if status != OK or chance.random() < 0.25:
                waiting.append(key)
        if restarts < SLURMCTLD_KILLS and len(numbers) * (SLURMCTLD_KILLS + 1) >= KEYS * (restarts + 1):
            kill_slurmctld()
            restarts += 1
        if killed:
            box.start()
    # and: whoever wants to know whether its job is still there asks by its key
    lost = []
    until(120, "slurmctld to answer", slurmctld_answers)
    for key in numbers:
        status, _, said = box.call("JobInfo", message(f2=key))
        check(status in (OK, NOT_FOUND), "its job is there, or not", key, status, said)
        if status == NOT_FOUND:
            lost.append(key)
            numbers[key] = box.submit(script_of(key), key.split("-", 1)[1])
    # then: Slurm has one job for each key, that job, and it ended as it should
    made = {}
    for job in json.loads(in_slurm("squeue", "--json", "--states=all", "--user=slurm"))["jobs"]:
        if job["comment"] in numbers:
            made.setdefault(job["comment"], []).append(job["job_id"])
    check({key: [number] for key, number in numbers.items()} == made, "one job for each key",
          {k: (v, numbers.get(k)) for k, v in made.items() if v != [numbers.get(k)]}, set(numbers) - set(made))
    until(200, "all to end", all_have_ended)
    for key in numbers:
        code = int(key.split('-')[1]) % 5
        check(box.ends(key) == (2 if code else 0, f"{code}:0"), "the end of its job", key)
    ok(f"{KEYS} keys are {KEYS} jobs with the right ends, red-box killed {kills} times, slurmctld {restarts} times, which lost {len(lost)} more than were asked for again, seed {SEED}")


def main():
    import red_box_memory  # which stands on this file
    box = Box(os.environ["BOX"].removeprefix("containerd://"))
    box.start()
    try:
        for story in (red_box_memory.story_memory_is_bounded, story_partitions_and_limits_are_as_slurm_says, story_a_job_its_end_and_its_output, story_a_job_is_cancelled,
                      story_a_held_and_a_suspended_job_have_not_ended, story_an_array_has_a_record_for_each_task,
                      story_a_job_that_cannot_be_is_refused_with_sbatch_s_words, story_one_job_for_each_key_whoever_is_killed):
            story(box)
    finally:
        box.stop()


if __name__ == "__main__":
    sys.exit(main())
