"""Tenants of one virtual node and one red-box: all but one of them hostile, each in its own way, four at a time. The one runs jobs, and reads logs and results, as if it were alone."""

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
from campaign import Campaign, Probes, Verdicts, Witness, compare, medians, say, too_slow

SECONDS_OF_HARM = int(os.environ.get("SECONDS_OF_HARM", "40"))
WORKERS = 2
SPARE_S = 3.0  # as beside the manager; what asks again does so after a second
BUSY_S = 0.4  # attackers wait while a user who goes by herself is served slower
CHOSEN = os.environ.get("ATTACKS", "").split()
WAVES = [kinds for wave in bridge_attacks.WAVES + bridge_floods.WAVES if (kinds := [kind for kind in wave if not CHOSEN or kind.__name__ in CHOSEN])]
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

    def waits_for_inputs(self, name):
        return any("waiting" in c["state"] for c in self.shown(name).get("status", {}).get("containerStatuses", []))

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
        until(60, "a pod to wait for its inputs", lambda: self.waits_for_inputs(name))
        step("a pod that is seen")
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


def numbers_until(end, first):
    """At least two."""
    def numbers():
        number = first
        while time.monotonic() < end or number < first + 2:
            yield number
            number += 1
    return numbers


def jobs_of_slurm():
    """How many jobs each key has, ended ones too."""
    rows = subprocess.run(["squeue", "-h", "-r", "--states=all", "--partition=good", "-o", "%k"], check=True, capture_output=True, text=True).stdout
    return collections.Counter(rows.split())


def judge(verdict, tenants, programs, probes):
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


class Wave:
    """So many attack at once, as two processors carry. What there is of their attacks stays: pods, jobs, files, keys."""

    def __init__(self, number, kinds, witness):
        self.number, self.names = number, ", ".join(kind.__name__ for kind in kinds)
        self.campaign = Campaign([kind(f"harm-{kind.__name__.lower()}", f"127.0.1.{i + 1}") for i, kind in enumerate(kinds)], witness)

    def play(self, tenants):
        """The medians of the tenant that harms nobody."""
        self.campaign.begin()
        try:
            until(60, "all to attack", self.campaign.all_at_work, 0.2)
        except SystemExit as e:
            self.campaign.check()
            raise SystemExit(f"{e}: {self.campaign.idle()}") from e
        say(f"{self.names} attack")
        return self.measure(tenants, 100 * self.number)

    def measure(self, tenants, first):
        """While they attack."""
        done = rounds(tenants, numbers_until(time.monotonic() + SECONDS_OF_HARM / len(WAVES), first))
        self.campaign.check()
        say(f"at the worst of {len(done)} jobs: " + ", ".join(f"{what} {max(r[what] for r in done):.1f} s" for what in done[0]))
        say(f"turns of {self.names}: " + ", ".join(str(turns.value) for turns in self.campaign.turns))
        return medians(done)


def play(verdict):
    programs, wave, probes, witness = {}, None, None, None
    tenants = [Honest(i) for i in range(WORKERS)]
    try:
        programs["red-box"] = bridge_world.red_box()
        programs["the virtual node"] = bridge_world.virtual_node(f"--account-red-box=hpc/evil={PLAYED}", "--account=hpc/harm-playedredbox=evil")
        rounds(tenants, lambda: [0])
        alone = medians(rounds(tenants, lambda: [1, 2]))
        say("alone: " + ", ".join(f"{what} {s:.1f} s" for what, s in alone.items()))
        witness = Witness(bridge_world.goes_by_itself, "who asks Slurm and the API server without them was served", BUSY_S)
        probes = Probes(f"http://127.0.0.1:{bridge_world.HEALTH_PORT}/healthz")
        for number, kinds in enumerate(WAVES, 1):
            wave = Wave(number, kinds, witness)
            beside = wave.play(tenants)
            # A machine that starves for some seconds is no lack of a share: what is too slow is measured twice.
            if slow := too_slow(alone, beside, SPARE_S):
                say(f"{slow}: measured once more")
                again = wave.measure(tenants, 100 * number + 50)
                beside = {what: min(s, again[what]) for what, s in beside.items()}
            compare(verdict, alone, beside, SPARE_S, wave.names)
            wave.campaign.end()
            say("; ".join(f"{name}: {p.memory_mb('VmRSS'):.0f} MB, {p.cpu_s():.1f} s of CPU" for name, p in programs.items()) + f"; {witness}")
        probes.end()
        judge(verdict, tenants, programs, probes)
        if verdict.failed:
            explain(programs)
    except SystemExit as e:
        explain(programs)
        verdict(False, f"the story is played to its end: {e}")
    finally:
        for end in (wave and wave.campaign, probes, witness):
            if end:
                end.end()
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
