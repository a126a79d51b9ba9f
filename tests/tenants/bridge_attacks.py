"""Ways in which a tenant of Kubernetes harms the virtual node that serves all: by pods, by jobs, and by what is asked of the kubelet port. Each has a namespace of its own."""

import os

import campaign
from bridge_world import HOME, IDS, PLAYED, PODS, Kubelet, Tenant, until

SLEEPS = "#!/bin/sh\n#SBATCH --output=/dev/null\nsleep 3600\n"


class Attack(campaign.Attack, Tenant):
    """host is the address of its pods; what is asked through the API server comes from that one's."""

    def __init__(self, ns, host):
        Tenant.__init__(self, ns)
        self.host = host
        self.held = []  # connections that stay open

    def in_home(self, name):
        """A path below the folder of red-box."""
        return HOME / f"{self.ns}-{name}"

    def sparse(self, name, size):
        """A file that belongs to the account, as if a job had made it."""
        path = self.in_home(name)
        with open(path, "wb") as f:
            f.truncate(size)
        os.chown(path, IDS["bridge"], IDS["bridge"])
        return path

    def end(self):
        for wire in self.held:
            wire.close()

    @staticmethod
    def sends(wire, text):
        try:
            return wire.send(text) > 0
        except OSError:
            wire.close()
            return False

    @staticmethod
    def stands(wire):
        """The other end has not closed it. Nothing is read: what comes fills the room of the kernel."""
        wire.setblocking(False)
        try:
            wire.sendall(b"")
            return True
        except OSError:
            return False

    def hold(self, most, begin):
        """So many connections, made anew as often as they are closed."""
        self.held = [wire for wire in self.held if self.stands(wire)]
        for _ in range(most - len(self.held)):
            try:
                self.held.append(begin(len(self.held)))
            except OSError:
                return


# ---------------------------------------------------------------- pods


class FatPods(Attack):
    """Pods of nobody, bound to a virtual node by name, with as much as the API server takes in annotations like ours."""

    PODS_MADE = 1200
    pause_s = 0.5

    def begin(self):
        for i in range(self.PODS_MADE):
            self.pod(f"fat-{i}", "bad", annotations={"wlm.sylabs.io/x": "x" * 240_000})

    def turn(self):
        self.patch(f"fat-{self.turns % self.PODS_MADE}", {"metadata": {"annotations": {"wlm.sylabs.io/turn": str(self.turns)}}})


class RefusedPods(Attack):
    """Thousands of pods that are no job, and more all the time: each is told so."""

    pause_s = 0.2

    def begin(self):
        for i in range(2000):
            self.pod(f"refused-{i}", "bad")

    def turn(self):
        for i in range(5):
            at = self.turns * 5 + i
            self.pod(f"refused-{2000 + at}", "bad")
            self.api.ask("DELETE", f"{PODS.format(self.ns)}/refused-{at}")


class RestlessPods(Attack):
    """Pods of jobs that change a hundred times a second."""

    pause_s = 0.01

    def begin(self):
        for i in range(20):
            self.job(f"restless-{i}", "#!/bin/sh\n#SBATCH --hold\ntrue\n")

    def turn(self):
        self.patch(f"restless-{self.turns % 20}-job", {"metadata": {"annotations": {"wlm.sylabs.io/inputs-wanted": str(self.turns), "wlm.sylabs.io/job-id": str(self.turns)}}})


class HugeScripts(Attack):
    """Scripts as large as they may be, and lines of 50,000 words; when they are refused, others."""

    pause_s = 0.3

    def turn(self):
        comment = "x" * 250_000
        words = " ".join(f"--comment=w{i}" for i in range(18_000))  # 250 kB
        batch = (f"#!/bin/sh\n# {comment}\nexit 0\n", f"#!/bin/sh\n#SBATCH {words}\nexit 0\n", "#!/bin/sh\n" + "#SBATCH -Jx\n" * 20_000)[self.turns % 3]
        self.job(f"huge-{self.turns}", batch)
        if self.turns > 40:
            self.delete(f"huge-{self.turns - 40}")


class DownPartition(Attack):
    """Hundreds of jobs for a partition that is DOWN: Slurm refuses each for now, so each is tried again."""

    pause_s = 1.0

    def begin(self):
        for i in range(400):
            self.job(f"down-{i}", SLEEPS, "down")

    def turn(self):
        self.patch(f"down-{self.turns % 400}-job", {"metadata": {"annotations": {"example.com/turn": str(self.turns)}}})


class Arrays(Attack):
    """Arrays of the largest size, and for all their lives the log of each task is asked for."""

    pause_s = 0.05

    def begin(self):
        for i in range(2):
            self.job(f"array-{i}", f"#!/bin/sh\n#SBATCH --array=0-1000 --output={self.in_home('task-%a')}\necho $SLURM_ARRAY_TASK_ID\n", "small")
        self.kubelet = Kubelet()

    def turn(self):
        container = "jt1" if self.turns % 20 == 0 else f"task-{self.turns % 1001}"
        status, answer = self.kubelet.get(f"/containerLogs/{self.ns}/array-0-job/{container}")
        if status:
            answer.read()
            answer.close()


# ---------------------------------------------------------------- the kubelet port


class DeafFollowers(Attack):
    """A hundred and twenty "kubectl logs -f", of which none reads a byte."""

    def begin(self):
        self.kubelet = Kubelet()
        path = self.sparse("deaf", 1 << 30)
        self.job("deaf", f"#!/bin/sh\n#SBATCH --output={path} --open-mode=append\nsleep 3600\n")
        self.runs("deaf")

    def turn(self):
        self.hold(120, lambda _: self.kubelet.begin(f"/containerLogs/{self.ns}/deaf-job/jt1?follow=true"))


class WrongTokens(Attack):
    """Logs asked for without a token, and with one that is wrong and another one each time, as fast as answers come."""

    pause_s = 0.0

    def begin(self):
        self.kubelets = [Kubelet(self.host), Kubelet(self.host, "x")]

    def turn(self):
        kubelet = self.kubelets[self.turns % 2]
        kubelet.token = kubelet.token and f"wrong-{self.turns}-" + "x" * 2000
        status, answer = kubelet.get("/containerLogs/honest/none-job/jt1?follow=true")
        if status:
            answer.close()
        if status == 200:
            raise SystemExit("a wrong token was let in")


class DeafLists(Attack):
    """Lists of results with thousands of files, eight of each of six jobs, which nobody reads."""

    JOBS_MADE = 6

    def begin(self):
        folder = self.in_home("many")
        for part in range(20):
            (folder / f"part-{part}").mkdir(parents=True)
            for i in range(1000):
                (folder / f"part-{part}" / f"{'n' * 180}-{i}").touch()
        self.kubelets = []
        for i in range(self.JOBS_MADE):
            self.job(f"lists-{i}", SLEEPS, results={"from": str(folder), "mount": {"name": "v"}})
            self.kubelets.append(Kubelet(self.host, self.copier(f"lists-{i}", "collect")))

        self.runs("lists-0")

    def turn(self):
        self.hold(8 * self.JOBS_MADE, lambda n: self.kubelets[n % self.JOBS_MADE].begin(f"/results/{self.ns}/lists-{n % self.JOBS_MADE}-job"))


class StalledUploads(Attack):
    """The first pieces of inputs that never go on, and pieces of which one byte is missing."""

    JOBS_MADE = 48
    pause_s = 2.0

    def begin(self):
        self.kubelets = []
        for i in range(self.JOBS_MADE):
            self.job(f"stalls-{i}", SLEEPS, prepare={"to": f"{self.ns}-in", "mount": {"name": "v"}})
            self.kubelets.append(Kubelet(self.host, self.copier(f"stalls-{i}", "prepare")))

    def put(self, i, length, bytes_):
        query = f"path=f&offset=0&size={1 << 30}&mode=420&sha256={'0' * 64}"
        wire = self.kubelets[i].begin(f"/prepare/{self.ns}/stalls-{i}-job/file?{query}", "PUT", f"Content-Length: {length}\r\n")
        wire.sendall(bytes_)
        return wire

    def turn(self):
        piece = b"x" * (1 << 18)
        for i in range(self.JOBS_MADE // 2):
            try:
                self.put(i, len(piece), piece).close()
            except OSError:
                pass
        self.hold(self.JOBS_MADE // 2, lambda n: self.put(self.JOBS_MADE // 2 + n % (self.JOBS_MADE // 2), len(piece), piece[1:]))


class SlowConnections(Attack):
    """Hundreds of connections from one address with a byte now and then, before the handshake and behind it."""

    def begin(self):
        self.kubelet = Kubelet(self.host)

    def turn(self):
        self.held = [wire for wire in self.held if self.sends(wire, b"x")]
        for n in range(300 - len(self.held)):
            try:
                if n % 2:
                    wire = self.kubelet.plain()
                    wire.send(b"\x16\x03\x01")
                else:
                    wire = self.kubelet.context.wrap_socket(self.kubelet.plain())
                    wire.send(b"GET /healthz HTTP/1.1\r\nX: ")
                self.held.append(wire)
            except OSError:
                return


class LongLine(Attack):
    """A job whose output is one line of a terabyte with escape sequences at its end: its last lines, its whole, and all since a minute are asked for."""

    pause_s = 0.2

    def begin(self):
        path = self.sparse("line", 1 << 40)
        with open(path, "ab") as f:
            f.write(b"\x1b]0;owned\x07\x1b[2J\r\n" * 1000)
        self.job("line", f"#!/bin/sh\n#SBATCH --output={path} --open-mode=append --job-name=\x1b[31m\nsleep 3600\n")
        self.runs("line")
        self.kubelet = Kubelet()

    def turn(self):
        query = ("?tailLines=1002", "", "?sinceSeconds=60&tailLines=2000")[self.turns % 3]
        try:
            self.held.append(self.kubelet.begin(f"/containerLogs/{self.ns}/line-job/jt1{query}"))
        except OSError:
            return
        if len(self.held) > 20:
            self.held.pop(0).close()


class PlayedRedBox(Attack):
    """Jobs of the account that plays its red-box: its answers have 250,000 records (played_red_box.py)."""

    def begin(self):
        for i in range(8):
            self.job(f"played-{i}", SLEEPS)
        until(60, "the red-box that is played to be asked", (PLAYED.parent / "asked").exists)


WAVES = [[FatPods, RefusedPods, RestlessPods, HugeScripts], [DownPartition, Arrays, DeafFollowers, WrongTokens], [DeafLists, StalledUploads, SlowConnections, LongLine]]
