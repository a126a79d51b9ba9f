#!/usr/bin/env python3
"""The exporter beside squeue, scontrol, sinfo and sdiag of the same Slurm, over random queues. tests/cluster/exporter starts it, inside the cluster."""
import collections
import datetime
import gzip
import json
import os
import random
import re
import subprocess
import sys
import time
import urllib.request

NS, URL, SERVER, ROUNDS, SEED = sys.argv[1:6]
PAGE = "http://127.0.0.1:9105/metrics"
JOB_BASES = "BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED PENDING PREEMPTED RUNNING SUSPENDED TIMEOUT NODE_FAIL OUT_OF_MEMORY".split()
NODE_BASES = "ALLOCATED DOWN ERROR FUTURE IDLE MIXED".split()
NODE_FLAGS = {"COMPLETING": "completing", "DRAIN": "drain", "FAIL": "fail", "MAINTENANCE": "maintenance", "NOT_RESPONDING": "notresponding", "PLANNED": "planned",
              "REBOOT_REQUESTED": "rebootrequested", "RESERVED": "reserved"}
WORDS = {"BOOT_FAIL": "bootfail", "NODE_FAIL": "nodefail", "OUT_OF_MEMORY": "outofmemory"}
compared, seen, gres_seen = 0, collections.Counter(), collections.Counter()


def ctl(*words, ok=False):
    done = subprocess.run(["kubectl", "-n", NS, "exec", "deploy/slurm-controller", "-c", "slurmctld", "--", *words], capture_output=True, text=True, timeout=60)
    if done.returncode and not ok:
        raise SystemExit(f"not ok - exporter: {' '.join(words)}: {done.stderr}")
    return done.stdout


def scrape(**headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return urllib.request.urlopen(urllib.request.Request(PAGE, headers={"Authorization": "Bearer s3cret", **headers}), timeout=10)


def page(accept="text/plain"):
    with scrape(Accept=accept) as answer:
        return answer.read().decode(), answer.headers["Content-Type"]


def packed_page():
    """As a client gets it that takes gzip: the first scrapes may be plain, until a page was packed."""
    for _ in range(40):
        with scrape(Accept_Encoding="gzip") as answer:
            if answer.headers["Content-Encoding"] == "gzip":
                body = answer.read()
                return gzip.decompress(body).decode(), len(body)
        time.sleep(0.25)
    raise SystemExit("not ok - exporter: no page is ever packed")


def is_refused(authorization):
    try:
        scrape(Authorization=authorization).close()
    except urllib.error.HTTPError as e:
        return e.code == 401 and e.headers["WWW-Authenticate"] == "Bearer"
    return False


def samples(text):
    return {m[1]: float(m[2]) for m in re.finditer(r"^([a-z_]+(?:\{[^\n]*\})?) (\S+)$", text, re.M)}


def submit(rest_user, job):
    """By slurmrestd, in the name of a user."""
    body = json.dumps({"script": "#!/bin/sh\nsleep 600\n", "job": {"current_working_directory": "/tmp", "environment": ["PATH=/bin:/usr/bin"], "standard_output": "/dev/null",
                                                                    "standard_error": "/dev/null", **job}}).encode()
    request = urllib.request.Request(f"{SERVER}/slurm/v0.0.42/job/submit", data=body, headers={
        "X-SLURM-USER-TOKEN": os.environ["SLURM_JWT"], "X-SLURM-USER-NAME": rest_user, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return not json.load(answer)["errors"]
    except urllib.error.HTTPError:
        return False


# ---- what Slurm's own programs say

def told():
    """Jobs, nodes, partitions and statistics, as text: what has not changed between two looks can be compared."""
    jobs = ctl("squeue", "-a", "-h", "-t", "all", "-o", "%i|%T|%P|%u|%U|%a|%D|%Q|%C")
    nodes = ctl("scontrol", "-o", "-d", "show", "nodes")
    nodes = re.sub(r"(CPULoad|FreeMem|LastBusyTime|CurrentWatts|AveWatts|SlurmdStartTime|BootTime)=\S*", "", nodes)
    return jobs, nodes, ctl("sinfo", "-a", "-h", "-o", "%R|%F|%C"), list(eligible(shown := ctl("scontrol", "-o", "-d", "show", "jobs"))), list(gres_of_jobs(shown))


def eligible(text):
    """Of each pending job that is not held: its partitions and when it became eligible. A job that was requeued becomes eligible some seconds later."""
    for line in sorted(text.splitlines()):
        of = dict(re.findall(r"(\w+)=(\S*)", line))
        if of.get("JobState") == "PENDING" and of["Priority"] != "0" and of["EligibleTime"] != "Unknown":
            yield of["Partition"].split(","), datetime.datetime.fromisoformat(of["EligibleTime"] + "+00:00").timestamp()


def gres_of(text):
    """Of "gpu:a100:2(IDX:0-1),fpga:1(CNT:1)": how many of each name and type."""
    counts = collections.Counter()
    for name, parts, inside in re.findall(r"(\w+)((?::[^:,(]+)*)(\([^)]*\))?", text if text != "(null)" else ""):
        words = parts.split(":")[1:]
        count = int(inside[5:-1]) if inside.startswith("(CNT:") else int(words.pop()) if words else 1
        counts[name, words[0] if words else ""] += count
    return counts


def gres_of_jobs(text):
    """Of each job that has nodes: partitions, user, account and its GRES."""
    for line in sorted(text.splitlines()):
        of = dict(re.findall(r"(\w+)=(\S*)", line))
        if of.get("JobState") in ("RUNNING", "SUSPENDED", "CONFIGURING") and "JOB_GRES" in of:
            user, uid = re.fullmatch(r"(.*)\((\d+)\)", of["UserId"]).groups()
            yield of["Partition"].split(","), (uid, user), of["Account"].replace("(null)", ""), gres_of(of["JOB_GRES"])


def jobs_of(text):
    for line in text.splitlines():
        number, state, partitions, user, uid, account, count, priority, cpus = line.split("|")
        yield {"base": "RUNNING" if state == "CONFIGURING" else state, "state": state, "partitions": partitions.split(","), "user": (uid, user), "account": "" if account == "(null)" else account,
               "nodes": int(count), "held": int(priority) == 0, "cpus": int(cpus)}


def nodes_of(text):
    for line in text.splitlines():
        # the keys that count come once
        of = dict(re.findall(r"(\w+)=(\S*)", line))
        words = of["State"].split("+")
        yield {"name": of["NodeName"], "words": [w.rstrip("*$~#!%@^-") for w in words], "partitions": [p for p in of.get("Partitions", "").split(",") if p], "cpus": int(of["CPUTot"]),
               "effective": int(of["CPUEfctv"]), "alloc": int(of["CPUAlloc"]), "memory": int(of["RealMemory"]), "memory_alloc": int(of["AllocMem"]),
               "gres": gres_of(of["Gres"]), "used": gres_of(of["GresUsed"])}


# ---- what the page should say then

def labels(**of):
    return "{" + ",".join(f'{k}="' + v.replace("\\", "\\\\").replace('"', '\\"') + '"' for k, v in of.items()) + "}"


def count_jobs(want, prefix, of, jobs):
    counts = collections.Counter(j["base"] for j in jobs)
    want[f"{prefix}_total{of}"] = len(jobs)
    for base in JOB_BASES:
        name = WORDS.get(base, base.lower())
        want[f"{prefix}_{name}_total{of}"] = want[f"{prefix}_{name}{of}"] = counts[base]
    want[f"{prefix}_configuring_total{of}"] = sum(j["state"] == "CONFIGURING" for j in jobs)
    want[f"{prefix}_hold_total{of}"] = want[f"{prefix}_hold{of}"] = sum(j["held"] for j in jobs)
    want[f"{prefix}_waiting{of}"] = sum(j["base"] == "PENDING" and not j["held"] for j in jobs)
    want[f"{prefix}_cpus_alloc{of}"] = sum(j["cpus"] for j in jobs if j["base"] in ("RUNNING", "SUSPENDED"))


def count_nodes(want, prefix, of, nodes):
    want[f"{prefix}_total{of}"] = len(nodes)
    for base in NODE_BASES:
        want[f"{prefix}_{base.lower()}_total{of}"] = want[f"{prefix}_{base.lower()}{of}"] = sum(base in n["words"] for n in nodes)
    for flag, name in NODE_FLAGS.items():
        want[f"{prefix}_{name}_total{of}"] = sum(flag in n["words"] for n in nodes)
    want[f"{prefix}_powered_down{of}"] = sum("POWERED_DOWN" in n["words"] for n in nodes)


UNAVAILABLE = {"DOWN", "ERROR", "FUTURE", "UNKNOWN", "FAIL", "INVALID_REG", "NOT_RESPONDING", "DRAIN"}


def count_gres(want, prefix, of, nodes, states=True):
    for kind in {k for n in nodes for k in n["gres"]}:
        name = labels(**of, gres=kind[0], type=kind[1])

        def total(test):
            return sum(n["gres"][kind] for n in nodes if test & set(n["words"]))
        have, used = sum(n["gres"][kind] for n in nodes), sum(n["used"][kind] for n in nodes)
        want |= {f"{prefix}{name}": have, f"{prefix}_alloc{name}": used, f"{prefix}_idle{name}": have - used}
        if states:
            want |= {f"{prefix}_down{name}": total({"DOWN"}), f"{prefix}_drain{name}": total({"DRAIN"}),
                     f"{prefix}_unavailable{name}": sum(n["gres"][kind] - n["used"][kind] for n in nodes if UNAVAILABLE & set(n["words"]))}


def count_job_gres(want, prefix, of, jobs):
    counts = sum((j[3] for j in jobs), collections.Counter())
    for kind, count in counts.items():
        want[f"{prefix}_gres_alloc" + labels(**of, gres=kind[0], type=kind[1])] = count
    gres_seen.update(f"{name}:{kind}" for (name, kind), count in counts.items() if count)


def all_gres(text, nodes, partitions):
    want, jobs = {}, text[4]
    count_gres(want, "slurm_nodes_gres", {}, nodes)
    count_job_gres(want, "slurm_jobs", {}, jobs)
    for n in nodes:
        count_gres(want, "slurm_node_gres", {"node": n["name"]}, [n], states=False)
    for name in partitions:
        count_gres(want, "slurm_partition_nodes_gres", {"partition": name}, [n for n in nodes if name in n["partitions"]])
        count_job_gres(want, "slurm_partition_jobs", {"partition": name}, [j for j in jobs if name in j[0]])
    for user in {j[1] for j in jobs}:
        count_job_gres(want, "slurm_user_jobs", {"userid": user[0], "username": user[1]}, [j for j in jobs if j[1] == user])
    for account in {j[2] for j in jobs}:
        count_job_gres(want, "slurm_account_jobs", {"account": account}, [j for j in jobs if j[2] == account])
    return want


def wanted(text, at):
    jobs, nodes, want = list(jobs_of(text[0])), list(nodes_of(text[1])), {}
    partitions = {line.split("|")[0]: line.split("|")[1:] for line in text[2].splitlines()}
    count_jobs(want, "slurm_jobs", "", jobs)
    count_nodes(want, "slurm_nodes", "", nodes)
    want["slurm_node_total"] = want["slurm_nodes"] = len(nodes)
    for old, word in {"alloc": "ALLOCATED", "completing": "COMPLETING", "down": "DOWN", "drain": "DRAIN", "err": "ERROR", "idle": "IDLE", "maintenance": "MAINTENANCE", "mixed": "MIXED",
                      "reserved": "RESERVED"}.items():
        want[f"slurm_{old}_nodes"] = sum(word in n["words"] for n in nodes)
    for n in nodes:
        of = labels(node=n["name"])
        want |= {f"slurm_node_cpus_total{of}": n["cpus"], f"slurm_node_cpus{of}": n["cpus"], f"slurm_node_cpus_effective_total{of}": n["effective"], f"slurm_node_cpus_alloc_total{of}": n["alloc"],
                 f"slurm_node_alloc_cpus{of}": n["alloc"], f"slurm_node_idle_cpus{of}": n["effective"] - n["alloc"], f"slurm_node_memory_bytes{of}": n["memory"],
                 f"slurm_node_memory_installed_bytes{of}": n["memory"] << 20, f"slurm_node_memory_alloc_bytes{of}": n["memory_alloc"]}
    for name, (of_nodes, of_cpus) in partitions.items():
        of, here = labels(partition=name), [j for j in jobs if name in j["partitions"]]
        alone = [j for j in here if len(j["partitions"]) == 1]
        members = [n for n in nodes if name in n["partitions"]]
        count_jobs(want, "slurm_partition_jobs", of, here)
        count_nodes(want, "slurm_partition_nodes", of, members)
        free = [j for j in here if j["base"] == "PENDING" and not j["held"]]
        want |= {f"slurm_partition_jobs_known{of}": len(here), f"slurm_partition_jobs{of}": sum(j["state"] not in ("COMPLETED", "COMPLETING", "CANCELLED") for j in alone),
                 f"slurm_partition_pending_jobs{of}": sum(len(j["partitions"]) == 1 for j in free), f"slurm_partition_running_jobs{of}": sum(j["base"] == "RUNNING" for j in alone),
                 f"slurm_partition_hold_jobs{of}": sum(j["held"] for j in alone),
                 f"slurm_partition_jobs_pending_maxnodecount_total{of}": max([j["nodes"] for j in free], default=0)}
        since = [when for in_partitions, when in text[3] if name in in_partitions]
        if max(since, default=0) <= at:  # each was eligible when the exporter asked, which was later
            want[f"slurm_partition_jobs_waiting_since_timestamp_seconds{of}"] = min(since, default=None)
        # sinfo: allocated/idle/other/total
        want |= {f"slurm_partition_nodes{of}": int(of_nodes.split("/")[3]), f"slurm_partition_cpus{of}": int(of_cpus.split("/")[3]), f"slurm_partition_alloc_cpus{of}": int(of_cpus.split("/")[0]),
                 f"slurm_partition_nodes_cpus_alloc_total{of}": int(of_cpus.split("/")[0])}
    for user in {j["user"] for j in jobs}:
        mine = [j for j in jobs if j["user"] == user]
        count_jobs(want, "slurm_user_jobs", labels(userid=user[0], username=user[1]), mine)
        want["slurm_user_pending_jobs" + labels(user=user[1])] = sum(j["base"] == "PENDING" and not j["held"] for j in mine)
    for account in {j["account"] for j in jobs}:
        count_jobs(want, "slurm_account_jobs", labels(account=account), [j for j in jobs if j["account"] == account])
    return want | all_gres(text, nodes, partitions)


SDIAG = {"Jobs submitted": "jobs_submitted_total", "Jobs started": "jobs_started_total", "Jobs completed": "jobs_completed_total", "Jobs canceled": "jobs_canceled_total",
         "Jobs failed": "jobs_failed_total", "Server thread count": "thread_total", "Agent queue size": "agent_queue_total", "DBD Agent queue size": "dbdagentqueue_total"}


def statistics(text):
    found = dict(re.findall(r"^\s*([A-Z][\w ]+?):\s+(\d+)", text, re.M))
    return {f"slurm_scheduler_{name}": int(found[key]) for key, name in SDIAG.items() if key in found}


def requests(text):
    """Of sdiag, by type and by user: how many slurmctld has answered."""
    types, users = text.split("Remote Procedure Call statistics by message type")[1].split("Remote Procedure Call statistics by user")
    found = {"slurm_rpc_requests_total" + labels(type=t): int(n) for t, n in re.findall(r"^\s+(\w+)\s+\(\s*\d+\)\s+count:(\d+)", types, re.M)}
    return found | {"slurm_user_rpc_requests_total" + labels(userid=uid, username=user): int(n) for user, uid, n in
                    re.findall(r"^\s+(\S+)\s+\(\s*(\d+)\)\s+count:(\d+)", users.split("Pending RPC")[0], re.M)}


def compare():
    """Look, wait until the exporter has asked after that, scrape, look again: until nothing has changed in between."""
    global compared
    replanned = 0
    for _ in range(40):
        before, at, diag, began = told(), time.time(), ctl("sdiag"), time.monotonic()
        while True:
            # A page that arrives late was rendered before now: its ages are compared with the time of its request
            asked, have = time.monotonic(), samples(page()[0])
            ages = [have.get(f'slurm_exporter_data_age_seconds{{source="{s}"}}', 1e9) for s in ("nodes", "jobs", "partitions", "diag")]
            if max(ages) < asked - began:
                break
            time.sleep(0.1)
        time.sleep(0.15)  # the page follows an answer by 50 ms
        have, after = samples(page()[0]), told()
        if before != after or "COMPLETING" in before[0]:
            continue
        later = ctl("sdiag")
        want = wanted(before, at) | {k: v for k, v in statistics(diag).items() if statistics(later)[k] == v and "thread" not in k}
        wrong = [f"{k} is {have.get(k)}, Slurm says {v}" for k, v in want.items() if have.get(k) != v]
        # the programs of this test ask as well: the page lies between two looks
        most = requests(later)
        wrong += [f"{k} is {have.get(k)}, Slurm says {v} to {most[k]}" for k, v in requests(diag).items() if not v <= have.get(k, -1) <= most[k]]
        if len(most) < 5:
            wrong.append(f"sdiag has {len(most)} types and users")
        # While slurmctld plans anew no node is PLANNED, and then they are again: a look in between sees fewer (seen on 24.11.5)
        if wrong and all("_planned_total" in each for each in wrong) and replanned < 5:
            replanned += 1
            continue
        if wrong:
            print(before[0], before[1][:3000], "\n".join(wrong[:20]), sep="\n")
            raise SystemExit(f"not ok - exporter: {wrong[0]} (seed {SEED}, {len(wrong)} differences)")
        compared += len(want) + len(most)
        seen.update({j["state"] for j in jobs_of(before[0])} | {w for n in nodes_of(before[1]) for w in n["words"]})
        return len(list(jobs_of(before[0])))
    raise SystemExit("not ok - exporter: Slurm was never at rest")


# ---- a random queue

def gres_asked(dice, nodes):
    """One type for all nodes: of a job with several types Slurm's own totals (JOB_GRES, tres-alloc) leave some out."""
    kinds = ["gpu:a100:1", "gpu:a100:2", "gpu:h100:3", "fpga:1", "fpga:2", "gpu:a100:1,gres/fpga:1"] + (["gpu:1", "gpu:4"] if nodes == 1 else [])
    return {"tres_per_node": "gres/" + dice.choice(kinds)} if dice.random() < 0.5 else {}


def act(dice):
    users = ["slurm", "nobody", "daemon", "games"]
    for _ in range(dice.randint(1, 8)):
        what = dice.random()
        if what < 0.65:
            nodes = dice.randint(1, 4)
            gres = gres_asked(dice, nodes)
            partitions = ["all"] if "h100" in str(gres) else ["all", "workers", "extra", "workers,extra", "empty"]
            submit(dice.choice(users), {"partition": dice.choice(partitions), "minimum_nodes": nodes, "tasks": nodes, "hold": dice.random() < 0.3,
                                        "account": dice.choice(["", "physics", "che\"mi\\stry"]), "time_limit": dice.randint(5, 60),
                                        **({"array": "1-3"} if dice.random() < 0.2 else {}), **gres})
        elif what < 0.8:
            jobs = ctl("squeue", "-a", "-h", "-o", "%i").split()
            if jobs:
                ctl("scancel", dice.choice(jobs), ok=True)
        else:
            node = dice.choice(["w-0", "w-1", "e1", "e2", "e3"])
            ctl("scontrol", "update", f"nodename={node}", *dice.choice([["state=drain", "reason=x"], ["state=resume"], ["state=undrain"]]), ok=True)


def main():
    dice = random.Random(int(SEED))
    # given: jobs with GRES of two kinds that can start, whatever the dice say later
    for gres in ("gpu:h100:1", "fpga:1"):
        if not submit("slurm", {"partition": "all", "minimum_nodes": 1, "tasks": 1, "time_limit": 60, "tres_per_node": f"gres/{gres}"}):
            raise SystemExit(f"not ok - exporter: slurmrestd does not take a job with {gres}")
    for number in range(int(ROUNDS)):
        act(dice)
        jobs = compare()
        print(f"   queue {number + 1}: {jobs} jobs, {compared} values so far", flush=True)
    print(f"ok - exporter: {ROUNDS} random queues, {compared} values as squeue, scontrol, sinfo and sdiag say (seed {SEED})", flush=True)
    print("   states of jobs and words of nodes, and in how many queues they were:", ", ".join(f"{k} {n}" for k, n in sorted(seen.items())), flush=True)
    if len(gres_seen) < 2:
        raise SystemExit(f"not ok - exporter: jobs had only these GRES: {dict(gres_seen)}")
    print("ok - exporter: GRES that jobs had, and how often it was compared:", ", ".join(f"{k} {n}" for k, n in sorted(gres_seen.items())), flush=True)
    if not all(map(is_refused, ("", "Bearer", "Bearer s3cre", "Basic s3cret"))):
        raise SystemExit("not ok - exporter: a client without the token is not refused")
    print("ok - exporter: a client without the token is refused", flush=True)
    text, kind = page("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3")
    if "openmetrics" not in kind or not text.endswith("\n# EOF\n"):
        raise SystemExit("not ok - exporter: OpenMetrics is not what it should be")
    with open("build/tmp/exporter.openmetrics", "w") as f:
        f.write(text)
    print("ok - exporter: a client that asks for OpenMetrics gets it", flush=True)
    plain, (text, size) = page()[0], packed_page()
    if samples(text).keys() != samples(plain).keys() or size * 4 > len(text):
        raise SystemExit(f"not ok - exporter: {len(text)} bytes in {size} of gzip are not the page")
    print(f"ok - exporter: a client that takes gzip gets {size} bytes for {len(text)}", flush=True)


main()
