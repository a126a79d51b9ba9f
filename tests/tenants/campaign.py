"""What a story of hostile tenants is made of, whomever they attack: attacks at work, probes, medians and verdicts."""

import itertools
import multiprocessing
import os
import statistics
import subprocess
import threading
import time

BEGAN = time.monotonic()
FORK = multiprocessing.get_context("fork")
# Beside the attacks the attackers themselves need the machine, too.
TIMES = 1.5


def say(text):
    print(f"# tenants: {time.monotonic() - BEGAN:4.0f} s  {text}", flush=True)


class Attack:
    """begin makes what it needs, turn goes on with it every now and then, until end."""

    pause_s = 1.0
    turns = 0

    def begin(self):
        pass

    def turn(self):
        pass

    def end(self):
        pass


class Campaign:
    """All of them at once, each in a process of its own, which lets others go first."""

    NICE = 10

    def __init__(self, attacks, witness=None):
        """With a witness they turn no faster than the machine carries."""
        self.attacks, self.witness = attacks, witness
        self.over = FORK.Event()
        self.turns = [FORK.Value("L", 0) for _ in attacks]
        self.faults = FORK.SimpleQueue()
        self.processes = []

    def run(self, attack, turns):
        try:
            os.nice(self.NICE)
            attack.begin()
            for attack.turns in itertools.count(1):
                attack.turn()
                turns.value = attack.turns
                if self.over.wait(attack.pause_s) or self.waits():
                    break
        except BaseException as e:  # told by check, for who attacks no more proves nothing
            self.faults.put(f"{type(attack).__name__}: {e!r}")
        attack.end()
        os._exit(0)  # threads of libraries may hang

    def waits(self):
        """A second, or until others are served again; true: it is over."""
        for _ in range(10):
            if not self.witness or not self.witness.is_busy():
                break
            if self.over.wait(0.1):
                return True
        return False

    def begin(self):
        for row in zip(self.attacks, self.turns):
            self.processes.append(FORK.Process(target=self.run, args=row, daemon=True))
            self.processes[-1].start()

    def all_at_work(self):
        """Each has begun, and turned at least once."""
        self.check()
        return all(turns.value for turns in self.turns)

    def idle(self):
        return [type(attack).__name__ for attack, turns in zip(self.attacks, self.turns) if not turns.value]

    def check(self):
        if not self.faults.empty():
            raise SystemExit(f"tenants: an attack has broken off: {self.faults.get()}")

    def end(self):
        self.over.set()
        for process in self.processes:
            process.join(30)
            process.kill()


class Witness:
    """Another client of the API server: it renews a Lease of its own, as the manager does, and measures how long that takes."""

    def __init__(self, renew, what="another client of the API server renewed its Lease", busy_s=1.0):
        self.renew, self.what, self.busy_s, self.over = renew, what, busy_s, threading.Event()
        self.last, self.since = FORK.Value("d", 0), FORK.Value("d", 0)
        self.longest_s = 0.0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __str__(self):
        return f"{self.what} in {self.longest_s:.1f} s at most"

    def run(self):
        while not self.over.wait(0.5):
            self.since.value = time.monotonic()
            self.renew()
            self.last.value = time.monotonic() - self.since.value
            self.since.value = 0
            self.longest_s = max(self.longest_s, self.last.value)

    def is_busy(self):
        """It takes more than that for anybody."""
        since = self.since.value
        return max(self.last.value, time.monotonic() - since if since else 0) > self.busy_s

    def end(self):
        self.over.set()
        self.thread.join(60)


class Bounded:
    """An API server that is asked for no more than it carries: attackers that stopped it would show nothing of the program that they attack."""

    def __init__(self, api, witness):
        self.api, self.witness = api, witness

    def ask(self, *args):
        while self.witness.is_busy():
            time.sleep(0.1)
        return self.api.ask(*args)


class Probes:
    """The kubelet's, as in the examples: three in a row that fail would end the program."""

    def __init__(self, url):
        self.url, self.over = url, threading.Event()
        self.n = self.failed = self.row = self.worst = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.wait(2):
            done = subprocess.run(["curl", "-sf", "-m", "1", self.url], capture_output=True)
            self.n += 1
            self.failed += done.returncode != 0
            self.row = self.row + 1 if done.returncode else 0
            self.worst = max(self.worst, self.row)

    def end(self):
        self.over.set()
        self.thread.join(10)

    def judge(self, verdict):
        verdict(self.n > 5 and self.worst < 3, f"of {self.n} probes {self.failed} failed, {self.worst} in a row")


class Verdicts:
    def __init__(self):
        self.failed = 0

    def __call__(self, good, what):
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} - tenants: {what} ({time.monotonic() - BEGAN:.0f} s)", flush=True)


def medians(rounds):
    return {what: statistics.median(r[what] for r in rounds) for what in rounds[0]}


def too_slow(alone, beside, spare_s):
    """The names of the steps that take too long beside the others; "": none."""
    return ", ".join(what for what, before in alone.items() if beside[what] > TIMES * before + spare_s)


def compare(verdict, alone, beside, spare_s, whom):
    """Each step of the tenant that harms nobody, beside the others and alone."""
    for what, before in alone.items():
        verdict(not too_slow({what: before}, beside, spare_s), f"{what}: {beside[what]:.1f} s beside {whom}, {before:.1f} s alone")
