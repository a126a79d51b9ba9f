"""SlurmJobs with the real Kubernetes and the real Slurm: what becomes of a job is told, and one object is one job whoever is killed."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

import bridge_kills
import red_box
from red_box import check, in_slurm, ok, until

NODE = "slurm-box-all"
red_box.STORY = "bridge"


def kubectl(*args, given=None):
    done = subprocess.run(["kubectl", "-n", "bridge", *args], input=given, capture_output=True, text=True)
    check(done.returncode == 0, "kubectl " + " ".join(args), done.stderr)
    return done.stdout


class Program:
    """One of ours, which is killed by its number."""

    def __init__(self, name, account, port, *args):
        self.name, self.port, self.process = name, port, None
        self.argv = [os.environ["OPERATOR"], name, f"--health-probe-bind-address=127.0.0.1:{port}", f"--metrics-bind-address=127.0.0.1:{port + 1}", *args]
        self.env = {**os.environ, "KUBECONFIG": f"{os.environ['WORK']}/{account}"}

    def start(self):
        with open(f"{os.environ['LOGS']}/bridge-{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(self.argv, stdout=log, stderr=log, env=self.env)

    def is_ready(self):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2).status == 200
        except OSError:
            return False

    def number(self):
        return self.process.pid

    def kill(self):
        self.process.kill()
        self.process.wait(10)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()


def slurm_job(name, script, **spec):
    return {"apiVersion": "wlm.sylabs.io/v1alpha1", "kind": "SlurmJob", "metadata": {"name": name}, "spec": {"batch": script, **spec}}


def apply(name, script, **spec):
    """As a user does it."""
    kubectl("apply", "-f", "-", given=json.dumps(slurm_job(name, script, **spec)))


def job(name):
    return json.loads(kubectl("get", "sj", name, "-o", "json"))


def status(name):
    return job(name).get("status", {})


def pod(name):
    return json.loads(kubectl("get", "pod", name + "-job", "-o", "json"))


def ends(name, seconds=60):
    return until(seconds, f"{name} to end", lambda: (s := status(name)).get("status") in ("Succeeded", "Failed") and s)


def of_slurm():
    """{key: [job]}"""
    found = {}
    for each in json.loads(in_slurm("squeue", "--json", "--states=all", "--user=slurm"))["jobs"]:
        found.setdefault(each["comment"], []).append(each)
    return found


# ---- the stories


def story_a_partition_is_a_node(_):
    def look():
        nodes = {each["metadata"]["name"]: each for each in json.loads(kubectl("get", "nodes", "-l", "type=virtual-kubelet", "-o", "json"))["items"]}
        return nodes.get(NODE)
    node = until(60, "the partition to be a node", look)
    ready = [c for c in node["status"]["conditions"] if c["type"] == "Ready"][0]
    check(ready["status"] == "True", "it is ready", ready)
    check(node["metadata"]["labels"]["wlm.sylabs.io/partition"] == "all", "its labels", node["metadata"]["labels"])
    check([t for t in node["spec"]["taints"] if t["key"] == "virtual-kubelet.io/provider" and t["value"] == "wlm"], "its taint", node["spec"])
    ok("a partition is a node, ready and tainted")


# Acceptance: V15
def story_a_job_runs_and_is_read(_):
    # given: the example, for a partition without limits
    kubectl("apply", "-f", "deploy/examples/cow.yaml")
    # then: it runs on Slurm, its output is read, its end is told
    until(60, "it to run", lambda: status("cow").get("status") in ("Running", "Succeeded"))
    end = ends("cow")
    uid = job("cow")["metadata"]["uid"]
    check(end["status"] == "Succeeded" and end["exitCode"] == 0, "its end", end)
    check([each["job_id"] for each in of_slurm()[uid]] == [int(end["jobId"])], "it is one job of Slurm", end, of_slurm().get(uid))
    check(end["nodeList"] == "box-0" and end["slurmState"] == "COMPLETED" and end["startTime"] <= end["endTime"], "what Slurm says of it", end)
    check(kubectl("logs", "cow-job") == "moo from box-0\n", "its output", kubectl("logs", "cow-job"))
    check(kubectl("get", "sj", "cow", "--no-headers").split()[2] == "Succeeded", "kubectl get says so")
    ok("a job runs on Slurm, kubectl get tells its end and kubectl logs its output")


# Acceptance: V17
def story_manifests_of_wlm_operator_are_taken_as_they_are(_):
    said = kubectl("apply", "--dry-run=server", "-f", "tests/cluster/wlm-operator.yaml", *(word for name in ("hello", "batch-example", "results") for word in ("-f", f"deploy/examples/{name}.yaml")))
    check(said.count("created (server dry run)") == 10, "each is taken", said)
    # and: a job for one partition runs there
    apply("there", "#!/bin/sh\nexit 0\n", nodeSelector={"kubernetes.io/hostname": NODE})
    check(ends("there")["status"] == "Succeeded", "it has run", status("there"))
    ok("manifests of wlm-operator are taken as they are, and a partition is chosen by the name of its node")


def given_a_volume(claim):
    """A folder of the machine, whose group Kubernetes sets as the pod asks for."""
    path = f"{os.environ['VOLUMES']}/bridge-{claim}"
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    anywhere = {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}]}}
    kubectl("delete", "pv", f"bridge-{claim}", "--ignore-not-found")
    kubectl("apply", "-f", "-", given=json.dumps({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"bridge-{claim}"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "local": {"path": path}, "nodeAffinity": anywhere, "claimRef": {"namespace": "bridge", "name": claim}}}))
    return path


def condition(name, kind):
    return next((c for c in status(name).get("conditions", []) if c["type"] == kind), {})


# Acceptance: V22, V23, V28
def story_results_come_into_a_volume(_):
    # given: the example, in a namespace that takes restricted pods only
    path = given_a_volume("results")
    kubectl("label", "namespace", "bridge", "--overwrite", "pod-security.kubernetes.io/enforce=restricted")
    kubectl("apply", "-f", "deploy/examples/results.yaml")
    # then: the job has ended, and a pod has copied what it wrote
    check(ends("results")["status"] == "Succeeded", "it ends", status("results"))
    told = until(90, "its results", lambda: (c := condition("results", "ResultsCollected")).get("status") == "True" and c)
    check("3 files" in told["message"], "how many", told)
    with open(f"{path}/results-job/squares/3.txt") as f:
        check(f.read() == "9, by box-0\n", "what is in one of them")
    ok("results come into a volume, by a pod that is restricted: " + told["message"])
    # when: another job has that volume as its inputs
    kubectl("apply", "-f", "deploy/examples/prepare.yaml")
    # then: it is submitted when they are there, and finds them
    check(ends("prepare")["status"] == "Succeeded", "a job with inputs ends", status("prepare"))
    told = condition("prepare", "InputsPrepared")
    check(told.get("status") == "True" and "3 files" in told["message"], "how many were brought", told)
    check(kubectl("logs", "prepare-job").split() == ["1,", "by", "box-0", "4,", "by", "box-0", "9,", "by", "box-0"], "what it read", kubectl("logs", "prepare-job"))
    check(len(of_slurm()[job("prepare")["metadata"]["uid"]]) == 1, "it is one job", of_slurm())
    # when: somebody wants it to have been others; then: that is refused, of the folder and of each kind of volume, also of one that the schema does not name
    for other in '{"to":"/elsewhere"}', '{"mount":{"persistentVolumeClaim":{"claimName":"other"}}}', '{"mount":{"persistentVolumeClaim":null,"hostPath":{"path":"/"}}}', '{"mount":{"persistentVolumeClaim":null,"quobyte":{"volume":"x"}}}':
        change = ["kubectl", "-n", "bridge", "patch", "sj", "prepare", "--type=merge", "-p", '{"spec":{"prepare":' + other + "}}"]
        said = subprocess.run(change, capture_output=True, text=True)
        check(said.returncode != 0 and "prepare cannot be changed" in said.stderr, "inputs of a job cannot be changed", said.stdout + said.stderr)
    kubectl("label", "namespace", "bridge", "pod-security.kubernetes.io/enforce-")
    ok("inputs come out of a volume before the job: " + told["message"])


# Acceptance: V9, word-13
def story_a_job_fails_with_its_code(_):
    apply("wrong", "#!/bin/sh\nexit 7\n")
    end = ends("wrong")
    check(end["status"] == "Failed" and end["exitCode"] == 7, "exit code 7", end)
    container = pod("wrong")["status"]["containerStatuses"][0]
    check(not container["ready"] and container["state"]["terminated"]["exitCode"] == 7, "the pod says so, too", container)
    ok("a job that fails has its exit code")


def given_a_job_with_a_limit():
    """Slurm's shortest limit is a minute, so the job begins first. slurmctld forgets it five minutes after its end (MinJobAge)."""
    apply("limit", "#!/bin/sh\n#SBATCH --time=1\nsleep 600\n")


# Acceptance: V8, V35
def story_a_job_over_its_limit_has_timed_out(_):
    end = ends("limit", 180)
    uid = job("limit")["metadata"]["uid"]
    check((end["status"], end["reason"]) == ("Failed", "TIMEOUT"), "its end, in Slurm's word", end)
    check(["TIMEOUT"] == of_slurm()[uid][0]["job_state"], "which is that of Slurm", of_slurm()[uid])
    told = kubectl("get", "events", "--field-selector=involvedObject.kind=SlurmJob,involvedObject.name=limit", "-o", "jsonpath={.items[*].reason}").split()
    check(all(told.count(reason) == 1 for reason in ("Submitted", "Started", "Failed")), "an Event for each thing that became of it", told)
    ok("a job over its limit of time has failed with TIMEOUT, and each thing that became of it is one Event")


def story_a_deleted_job_is_cancelled(_):
    apply("long", "#!/bin/sh\nsleep 600\n")
    until(60, "it to run", lambda: status("long").get("status") == "Running")
    uid = job("long")["metadata"]["uid"]
    kubectl("delete", "sj", "long", "--timeout=60s")
    left = of_slurm()[uid][0]
    check("CANCELLED" in left["job_state"], "Slurm has cancelled it", left["job_state"])
    ok("a job whose object is deleted is cancelled before the object goes")


def story_a_pod_that_is_deleted_tells_the_end_of_its_job(_):
    apply("bereft", "#!/bin/sh\nsleep 600\n")
    until(60, "it to run", lambda: status("bereft").get("status") == "Running")
    kubectl("delete", "pod", "bereft-job", "--wait=false")
    kubectl("wait", "--for=condition=Failed", "sj/bereft", "--timeout=90s")
    end = status("bereft")
    check(end["status"] == "Failed" and end["reason"] == "CANCELLED", "how it ended", end)
    check("its pod was deleted, so the job was cancelled" in condition("bereft", "Ended")["message"], "why", condition("bereft", "Ended"))
    until(60, "its pod to go", lambda: not kubectl("get", "pod", "bereft-job", "--ignore-not-found", "-o", "name"))
    check(status("bereft") == end, "nothing else is told afterwards", status("bereft"))
    ok("a pod that is deleted by hand tells the end of its job before it goes")


def story_clients_can_wait_for_each_end(_):
    kubectl("wait", "--for=condition=Complete", "sj/cow", "--timeout=60s")
    apply("refused", "#!/bin/sh\ntrue\n", results={"mount": {"name": "data", "hostPath": {"path": "/tmp"}}})
    kubectl("wait", "--for=condition=Failed", "sj/refused", "--timeout=60s")
    columns = kubectl("get", "slurm")
    check("VolumeNotAllowed" in columns, "the columns", columns)
    check(status("refused")["status"] == "Failed", "status.status", status("refused"))
    ok("clients can wait for Complete and Failed, also of an object that is refused")


def story_what_is_shown_says_that_its_source_is_away(world):
    apply("shown", "#!/bin/sh\nsleep 45\n")
    until(60, "it to run", lambda: status("shown").get("status") == "Running")
    world["virtual-node"].stop()
    until(200, "the object to say that it may be old", lambda: status("shown").get("reason") == "VirtualNodeAway")
    check("as was seen at" in condition("shown", "Ended")["message"], "since when", condition("shown", "Ended"))
    world["virtual-node"].start()
    check(ends("shown", 120)["status"] == "Succeeded", "its end", status("shown"))
    ok("while the virtual node is away the object says since when")


# Acceptance: V7
def story_a_job_that_waits_says_why(_):
    apply("held", "#!/bin/sh\n#SBATCH --hold\nexit 3\n")
    until(60, "the reason", lambda: status("held").get("reason", "").startswith("JobHeld"))
    check(status("held")["status"] == "Pending", "it is Pending")
    in_slurm("scontrol", "release", status("held")["jobId"])
    check(ends("held")["exitCode"] == 3, "it ends as it does")
    ok("a job that waits says why, in Slurm's word")


# Acceptance: job-19
def story_a_job_that_no_partition_takes_says_what_each_misses(_):
    labels = json.loads(kubectl("get", "node", NODE, "-o", "json"))["metadata"]["labels"]
    most = int(labels["wlm.sylabs.io/cpu-per-node"])
    # given: more CPUs than any has, and a label that is none's
    apply("large", f"#!/bin/sh\n#SBATCH --cpus-per-task={most + 1}\ntrue\n")
    apply("elsewhere", "#!/bin/sh\ntrue\n", nodeSelector={"example.com/site": "north"})

    def says(name, sentence):
        until(60, f"{name} to say: {sentence}", lambda: condition(name, "Ended").get("message") == sentence)
        check(condition(name, "Ended")["reason"] == "NoPartitionFits", "its reason", condition(name, "Ended"))
    # then: both say what it misses, and an Event does
    says("large", f"no partition fits: box/all: {most + 1} CPUs a node asked for, it has {most}")
    says("elsewhere", "no partition fits: box/all: no label example.com/site=north")
    until(30, "an Event", lambda: "box/all: no label" in kubectl("get", "events", "--field-selector=reason=NoPartitionFits,involvedObject.name=elsewhere"))
    # when its administrator sets it DOWN: that, too, and the node says it
    in_slurm("scontrol", "update", "partitionname=all", "state=down")
    try:
        says("elsewhere", "no partition fits: box/all: no label example.com/site=north, it is DOWN in Slurm")
        until(10, "the node to say it", lambda: [c["reason"] for c in json.loads(kubectl("get", "node", NODE, "-o", "json"))["status"]["conditions"]
                                                 if c["type"] == "wlm.sylabs.io/PartitionAvailable"] == ["PartitionDown"])
    finally:
        in_slurm("scontrol", "update", "partitionname=all", "state=up")
    # when it is UP again and cordoned: that alone
    kubectl("cordon", NODE)
    says("elsewhere", "no partition fits: box/all: no label example.com/site=north, is cordoned")
    kubectl("uncordon", NODE)
    # when it has the label: it runs there, and the sentence goes
    kubectl("label", "node", NODE, "example.com/site=north")
    check(ends("elsewhere", 120)["status"] == "Succeeded" and condition("elsewhere", "Ended")["reason"] == "Succeeded", "it runs", status("elsewhere"))
    kubectl("label", "node", NODE, "example.com/site-")
    # and one that fits nowhere goes at once
    kubectl("delete", "sj", "large", "--timeout=30s")
    ok("a job that no partition takes says what each one misses, until one fits")


# Acceptance: V11
def story_an_array_is_judged_by_all_its_tasks(_):
    apply("array", "#!/bin/sh\n#SBATCH --array=0-3\n[ $SLURM_ARRAY_TASK_ID != 2 ]\n")
    end = ends("array", 90)
    check(end["status"] == "Failed" and end["array"]["succeeded"] == 3 and end["array"]["failed"] == 1, "three of four", end)
    ok("an array has failed when one of its tasks has")


# Acceptance: V11
def story_a_task_that_is_requeued_has_not_failed(_):
    # given: one of two tasks fails for what somebody has forgotten; the other one waits
    files = ("/tmp/array-mended", "/tmp/array-goes-on")
    apply("mended", f"#!/bin/sh\n#SBATCH --array=0-1 --requeue\n[ $SLURM_ARRAY_TASK_ID = 1 ] || exec test -e {files[0]}\nuntil test -e {files[1]}; do sleep 1; done\n")
    until(90, "a task to have failed", lambda: status("mended").get("array", {}).get("failed") == 1)
    # when it is mended and requeued
    in_slurm("touch", files[0])
    in_slurm("scontrol", "requeue", f"{status('mended')['jobId']}_0")
    # then: it is one that has succeeded, and so is the job
    until(200, "that task to have succeeded", lambda: (a := status("mended").get("array", {})).get("succeeded") == 1 and a.get("failed") == 0)
    in_slurm("touch", files[1])
    end = ends("mended", 90)
    in_slurm("rm", *files)
    check(end["status"] == "Succeeded" and end["array"]["succeeded"] == 2 and end["array"]["failed"] == 0, "both", end)
    ok("a task that has failed and is requeued counts as what it is then")


# Acceptance: V25
def story_a_pod_of_nobody_is_no_job(_):
    before = len(of_slurm())
    stray = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "stray"},
             "spec": {"nodeName": NODE, "containers": [{"name": "c", "image": "none"}], "restartPolicy": "Never"}}
    kubectl("apply", "-f", "-", given=json.dumps(stray))
    end = until(30, "it to fail", lambda: (s := json.loads(kubectl("get", "pod", "stray", "-o", "json"))["status"])["phase"] == "Failed" and s)
    check(end["reason"] == "NotAJob" and len(of_slurm()) == before, "why, and nothing was submitted", end)
    kubectl("delete", "pod", "stray", "--wait=false")
    ok("a pod of nobody is refused, and nothing is submitted")


@contextlib.contextmanager
def programs():
    """red-box, manager and virtual node, ready."""
    box = red_box.Box(os.environ["BOX"].removeprefix("containerd://"))
    world = {
        "red-box": box,
        "manager": Program("manager", "manager", 18080, "--results-image=localhost/slurm-operator:0.1.0"),
        "virtual-node": Program("virtual-node", "virtual-node", 18090, f"--red-box=box={box.socket}", "--leader-election-namespace=bridge", f"--node-address={os.environ['NODE_IP']}",
                                f"--kubelet-bind-address={os.environ['NODE_IP']}:10260", f"--kubelet-client-ca={os.environ['PKI']}/ca.crt", f"--kubelet-cert-dir={os.environ['WORK']}/tls"),
    }
    for program in world.values():
        program.start()
    try:
        for name in ("manager", "virtual-node"):
            until(60, f"{name} to be ready", world[name].is_ready)
        yield world
    finally:
        for program in world.values():
            program.stop()


def main():
    with programs() as world:
        given_a_job_with_a_limit()
        for story in (story_a_partition_is_a_node, story_a_job_runs_and_is_read, story_manifests_of_wlm_operator_are_taken_as_they_are,
                      story_results_come_into_a_volume, story_a_job_fails_with_its_code, story_a_deleted_job_is_cancelled, story_a_pod_that_is_deleted_tells_the_end_of_its_job,
                      story_a_job_over_its_limit_has_timed_out, story_clients_can_wait_for_each_end, story_what_is_shown_says_that_its_source_is_away, story_a_job_that_waits_says_why, story_a_job_that_no_partition_takes_says_what_each_misses,
                      story_an_array_is_judged_by_all_its_tasks, story_a_task_that_is_requeued_has_not_failed, story_a_pod_of_nobody_is_no_job):
            story(world)
        bridge_kills.story_one_object_is_one_job_whoever_is_killed(world, sys.modules[__name__])


if __name__ == "__main__":
    sys.exit(main())
