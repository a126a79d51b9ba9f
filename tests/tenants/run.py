"""Eleven tenants of one manager: ten of them hostile, each in its own way. The eleventh scales, rolls and deletes as if it were alone."""

import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench"))
from attacks import ATTACKS, GROUP  # noqa: E402
from campaign import Bounded, Campaign, Probes, Verdicts, Witness, compare, medians, say  # noqa: E402
from world import LOGS, PATIENCE, TOP, Api, Operator, in_slurm, kubectl, run, until  # noqa: E402

NS = "slurm"
SECONDS_OF_HARM = int(os.environ.get("SECONDS_OF_HARM", "120"))
MOST_MB = 128
LEASE = "0033bda7.slinky.slurm.net"
# Beside ten attacks the API server and the kubelet need the machine, too.
SPARE_S = 3.0


def shell(words, *args):
    return run("bash", "-c", ". tests/cluster/lib.sh; " + words, "bash", *args)


def apply_shell(words, *args):
    kubectl("apply", "-f", "-", text=shell(words, *args))


class Tenant:
    """Who harms nobody: a NodeSet that is used, and another with a job that runs through it all."""

    def __init__(self, api):
        self.api = api

    def status(self, name):
        return self.api.ask("GET", f"{GROUP}/namespaces/{NS}/nodesets/{name}").get("status", {})

    def pods(self, name):
        return self.api.ask("GET", f"/api/v1/namespaces/{NS}/pods?labelSelector=nodeset.slinky.slurm.net/name%3D{name}")["items"]

    def is_ready(self, name, n, updated=False):
        s = self.status(name)
        return s.get("readyReplicas") == n and len(self.pods(name)) == n and (not updated or s.get("updatedReplicas") == n)

    def wait_ready(self, name, n, updated=False):
        return until(120, f"{n} ready pods of {name}", lambda: self.is_ready(name, n, updated), 0.05)

    def patch(self, name, spec):
        self.api.ask("PATCH", f"{GROUP}/namespaces/{NS}/nodesets/{name}", {"spec": spec}, "application/merge-patch+json")

    def is_gone(self, name):
        items = self.api.ask("GET", f"{GROUP}/namespaces/{NS}/nodesets")["items"]
        return all(i["metadata"]["name"] != name for i in items) and not self.pods(name)

    def start_job(self):
        apply_shell('nodeset_yaml "$1" 1', "works")
        self.wait_ready("works", 1)
        until(60, "node works-0", lambda: "idle" in in_slurm("sinfo", "-hN", "-n", "works-0", "-o", "%T"), 0.5)
        self.job = shell('submit "$1" "$2"', "works-0", str(SECONDS_OF_HARM + 900)).strip()
        self.uid = self.pods("works")[0]["metadata"]["uid"]

    def job_runs(self):
        state = in_slurm("scontrol", "show", "job", self.job, "-o")
        return "JobState=RUNNING" in state and [p["metadata"]["uid"] for p in self.pods("works")] == [self.uid]

    def round(self, number):
        """Everything that is done with a NodeSet, and how long each takes."""
        took, name = {}, "used"
        apply_shell('nodeset_yaml "$1" 1', name)
        took["a NodeSet of one pod"] = self.wait_ready(name, 1)
        self.patch(name, {"replicas": 3})
        took["1 to 3 pods"] = self.wait_ready(name, 3)
        self.patch(name, {"template": {"metadata": {"annotations": {"example.com/round": str(number)}}},
                          "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}}})
        took["a new template"] = until(5, "the new template to be seen", lambda: self.status(name).get("updatedReplicas") != 3, 0.02)
        took["a new template"] += self.wait_ready(name, 3, updated=True)
        until(60, "their nodes", lambda: in_slurm("sinfo", "-hN", "-n", f"{name}-[0-2]", "-t", "idle", "-o", "%T").split().count("idle") == 3, 0.2)
        self.patch(name, {"replicas": 1})
        took["3 to 1 pods"] = until(120, "one pod", lambda: len(self.pods(name)) == 1, 0.05)
        kubectl("-n", NS, "delete", "nodeset", name, "--wait=false")
        took["its deletion"] = until(120, "the end of the NodeSet", lambda: self.is_gone(name), 0.05)
        return took


LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NS}/leases"


def leader(api):
    spec = api.ask("GET", f"{LEASES}/{LEASE}")["spec"]
    return spec["holderIdentity"], spec.get("leaseTransitions", 0)


def witness_of(api):
    api.ask("POST", LEASES, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "witness"}})

    def renew():
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
        api.ask("PATCH", f"{LEASES}/witness", {"spec": {"renewTime": now}}, "application/merge-patch+json")
    return Witness(renew)


class Manager:
    """The manager, which begins anew when it has ended, as a kubelet has it."""

    def __init__(self, host, witness):
        self.host, self.witness, self.over = host, witness, threading.Event()
        self.starts = []
        self.start()
        self.thread = threading.Thread(target=self.keep, daemon=True)
        self.thread.start()

    def start(self):
        # The CPU request of its pod would give it as much on a busy machine. Without it 95 % of its time was spent waiting for a CPU (load 40).
        self.operator = Operator("--leader-elect", "--leader-election-namespace", NS, address=self.host, niceness=-10)
        self.starts.append(time.monotonic())

    def keep(self):
        while not self.over.wait(1):
            if self.operator.process.poll() is not None:
                say(f"the manager has ended with {self.operator.process.poll()}, and begins anew; {self.witness}")
                self.start()

    def memory_mb(self, field="VmRSS"):
        return self.operator.memory_mb(field)

    def stop(self):
        self.over.set()
        self.thread.join(10)
        self.operator.stop()


def judge(verdict, alone, beside, tenant, manager, probes, led, witness, api):
    compare(verdict, alone, beside, SPARE_S, "ten hostile tenants")
    verdict(tenant.job_runs(), "its job has run through it all, in the pod in which it began")
    peak = manager.memory_mb("VmHWM")
    verdict(peak < MOST_MB, f"the manager never had more than {peak:.0f} MB of memory, of {MOST_MB} MB")
    ends = len(manager.starts) - 1
    # A manager gives a request about its Lease 5 s.
    verdict((ends == 0 and leader(api) == led) or witness.longest_s >= 5,
            f"one manager led all the time: it ended {ends} times; {witness}")
    probes.judge(verdict)


def said(*words):
    done = subprocess.run(["kubectl", "-n", NS, *words], capture_output=True, text=True)
    return done.stdout + done.stderr


def in_short(api, manager):
    """The tenant's objects in one line: a verdict keeps its line where the rest of the output is cut."""
    parts = [f"starts of the manager {len(manager.starts)}, {manager.witness}"]
    for path in (f"{GROUP}/namespaces/{NS}/nodesets", f"/api/v1/namespaces/{NS}/pods?labelSelector=nodeset.slinky.slurm.net/name"):
        for item in api.ask("GET", path)["items"]:
            meta, status = item["metadata"], item.get("status", {})
            parts.append(f"{meta['name']} deleted {meta.get('deletionTimestamp', 'no')[-9:]} finalizers {len(meta.get('finalizers', []))} "
                         f"{status.get('phase', '')} {meta.get('annotations', {}).get('nodeset.slinky.slurm.net/node-cordon', '')}".strip())
    parts.append("slurm: " + " ".join(in_slurm("sinfo", "-hN", "-O", "NodeName:12,StateLong:30,Reason:40").split()))
    return "; ".join(parts)[:900]


def explain(api, manager):
    """Prints the tenant's objects, its events, and the last lines of the manager about its namespace."""
    for words in (["get", "pods,nodesets,clusters", "-o", "wide"], ["get", "nodesets,pods", "-o", "yaml"], ["get", "lease", "-o", "yaml"], ["get", "events"]):
        print("\n".join("# " + line for line in said(*words).splitlines()[-400:]), flush=True)
    with open(os.path.join(LOGS, "bench-operator.log"), errors="replace") as f:
        own = [line for line in f if f'"namespace":"{NS}"' in line or '"namespace"' not in line]
    print("".join("# " + line[:400] + ("" if line.endswith("\n") else "\n") for line in own[-200:]), flush=True)
    try:
        print(f"not ok - tenants: what there was: {in_short(api, manager)}", flush=True)
    except (SystemExit, OSError) as e:
        print(f"not ok - tenants: what there was is not known: {e}", flush=True)


def leave():
    """The tenant's own, while a manager lives that lets them go."""
    def is_released(name):
        """A deletion without this annotation would wait for the job."""
        done = subprocess.run(["kubectl", "-n", NS, "annotate", "--overwrite", "nodeset", name, "nodeset.slinky.slurm.net/release-now=true"],
                              capture_output=True, text=True)
        return done.returncode == 0 or "NotFound" in done.stderr
    for name in ("works", "used"):
        until(30, f"the annotation of NodeSet {name}", lambda n=name: is_released(n), 1)
        kubectl("-n", NS, "delete", "nodeset", name, "--ignore-not-found", f"--timeout={60 * PATIENCE}s")


def throw_out(api):
    """Nobody asks a hostile Slurm for leave, and no manager is there that would give the finalizers back."""
    spaces = [f"harm-{i}" for i in range(len(ATTACKS))]
    for ns in spaces:
        for plural in ("nodesets", "clusters"):
            for item in api.ask("GET", f"{GROUP}/namespaces/{ns}/{plural}")["items"]:
                api.ask("PATCH", f"{GROUP}/namespaces/{ns}/{plural}/{item['metadata']['name']}", {"metadata": {"finalizers": None}},
                        "application/merge-patch+json")
    subprocess.run(["kubectl", "delete", "namespace", *spaces, "--ignore-not-found", "--timeout=120s"], capture_output=True)


def play(api, host, verdict):
    began = time.monotonic()
    witness = witness_of(Api(NS, "tenants"))
    manager = Manager(host, witness)
    servers = subprocess.Popen([sys.executable, os.path.join(TOP, "tests", "tenants", "slurmrestd.py"), host])
    campaign = Campaign([kind(Bounded(Api(NS, "tenants"), witness), f"harm-{i}", host) for i, kind in enumerate(ATTACKS)])
    probes = None
    try:
        apply_shell("cluster_yaml")
        tenant = Tenant(api)
        until(30, "the Cluster to be ready", lambda: api.ask("GET", f"{GROUP}/namespaces/{NS}/clusters/slurm").get("status", {}).get("isReady"))
        tenant.start_job()
        tenant.round(0)
        # An UNDRAIN of a manager before this one may come for a minute (SLURM_LATE_MS), and what is drained meanwhile waits for that.
        time.sleep(max(0, began + 62 - time.monotonic()))
        alone = medians([tenant.round(i) for i in (1, 2)])
        led = leader(api)
        say("alone: " + ", ".join(f"{what} {s:.1f} s" for what, s in alone.items()))
        probes = Probes(f"http://{host}:18081/healthz")
        campaign.begin()
        until(240, "all to attack", campaign.all_at_work, 0.2)
        say(f"ten tenants attack, for {SECONDS_OF_HARM} s")
        rounds, memory, end = [], [], time.monotonic() + SECONDS_OF_HARM
        while time.monotonic() < end or len(rounds) < 2:
            rounds.append(tenant.round(10 + len(rounds)))
            memory.append(manager.memory_mb("VmRSS"))
            campaign.check()
        beside = medians(rounds)
        say(f"beside them, {len(rounds)} rounds: " + ", ".join(f"{what} {s:.1f} s" for what, s in beside.items()))
        say("memory of the manager after each round: " + ", ".join(f"{mb:.0f}" for mb in memory) + " MB")
        probes.end()
        judge(verdict, alone, beside, tenant, manager, probes, led, witness, api)
    except SystemExit:
        explain(api, manager)
        raise
    finally:
        campaign.end()
        witness.end()
        servers.kill()
        if probes:
            probes.end()
        try:
            leave()
        except SystemExit:
            explain(api, manager)
            raise
        finally:
            manager.stop()
            api.ask("DELETE", f"{LEASES}/witness")
            throw_out(api)


def main():
    verdict = Verdicts()
    host = kubectl("get", "node", "-o", "jsonpath={.items[0].status.addresses[?(@.type=='InternalIP')].address}").strip()
    kubectl("create", "serviceaccount", "tenants", "-n", NS)
    try:
        for i in range(len(ATTACKS)):
            kubectl("create", "namespace", f"harm-{i}")
        kubectl("create", "clusterrolebinding", "tenants", "--clusterrole=cluster-admin", f"--serviceaccount={NS}:tenants")
        play(Api(NS, "tenants"), host, verdict)
    except SystemExit as e:
        before = f", after: {e.__context__}" if e.__context__ else ""
        verdict(False, f"the story is played to its end: {e}{before}")
    finally:
        kubectl("delete", "serviceaccount", "tenants", "-n", NS)
        kubectl("delete", "clusterrolebinding", "tenants", "--ignore-not-found")
    sys.exit(verdict.failed != 0)


main()
