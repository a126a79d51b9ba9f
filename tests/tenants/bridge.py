"""Tenants of one virtual node and one red-box: all but one of them hostile, each in its own way. The one runs jobs, and reads logs and results, as if it were alone."""

import collections
import filecmp
import os
import shutil
import subprocess
import sys
import threading
import time

import bridge_attacks
import bridge_floods
import bridge_world
from bridge_world import DIR, HOME, IDS, PATIENCE, PLAYED, TOP, Kubelet, Program, Tenant, until
from campaign import Campaign, Probes, Verdicts, compare, medians, say

SECONDS_OF_HARM = int(os.environ.get("SECONDS_OF_HARM", "40"))
WORKERS = 2
SPARE_S = 1.5
CHOSEN = os.environ.get("ATTACKS", "").split()
KINDS = [kind for kind in bridge_attacks.ATTACKS + bridge_floods.ATTACKS if not CHOSEN or kind.__name__ in CHOSEN]
LINES = "".join(f"line {i}\n" for i in range(200))
SCRIPT = f"""#!/bin/sh
#SBATCH --output={HOME}/%x.out --job-name=@
cp -r in-@ res-@
echo begun
until [ -e go-@ ]; do sleep 0.1; done
seq -f 'line %g' 0 199
"""


class Honest(Tenant):
    """Who harms nobody. One round is all that is done with one job, and how long each step takes."""

    def __init__(self, number):
        super().__init__("honest")
        self.number, self.kubelet, self.keys = number, Kubelet(), []
        self.volume = DIR / f"volume-{number}"
        (self.volume / "deep").mkdir(parents=True)
        (self.volume / "large").write_bytes(os.urandom(1_000_000))
        (self.volume / "deep/small").write_text("small\n")

    def copies(self, program, name, what, *place):
        """A pod that copies, as the manager makes it, and made anew as long as it fails."""
        _, node = self.api.ask("GET", "/api/v1/nodes/slurm-hpc-good")
        told = node["metadata"]["annotations"]
        token = DIR / f"token-{name}-{what}"
        token.write_text(self.copier(name, what))
        done = subprocess.run(["timeout", str(60 * PATIENCE), DIR / "slurm-operator", program, f"--url={told['wlm.sylabs.io/results-url']}", f"--public-key={told['wlm.sylabs.io/results-key']}",
                               f"--pod={self.ns}/{name}-job", f"--token-file={token}", *place], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"tenants: the pod that {what}s: {done.returncode} {done.stdout[-300:]}{done.stderr[-300:]}")

    def follows(self, name, seen):
        answer = self.kubelet.log(self.ns, name, "?follow=true")
        seen.append(answer.readline())
        while piece := answer.read1(1 << 16):
            seen.append(piece)

    def round(self, number):
        name, took, seen, began = f"h{self.number}-{number}", {}, [], time.monotonic()

        def step(what):
            nonlocal began
            took[what], began = time.monotonic() - began, time.monotonic()
        key = self.job(name, SCRIPT.replace("@", name), "good", prepare={"to": ".", "mount": {"name": f"in-{name}"}},
                       results={"from": f"res-{name}", "mount": {"name": "results"}})
        self.keys.append(key)
        self.copies("prepare", name, "prepare", f"--from={self.volume}")
        step("inputs of a job")
        self.patch(f"{name}-job", {"metadata": {"annotations": {"wlm.sylabs.io/inputs-there": self.shown(name)["metadata"]["uid"]}}})
        self.runs(name)
        step("a pod that runs")
        follower = threading.Thread(target=self.follows, args=(name, seen), daemon=True)
        follower.start()
        until(60, "the first line of a log", lambda: seen == [b"begun\n"])
        step("logs -f")
        (HOME / f"go-{name}").touch()
        until(60, "the end of a job", lambda: self.phase(name) == "Succeeded")
        step("its end")
        follower.join(60 * PATIENCE)
        if b"".join(seen).decode() != "begun\n" + LINES:
            raise SystemExit(f"tenants: logs -f gave {b''.join(seen)[-300:]}")
        step("the end of logs -f")
        if (said := self.kubelet.log(self.ns, name, "?tailLines=2").read()) != b"line 198\nline 199\n":
            raise SystemExit(f"tenants: logs --tail=2 gave {said[-300:]}")
        step("logs --tail")
        self.copies("results", name, "collect", f"--to={DIR}/to-{name}")
        step("its results")
        got = DIR / f"to-{name}/res-{name}"
        if not all(filecmp.cmp(self.volume / f, got / f, shallow=False) for f in ("large", "deep/small")):
            raise SystemExit("tenants: the results are not what was brought")
        self.delete(name)
        until(60, "its pod to go", lambda: "status" not in self.shown(name) or self.shown(name).get("code") == 404)
        step("its deletion")
        return took


def rounds(tenants, numbers):
    """As many at a time as there are workers; numbers yields as long as there is to be one more."""
    done, faults = [], []

    def works(tenant):
        try:
            for number in numbers():
                done.append(tenant.round(number))
        except BaseException as e:
            faults.append(e)
    threads = [threading.Thread(target=works, args=(tenant,), daemon=True) for tenant in tenants]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise SystemExit(str(faults[0]))
    return done


def until_the_end(end):
    def numbers():
        number = 10
        while time.monotonic() < end or number < 12:
            yield number
            number += 1
    return numbers


def jobs_of_slurm():
    """How many jobs each key has, ended ones too."""
    rows = subprocess.run(["squeue", "-h", "-r", "--states=all", "--partition=good", "-o", "%k"], check=True, capture_output=True, text=True).stdout
    return collections.Counter(rows.split())


def judge(verdict, alone, beside, tenants, programs, probes):
    compare(verdict, alone, beside, SPARE_S, f"{len(KINDS)} hostile tenants")
    keys = [key for tenant in tenants for key in tenant.keys]
    found = jobs_of_slurm()
    wrong = {key: found[key] for key in keys if found[key] != 1}
    verdict(not wrong and len(found) == len(keys), f"{len(keys)} SlurmJobs were {sum(found.values())} jobs, one each{f', but {wrong}' if wrong else ''}")
    for name, program in programs.items():
        verdict(program.is_alive(), f"{name} is alive")
        most = program.memory_mb() if program.is_alive() else 0
        verdict(0 < most < bridge_world.limit_mb(), f"{name} never had more than {most:.0f} MB of memory, of {bridge_world.limit_mb()} MB")
    probes.judge(verdict)


def explain(programs):
    for name, program in programs.items():
        print(f"# {name} {'is alive' if program.is_alive() else program.process.poll()}\n{program.words()}", flush=True)
    print("# the red-box that is played:", open(DIR / "played.log").read()[-1000:], flush=True)


def play(verdict):
    programs, campaign, probes = {}, None, None
    tenants = [Honest(i) for i in range(WORKERS)]
    attacks = [kind(f"harm-{kind.__name__.lower()}", f"127.0.1.{i + 1}") for i, kind in enumerate(KINDS)]
    try:
        programs["red-box"] = bridge_world.red_box()
        programs["the virtual node"] = bridge_world.virtual_node(f"--account-red-box=hpc/evil={PLAYED}", "--account=hpc/harm-playedredbox=evil")
        rounds(tenants, lambda: [0])
        alone = medians(rounds(tenants, lambda: [1, 2]))
        say("alone: " + ", ".join(f"{what} {s:.1f} s" for what, s in alone.items()))
        campaign = Campaign(attacks)
        probes = Probes(f"http://127.0.0.1:{bridge_world.HEALTH_PORT}/healthz")
        campaign.begin()
        try:
            until(60, "all to attack", campaign.all_at_work, 0.2)
        except SystemExit as e:
            raise SystemExit(f"{e}: {campaign.idle()}") from e
        say(f"{len(KINDS)} tenants attack, for {SECONDS_OF_HARM} s: {', '.join(kind.__name__ for kind in KINDS)}")
        before = {name: program.cpu_s() for name, program in programs.items()}
        done = rounds(tenants, until_the_end(time.monotonic() + SECONDS_OF_HARM))
        campaign.check()
        beside = medians(done)
        say(f"beside them, {len(done)} jobs: " + ", ".join(f"{what} {s:.1f} s" for what, s in beside.items()))
        say("at the worst: " + ", ".join(f"{what} {max(r[what] for r in done):.1f} s" for what in beside))
        say("; ".join(f"{name}: {p.memory_mb('VmRSS'):.0f} MB, {p.cpu_s() - before[name]:.1f} s of CPU" for name, p in programs.items()))
        say("turns of the attacks: " + ", ".join(f"{kind.__name__} {turns.value}" for kind, turns in zip(KINDS, campaign.turns)))
        probes.end()
        judge(verdict, alone, beside, tenants, programs, probes)
        if verdict.failed:
            explain(programs)
    except SystemExit as e:
        explain(programs)
        verdict(False, f"the story is played to its end: {e}")
    finally:
        if campaign:
            campaign.end()
        if probes:
            probes.end()
        for program in programs.values():
            program.stop()


def main():
    verdict = Verdicts()
    bridge_world.given_certificates()
    others = [bridge_world.kubernetes()]
    with open(DIR / "played.log", "w") as log:
        others.append(subprocess.Popen([*bridge_world.as_account("evil"), sys.executable, TOP / "tests/tenants/bridge_floods.py", PLAYED.parent], stderr=log))
    try:
        play(verdict)
    finally:
        for process in others:
            process.kill()
    sys.exit(verdict.failed != 0)


if __name__ == "__main__":
    main()
