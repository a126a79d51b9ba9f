"""Measures the bridge on a real Slurm: submissions through red-box beside those of sbatch, and 1,000 live SlurmJobs. tests/cluster/bridge prepares what it needs."""

import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, "tests", "cluster")]

import bridge  # noqa: E402
import red_box  # noqa: E402
from red_box import FOLDER, in_slurm, until  # noqa: E402
from table import Table, say  # noqa: E402

JOBS = int(os.environ.get("LIVE_JOBS", "1000"))
AT_A_TIME = 64
ROUNDS = int(os.environ.get("ROUNDS", "3"))
WATCH_S = 60
# A client that red-box has known for two minutes, as a virtual node is nearly always; before, each key waits for a look into Slurm.
KNOWN_S = 125
HELD = "#!/bin/sh\n#SBATCH --hold --output=/dev/null\ntrue\n"
# The last that a job does is to say when.
LIVE = f"#!/bin/sh\n#SBATCH --output=/dev/null\nsleep 1\ndate +%s.%N >{FOLDER}/home/end-$SLURM_JOB_ID\n"


# ---- submissions


def no_job():
    in_slurm("scancel", "--user=slurm")
    until(120, "no job in Slurm", lambda: not in_slurm("squeue", "--noheader", "--user=slurm", "--states=PENDING,RUNNING,COMPLETING", "--format=%A").strip())


def by_sbatch(box, jobs, at_a_time):
    """The command itself, as the same account: seconds."""
    script = f"date +%s.%N; seq {jobs} | xargs -P {at_a_time} -I@ sbatch --parsable --partition=all --comment=bench-@ {FOLDER}/bench.sh >/dev/null; date +%s.%N"
    began, ended = map(float, subprocess.run(box.command("sh", "-c", script), check=True, capture_output=True, text=True).stdout.split())
    return ended - began


class Client:
    """Submits through red-box as one client, which comes now."""

    def __init__(self, box, script, known_s):
        self.rounds = 0
        self.process = subprocess.Popen([os.path.join(TOP, "build", "bench_submit"), box.socket, str(JOBS), str(AT_A_TIME), script, str(known_s)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def submit(self):
        self.rounds += 1
        print(f"{red_box.RUN}-bench-{self.process.pid}-{self.rounds}", file=self.process.stdin, flush=True)
        seconds = self.process.stdout.readline()
        if not seconds:
            raise SystemExit(f"bench: it ended with {self.process.wait(10)}")
        return float(seconds)

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def submissions(box, table):
    say(f"{JOBS} submissions through red-box and by sbatch, {ROUNDS} rounds; first {KNOWN_S} s until red-box knows its client")
    script = f"{box.root}{FOLDER}/bench.sh"
    with open(script, "w") as f:
        f.write(HELD)
    new = Client(box, script, 0)
    client = Client(box, script, KNOWN_S)
    at_first = new.submit()
    new.end()
    no_job()
    time.sleep(KNOWN_S)
    ours, peer = [], []
    for i in range(ROUNDS):
        works = [lambda: ours.append(client.submit()), lambda: peer.append(by_sbatch(box, JOBS, AT_A_TIME))]
        for work in works if i % 2 else works[::-1]:
            work()
            no_job()
        say(f"red-box {ours[-1]:.2f} s, sbatch {peer[-1]:.2f} s")
    client.end()
    serial = 100 / by_sbatch(box, 100, 1)
    no_job()
    usual = statistics.median(peer)
    table.add(f"{JOBS} submissions through red-box", JOBS, statistics.median(ours), "s", 1.1 * usual,
              f"{usual:.2f} s by sbatch, {AT_A_TIME} at a time; one after the other {serial:.0f} a second; {at_first:.2f} s through red-box in its first two minutes")


# ---- live jobs


class Ends(threading.Thread):
    """When kubectl get --watch first says that an object has ended: {number of the job: time}."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen = {}
        self.kubectl = subprocess.Popen(["kubectl", "-n", "bridge", "get", "sj", "--watch", "--no-headers", "-o", "custom-columns=J:.status.jobId,S:.status.status"],
                                        stdout=subprocess.PIPE, text=True)

    def run(self):
        for line in self.kubectl.stdout:
            number, status = line.split()
            if status in ("Succeeded", "Failed"):
                self.seen.setdefault(number, time.time())


def asked():
    """How often Slurm has been asked for jobs."""
    return sum(int(n) for n in re.findall(r"REQUEST_JOB_(?:INFO|INFO_SINGLE|USER_INFO|STATE)\s.*?count:(\d+)", in_slurm("sdiag")))


def last_words(box):
    """{number of the job: when it ended}"""
    home, found = f"{box.root}{FOLDER}/home", {}
    for name in os.listdir(home):
        if name.startswith("end-"):
            with open(os.path.join(home, name)) as f:
                found[name.removeprefix("end-")] = float(f.read() or 0)
    return found


def memory_mb(process):
    with open(f"/proc/{process}/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS:"))


def live(world, table):
    say(f"{JOBS} SlurmJobs")
    objects = {"apiVersion": "v1", "kind": "List", "items": [bridge.slurm_job(f"live-{i}", LIVE) for i in range(JOBS)]}
    ends = Ends()
    ends.start()
    began = time.monotonic()
    bridge.kubectl("create", "-f", "-", given=json.dumps(objects))
    until(900, "all to be in Slurm", lambda: len(ends.seen) + int(in_slurm("sh", "-c", "squeue --noheader --user=slurm --format=%A | wc -l")) >= JOBS)
    say(f"all are in Slurm after {time.monotonic() - began:.0f} s; watched for {WATCH_S} s")
    calls, began = asked(), time.time()
    time.sleep(WATCH_S)  # what is measured is this time
    calls, ended = asked() - calls, time.time()
    alive = int(in_slurm("sh", "-c", "squeue --noheader --user=slurm --format=%A | wc -l"))
    words = {number: at for number, at in last_words(world["red-box"]).items() if began <= at < ended}
    until(60, "their ends to be told", lambda: not set(words) - set(ends.seen))
    late = sorted(ends.seen[number] - at for number, at in words.items())
    table.add("end of a job to its object's end, the latest", JOBS, late[-1], "s", 5, f"{statistics.median(late):.1f} s the median of {len(late)}; {alive} still live then")
    table.add("Slurm asked for jobs a minute, by all", JOBS, calls * 60 / (ended - began), "calls", None, f"{JOBS * 60 // 5} if each were asked for every 5 s")
    for name in ("red-box", "virtual-node", "manager"):
        table.add(f"resident memory of {name}", JOBS, memory_mb(world[name].number()), "MB")
    bridge.kubectl("delete", "sj", "--all", "--timeout=600s")
    ends.kubectl.kill()


def main():
    table = Table("jobs")
    with bridge.programs() as world:
        submissions(world["red-box"], table)
        live(world, table)
    table.show()
    return 1 if table.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
