"""What the benchmark stands on: the API server, kwok's pods, the real Slurm with nodes that nobody runs, and the operator under test."""

import base64
import http.client
import json
import os
import re
import ssl
import subprocess
import tempfile
import time
import urllib.parse

NS = "bench"
NODE = "kwok-bench"
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOGS = os.path.join(os.environ.get("SLURM_OPERATOR_STATE", os.path.join(TOP, ".cluster")), "log")


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command)[:200]}: {done.stderr.strip()}")
    return done.stdout


def kubectl(*args, text=None):
    return run("kubectl", *args, text=text)


def in_slurm(*command):
    return kubectl("-n", "slurm", "exec", "deploy/slurm-controller", "-c", "slurmctld", "--", *command)


PATIENCE = int(os.environ.get("PATIENCE", "1"))


def until(seconds, what, check, every=0.02):
    """Waits for a condition, PATIENCE times as long as on an idle machine; gives the seconds that it took."""
    began = time.monotonic()
    seconds *= PATIENCE
    while not check():
        if time.monotonic() - began > seconds:
            raise SystemExit(f"bench: waited {seconds} s in vain for {what}")
        time.sleep(every)
    return time.monotonic() - began


def idle_share(seconds):
    """Of the whole machine, over so long."""
    def ticks():
        with open("/proc/stat") as f:
            row = [int(x) for x in f.readline().split()[1:9]]
        return row[3] + row[4], sum(row)
    idle, total = ticks()
    time.sleep(seconds)
    now_idle, now_total = ticks()
    return (now_idle - idle) / max(now_total - total, 1)


def settle():
    """What is measured begins on a machine at rest, for the operator and for its peer alike."""
    until(120, "the machine to be at rest", lambda: idle_share(1) > 0.85)


class Refused(SystemExit):
    """What the API server said no to; whoever does not expect it ends with its sentence."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


class Api:
    """A connection of our own to the API server, so that asking costs little."""

    def __init__(self, ns, account):
        self.token = kubectl("-n", ns, "create", "token", account, "--duration=12h").strip()
        self.server = kubectl("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.connection = http.client.HTTPSConnection(urllib.parse.urlparse(self.server).netloc, context=context)

    def ask(self, method, path, body=None, kind="application/json"):
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": kind}
        for again in (True, False):  # the server may have closed what was idle for long
            try:
                self.connection.request(method, path, body=json.dumps(body) if body is not None else None, headers=headers)
                answer = self.connection.getresponse()
                break
            except (OSError, http.client.HTTPException):
                self.connection.close()
                if not again:
                    raise
        content = json.loads(answer.read())
        if answer.status >= 300:
            raise Refused(answer.status, f"bench: {method} {path}: {content.get('message')}")
        return content

    def count(self, what=f"/api/v1/namespaces/{NS}/pods"):
        page = self.ask("GET", what + "?limit=1")
        return len(page["items"]) + page["metadata"].get("remainingItemCount", 0)


class Plain:
    """The peer: h2load, a plain HTTP/2 client, one connection, as many requests at once as the server takes."""

    def __init__(self, api):
        self.api = api

    def load(self, *args):
        text = run("h2load", "-c1", "-m100", "-H", "authorization: Bearer " + self.api.token, "-H", "content-type: application/json", *args)
        good = re.search(r"status codes: (\d+) 2xx", text)
        took = re.search(r"finished in ([\d.]+)(m?s)", text)
        total = re.search(r"requests: (\d+) total", text)
        if not good or not took or int(good[1]) != int(total[1]):
            raise SystemExit("bench: h2load: " + text)
        return float(took[1]) / (1000 if took[2] == "ms" else 1)

    def post(self, path, body, n):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump(body, f)
            f.flush()
            return self.load("-n", str(n), "-d", f.name, self.api.server + path)

    def delete(self, paths):
        with tempfile.NamedTemporaryFile("w", suffix=".uris") as f:
            f.write("".join(self.api.server + p + "\n" for p in paths))
            f.flush()
            return self.load("-n", str(len(paths)), "-H", ":method: DELETE", "-i", f.name)


class Operator:
    """The manager, and what the kernel says it costs."""

    def __init__(self, *args, address="127.0.0.1", niceness=0):
        binary = os.environ.get("OPERATOR", os.path.join(TOP, "build", "slurm-operator"))
        self.log = open(os.path.join(LOGS, "bench-operator.log"), "ab")
        self.process = subprocess.Popen(["nice", "-n", str(niceness), binary, "manager", "--metrics-bind-address", f"{address}:18080", "--health-probe-bind-address", f"{address}:18081", *args],
                                        stderr=self.log, stdout=self.log)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def memory_mb(self, field="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(field + r":\s+(\d+) kB", f.read())[1]) / 1024

    def longest_turn_ms(self, clock):
        """Of its event loop since its start; nothing else was done meanwhile."""
        connection = http.client.HTTPConnection("127.0.0.1", 18080)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        return 1000 * float(re.search(r'^slurm_operator_loop_turn_seconds_max\{clock="%s"\} (\S+)$' % clock, text, re.M)[1])

    def cpu_s(self):
        total = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/schedstat") as f:
                total += int(f.read().split()[0])
        return total / 1e9


def node():
    """A machine of kwok with room for every pod."""
    room = {"cpu": "100k", "memory": "1Pi", "pods": "20000"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": NODE, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": {"type": "kwok"}},
            "spec": {"taints": [{"key": "kwok", "value": "fake", "effect": "NoSchedule"}]}, "status": {"allocatable": room, "capacity": room}}


def nodeset(name, replicas):
    labels = {"app": name}
    return {"apiVersion": "slinky.slurm.net/v1alpha1", "kind": "NodeSet", "metadata": {"name": name, "namespace": NS},
            "spec": {"clusterName": "slurm", "serviceName": "none", "replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"nodeSelector": {"type": "kwok"}, "automountServiceAccountToken": False, "enableServiceLinks": False,
                                           "tolerations": [{"key": "kwok", "operator": "Exists"}],
                                           "containers": [{"name": "slurmd", "image": "none"}]}}}}


def real_nodeset(name, replicas):
    """Pods in which a real slurmd runs, beside slurmctld."""
    return run("bash", "-c", '. tests/cluster/lib.sh; cluster_yaml; echo ---; nodeset_yaml "$1" "$2"', "bash", name, str(replicas))


def real_cluster():
    """Where slurmctld of those pods is."""
    return run("bash", "-c", ". tests/cluster/lib.sh; cluster_yaml")


def slurmrestd_address():
    return kubectl("-n", "slurm", "get", "svc", "slurm-restapi", "-o", "jsonpath={.spec.clusterIP}")


def cluster():
    return {"apiVersion": "slinky.slurm.net/v1alpha1", "kind": "Cluster", "metadata": {"name": "slurm", "namespace": NS},
            "spec": {"server": f"http://{slurmrestd_address()}:6820", "token": {"secretRef": "slurm-token-slurm"}}}


def apply(*objects):
    kubectl("apply", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))


class World:
    """Made before the first figure, gone after the last."""

    def __enter__(self):
        self.kwok = self.operator = self.slurm = None
        self.clean()
        kubectl("apply", "-f", os.path.join(TOP, "deploy", "crds"))
        kubectl("wait", "--for=condition=Established", "crd/nodesets.slinky.slurm.net", "crd/clusters.slinky.slurm.net", "--timeout=30s")
        kubectl("create", "namespace", NS)
        kubectl("-n", NS, "create", "serviceaccount", "bench")
        kubectl("create", "clusterrolebinding", "bench", "--clusterrole=cluster-admin", f"--serviceaccount={NS}:bench")
        self.api = Api(NS, "bench")
        self.plain = Plain(self.api)
        self.start_kwok()
        self.token = json.loads(kubectl("-n", "slurm", "get", "secret", "slurm-token-slurm", "-o", "json"))
        self.token["metadata"] = {"name": "slurm-token-slurm", "namespace": NS}
        apply(node(), self.token, cluster())
        return self

    def start_kwok(self):
        """Anew before names are used again: kwok 0.7.0 deletes by name, and what it still has to delete would take the successors."""
        if self.kwok:
            self.kwok.terminate()
            self.kwok.wait(30)
            # the next one would wait until this has run out, 40 s, before it starts a pod
            kubectl("-n", "kube-node-lease", "delete", "lease", NODE, "--ignore-not-found")
        self.kwok = subprocess.Popen(["kwok", "--kubeconfig", os.environ["KUBECONFIG"], "--manage-all-nodes=false", "--node-lease-duration-seconds=40",
                                      "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake"],
                                     stderr=open(os.path.join(LOGS, "bench-kwok.log"), "ab"), stdout=subprocess.DEVNULL)

    def kwok_ready(self):
        def ready():
            made = self.api.ask("GET", f"/api/v1/nodes/{NODE}")
            ready = any(c["type"] == "Ready" and c["status"] == "True" for c in made["status"].get("conditions", []))
            return ready and all(t["key"] == "kwok" for t in made["spec"].get("taints", []))
        until(120, "the machine of kwok to be ready", ready, 0.1)

    def __exit__(self, *_):
        self.stop_operator()
        self.kwok.terminate()
        self.kwok.wait(30)
        self.clean()

    def clean(self):
        for kept in ("nodeset/bench", "cluster/slurm"):  # no operator runs that would take its finalizer off
            subprocess.run(["kubectl", "-n", NS, "patch", kept, "--type=merge", "-p", '{"metadata":{"finalizers":null}}'], capture_output=True)
        kubectl("-n", NS, "delete", "pods", "--all", "--force", "--grace-period=0", "--ignore-not-found", "--wait=false")
        kubectl("delete", "namespace", NS, "--ignore-not-found", "--timeout=300s")
        kubectl("delete", "clusterrolebinding", "bench", "--ignore-not-found")
        kubectl("delete", "node", NODE, "--ignore-not-found")
        self.slurm_nodes(0)

    def start(self):
        """Everything anew, and ready."""
        self.start_kwok()
        self.kwok_ready()
        self.start_operator()

    def start_operator(self):
        self.operator = Operator()
        until(30, "the Cluster to be ready", lambda: self.api.ask("GET", f"/apis/slinky.slurm.net/v1alpha1/namespaces/{NS}/clusters/slurm")
              .get("status", {}).get("isReady"))

    def stop_operator(self):
        if self.operator:
            self.operator.stop()
        self.operator = None

    def drop_nodeset(self, name):
        """While the operator runs, which takes its finalizer off: when the records of its pods have gone from Slurm, one by one."""
        kubectl("-n", NS, "delete", "nodeset", name, "--timeout=900s")

    def slurm_nodes(self, n):
        """Nodes that are real for slurmctld and slurmrestd: state=cloud, of which nobody is started."""
        until(120, "Slurm to have none of the nodes before", self.no_slurm_nodes, 0.5)
        if n:
            in_slurm("scontrol", "create", f"nodename=bench-[0-{n - 1}]", "cpus=4", "realmemory=1000", "state=cloud")

    def no_slurm_nodes(self):
        """Asks for the deletion of those that are there: the operator may delete some of them meanwhile, and scontrol stops at the first that it misses."""
        names = set(in_slurm("sinfo", "-h", "-N", "-o", "%N").split())
        old = sorted(int(name[6:]) for name in names if re.fullmatch(r"bench-\d+", name))
        firsts = [n for before, n in zip([-2] + old, old) if n != before + 1]
        lasts = [n for n, after in zip(old, old[1:] + [-2]) if after != n + 1]
        if old:
            ranges = ",".join(f"{first}-{last}" for first, last in zip(firsts, lasts))
            in_slurm("sh", "-c", f"scontrol delete nodename='bench-[{ranges}]' || true")
        return not old

    def slurm_node(self, name):
        """What slurmrestd says of it."""
        if not self.slurm:
            self.slurm = http.client.HTTPConnection(slurmrestd_address(), 6820)
        token = base64.b64decode(self.token["data"]["auth-token"]).decode()
        self.slurm.request("GET", "/slurm/v0.0.42/node/" + name, headers={"X-SLURM-USER-TOKEN": token, "X-SLURM-USER-NAME": "slurm"})
        return json.loads(self.slurm.getresponse().read())["nodes"][0]

    def slurmrestd_sent_bytes(self):
        """All that its pod sent, headers and its own requests to slurmctld included: what the operator read is less."""
        return int(kubectl("-n", "slurm", "exec", "deploy/slurm-restapi", "--", "cat", "/sys/class/net/eth0/statistics/tx_bytes"))

    def scale(self, name, n):
        self.api.ask("PATCH", f"/apis/slinky.slurm.net/v1alpha1/namespaces/{NS}/nodesets/{name}", {"spec": {"replicas": n}}, "application/merge-patch+json")

    def status(self, name):
        return self.api.ask("GET", f"/apis/slinky.slurm.net/v1alpha1/namespaces/{NS}/nodesets/{name}").get("status", {})

    def pods(self):
        return self.api.ask("GET", f"/api/v1/namespaces/{NS}/pods?resourceVersion=0")["items"]
