"""Measures what the design promises of NodeSets, each figure beside its limit. Progress goes to stderr, the table to stdout."""

import os
import statistics
import subprocess
import sys
import time

import review
import scrapes
from table import Table, say
from world import NS, World, apply, in_slurm, kubectl, nodeset, real_cluster, real_nodeset, settle, until

SIZES = [int(s) for s in os.environ.get("SIZES", "100 1000 10000").split()]
WORKS = os.environ.get("WORKS", "review exporter pods end held").split()
REST_S = int(os.environ.get("REST_S", "60"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
HELD_JOBS = 5000
TAKEN_OVER_S = 61  # SLURM_LATE_MS and a second: until then an UNDRAIN of a manager before may be on its way to a node, and its next pod waits
PODS = f"/api/v1/namespaces/{NS}/pods"


def body_like(pod):
    """What was posted for this pod, but of no NodeSet's."""
    spec = {k: v for k, v in pod["spec"].items() if k not in ("nodeName", "hostname", "subdomain")}
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {"generateName": "plain-", "labels": {**pod["metadata"]["labels"], "app": "plain"}, "annotations": pod["metadata"].get("annotations", {})}}


def at_rest(w, n):
    """Every pod ready and known to Slurm by its comment, and nothing left to do."""
    until(600, f"{n} pods to be ready", lambda: w.status("bench").get("readyReplicas", 0) == n, 0.2)
    until(600, "the comments of the nodes", lambda: in_slurm("scontrol", "show", "node", "-o").count('"podName":"bench-') >= n, 1)


def gone(w):
    return w.api.count(PODS) == 0


def ours(w, n):
    """Scales to n: the seconds until that many pods are there, and the seconds of CPU that the operator used."""
    settle()
    cpu = w.operator.cpu_s()
    w.scale("bench", n)
    took = until(900, f"{n} pods", lambda: w.api.count(PODS) == n, 0.1)
    return took, w.operator.cpu_s() - cpu


def plain_out_and_in(w, body, n):
    """The same POSTs and then deletions of such pods, by nothing but a client."""
    settle()
    out = w.plain.post(PODS, body, n)
    until(600, "the plain pods to be ready", lambda: all(p["status"].get("phase") == "Running" for p in w.pods()), 1)
    names = [p["metadata"]["name"] for p in w.pods()]
    settle()
    began = time.monotonic()
    w.plain.delete([f"{PODS}/{name}" for name in names])
    until(900, "no plain pod", lambda: gone(w), 0.05)
    return out, time.monotonic() - began


def rest(w):
    """Of a core, and bytes a minute, while nothing happens."""
    cpu, sent, began = w.operator.cpu_s(), w.slurmrestd_sent_bytes(), time.monotonic()
    time.sleep(REST_S)  # what is measured is this time
    seconds = time.monotonic() - began
    return 100 * (w.operator.cpu_s() - cpu) / seconds, (w.slurmrestd_sent_bytes() - sent) / 1e6 * 60 / seconds


def nothing():
    pass


def one_round(w, n, while_there):
    """Out, what is to be seen while the pods are there, in; and the same by a plain client. Figures by name."""
    w.slurm_nodes(n)  # the operator removes the nodes of pods that are gone for good
    w.start()
    apply(nodeset("bench", 0))
    until(30, "the NodeSet to be seen", lambda: w.status("bench").get("observedGeneration"))
    r = {}
    r["out"], r["out_cpu"] = ours(w, n)
    at_rest(w, n)
    body = body_like(w.pods()[0])
    while_there()
    r["in"], r["in_cpu"] = ours(w, 0)
    say(f"out {r['out']:.2f} s, in {r['in']:.2f} s")
    w.drop_nodeset("bench")
    r["turn"], r["turn_wall"] = w.operator.longest_turn_ms("cpu"), w.operator.longest_turn_ms("wall")
    w.stop_operator()
    until(120, "the NodeSet's pods to be gone", lambda: gone(w))
    say("the same by a plain client")
    r["plain_out"], r["plain_in"] = plain_out_and_in(w, body, n)
    return r


def at_rest_rows(w, table, n):
    """Rows of what the operator needs while nothing happens."""
    say("at rest")
    time.sleep(15)  # the last burst of news
    cpu, read = rest(w)
    memory, peak = w.operator.memory_mb(), w.operator.memory_mb("VmHWM")
    limits = n == 1000
    table.add("resident memory at rest", n, memory, "MB", {1000: 24, 10000: 64}.get(n), f"{peak:.1f} MB at most")
    table.add("CPU at rest", n, cpu, "%", 0.1 if limits else None)
    table.add("read from slurmrestd a minute at rest", n, read, "MB", 0.2 if limits else None)


def measure(w, table, n):
    rounds = []
    for i in range(ROUNDS if n <= 1000 else 1):
        say(f"{n} pods, round {i + 1}")
        rounds.append(one_round(w, n, nothing if i else lambda: at_rest_rows(w, table, n)))
        say("  ".join(f"{k} {v:.2f}" for k, v in rounds[-1].items()))
    m = {k: statistics.median(r[k] for r in rounds) for k in rounds[0]}
    table.add("longest turn of the loop, by the processor's time", n, max(r["turn"] for r in rounds), "ms", 50,
              f"{max(r['turn_wall'] for r in rounds):.0f} ms by the wall, beside API server, kwok and Slurm")
    limits = n == 1000
    table.add("pods out", n, m["out"], "s", 1.5 * m["plain_out"] if limits else None,
              f"{m['plain_out']:.2f} s plain POSTs; {m['out_cpu']:.2f} s CPU of the operator")
    table.add("idle nodes in, each drained first", n, m["in"], "s", 1.5 * m["plain_in"] + 2 if limits else None,
              f"{m['plain_in']:.2f} s plain deletion; {m['in_cpu']:.2f} s CPU of the operator")


def held_jobs(w, table, n):
    say(f"{n} pods and {HELD_JOBS} held jobs")
    w.start()
    apply(nodeset("bench", n))
    at_rest(w, n)
    in_slurm("sh", "-c", f"seq {HELD_JOBS} | xargs -P 8 -I{{}} sbatch -Q -H -o /dev/null --wrap true")
    time.sleep(15)
    cpu, read = rest(w)
    table.add(f"CPU at rest with {HELD_JOBS} held jobs", n, cpu, "%", 0.5)
    table.add(f"read from slurmrestd a minute, {HELD_JOBS} held jobs", n, read, "MB", 2)
    table.add(f"resident memory with {HELD_JOBS} held jobs", n, w.operator.memory_mb(), "MB", 28)
    in_slurm("scancel", "--state=PENDING", "--full")
    w.scale("bench", 0)
    until(300, "no pod", lambda: gone(w))
    w.stop_operator()


def free_and_deleted_at(w, node, path):
    """When Slurm first said that no job has the node, and when the pod got its deletionTimestamp, or was gone."""
    seen = {}

    def look():
        if "free" not in seen and not {"ALLOCATED", "MIXED", "COMPLETING"} & set(w.slurm_node(node)["state"]):
            seen["free"] = time.time()
        pods = w.api.ask("GET", path)["items"]
        return not pods or "deletionTimestamp" in pods[0]["metadata"]
    until(60, "the condemned pod to be deleted", look, 0.005)
    return seen.get("free", time.time()), time.time()


def job_ends(w, table, n):
    say(f"a job on a real slurmd, beside {n} nodes")
    w.start()
    kubectl("apply", "-f", "-", text=real_cluster())
    apply(nodeset("bench", n))
    at_rest(w, n)
    time.sleep(TAKEN_OVER_S)
    worst, slurm_worst, path = 0, 0, "/api/v1/namespaces/slurm/pods?labelSelector=nodeset.slinky.slurm.net/name%3Dbusy"
    for _ in range(3):
        kubectl("apply", "-f", "-", text=real_nodeset("busy", 1))
        until(60, "busy-0 to be idle", lambda: in_slurm("sinfo", "-hN", "-n", "busy-0", "-o", "%T").split() == ["idle"], 0.2)
        job = subprocess.Popen(["kubectl", "-n", "slurm", "exec", "deploy/slurm-controller", "-c", "slurmctld", "--", "srun", "-w", "busy-0",
                                "sh", "-c", "sleep 8; date +%s.%N"], stdout=subprocess.PIPE, text=True)
        until(30, "the job to run", lambda: "R" in in_slurm("squeue", "-h", "-w", "busy-0", "-o", "%t").split(), 0.1)
        kubectl("-n", "slurm", "scale", "nodeset", "busy", "--replicas=0")
        free, deleted = free_and_deleted_at(w, "busy-0", path)
        slurm_worst = max(slurm_worst, free - float(job.communicate()[0]))
        worst = max(worst, deleted - free)
        until(60, "busy-0 to be gone", lambda: not w.api.ask("GET", path)["items"], 0.2)
    table.add("end of a job, as Slurm says, to its pod's deletion, worst of 3", n, worst, "s", 1,
              f"{slurm_worst:.2f} s from the job's last word until Slurm says so")
    kubectl("-n", "slurm", "delete", "nodeset", "busy")
    in_slurm("sh", "-c", "scontrol delete nodename=busy-0 || true")  # unless the operator has; its slurmd is gone: Slurm would tell that a minute later, as a change of the nodes at rest
    w.scale("bench", 0)
    until(300, "no pod", lambda: gone(w))
    w.stop_operator()


def main():
    table = Table()
    if "review" in WORKS:
        review.measure(table)
    if "exporter" in WORKS:
        scrapes.measure(table)
    if not {"pods", "end", "held"} & set(WORKS):
        table.show()
        return 1 if table.missed() else 0
    with World() as w:
        for n in SIZES if "pods" in WORKS else []:
            measure(w, table, n)
        w.slurm_nodes(1000)
        if "end" in WORKS:
            job_ends(w, table, 1000)
        if "held" in WORKS:
            held_jobs(w, table, 1000)
    table.show()
    return 1 if table.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
