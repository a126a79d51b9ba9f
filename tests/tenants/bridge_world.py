"""What the tenants of a bridge stand on: the API server that is played, the kubelet port of the virtual node, red-box and the virtual node themselves."""

import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
DIR = pathlib.Path(os.environ.get("DIR", "/nonexistent"))
HOME = DIR / "bridge"  # of the account of red-box: jobs begin there
SOCKET, PLAYED = DIR / "bridge/socket", DIR / "evil/socket"
KUBE_PORT, KUBELET_PORT, HEALTH_PORT = 8001, 10250, 18081
PATIENCE = int(os.environ.get("PATIENCE", "1"))
IDS = {"bridge": 2001, "vnode": 2002, "mallory": 2003, "evil": 2004}
JOBS, PODS = "/apis/wlm.sylabs.io/v1alpha1/namespaces/{}/slurmjobs", "/api/v1/namespaces/{}/pods"


def until(seconds, what, look, every=0.05):
    """Waits for a condition, PATIENCE times as long as on an idle machine; gives what it found."""
    end = time.monotonic() + seconds * PATIENCE
    while not (found := look()):
        if time.monotonic() > end:
            raise SystemExit(f"tenants: waited {seconds * PATIENCE} s in vain for {what}")
        time.sleep(every)
    return found


# ---------------------------------------------------------------- Kubernetes


class Api:
    """A connection of its own to the API server; gives the status and the object."""

    def __init__(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", KUBE_PORT, timeout=60)

    def ask(self, method, path, body=None):
        text = body if isinstance(body, bytes) else json.dumps(body) if body is not None else None
        self.connection.request(method, path, body=text)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def make(self, path, body):
        status, made = self.ask("POST", path, body)
        if status != 201:
            raise SystemExit(f"tenants: POST {path}: {status} {made}")
        return made


class Tenant:
    """What a user of a namespace does, whoever it is."""

    def __init__(self, ns):
        self.api, self.ns = Api(), ns

    def job(self, name, batch, partition="bad", **spec):
        """A SlurmJob, and the pod that the manager and the scheduler make of it; gives the uid, which is the key of its job."""
        made = self.api.make(JOBS.format(self.ns), {"metadata": {"name": name, "namespace": self.ns}, "spec": {"batch": batch, **spec}})
        wanted = {"wlm.sylabs.io/inputs-wanted": "true"} if "prepare" in spec else {}
        self.pod(f"{name}-job", partition, self.owner(made), wanted)
        return made["metadata"]["uid"]

    @staticmethod
    def owner(made):
        meta = made["metadata"]
        return [{"apiVersion": "wlm.sylabs.io/v1alpha1", "kind": "SlurmJob", "name": meta["name"], "uid": meta["uid"], "controller": True}]

    def pod(self, name, partition, owners=(), annotations=None):
        return self.api.make(PODS.format(self.ns), {
            "metadata": {"name": name, "namespace": self.ns, "ownerReferences": list(owners), "annotations": annotations or {}},
            "spec": {"nodeName": f"slurm-hpc-{partition}", "containers": [{"name": "jt1", "image": "none"}]}, "status": {"phase": "Pending"}})

    def copier(self, name, what):
        """The pod that copies results or brings inputs, on a machine of the cluster; gives its token."""
        _, made = self.api.ask("GET", f"{JOBS.format(self.ns)}/{name}")
        meta = {"name": f"{name}-job-{what}", "namespace": self.ns, "ownerReferences": self.owner(made)}
        pod = self.api.make(PODS.format(self.ns), {"metadata": meta, "spec": {}})
        return f"{self.ns}:{name}-job-{what}:{pod['metadata']['uid']}"

    def shown(self, name):
        return self.api.ask("GET", f"{PODS.format(self.ns)}/{name}-job")[1]

    def patch(self, name, body):
        return self.api.ask("PATCH", f"{PODS.format(self.ns)}/{name}", body)[0]

    def phase(self, name):
        return self.shown(name).get("status", {}).get("phase")

    def runs(self, name):
        until(120, f"job {self.ns}/{name} to run", lambda: self.phase(name) == "Running")

    def delete(self, name):
        for path in (f"{PODS.format(self.ns)}/{name}-job", f"{JOBS.format(self.ns)}/{name}"):
            self.api.ask("DELETE", path)


# ---------------------------------------------------------------- the kubelet port


def anybody(certificate=False):
    """TLS to the virtual node; with the certificate of the API server, which asks for all its users."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if certificate:
        context.load_cert_chain(DIR / "certs/api.crt", DIR / "certs/api.key")
    return context


class Kubelet:
    """As an API server asks, or as a pod of the address `source` does, with its token."""

    def __init__(self, source=None, token=None):
        self.source, self.token = source, token
        self.context = anybody(certificate=not source)

    def plain(self):
        return socket.create_connection(("127.0.0.1", KUBELET_PORT), timeout=60, source_address=(self.source, 0) if self.source else None)

    def begin(self, path, method="GET", more=""):
        """A request whose answer nobody has read."""
        wire = self.context.wrap_socket(self.plain())
        bearer = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        wire.sendall(f"{method} {path} HTTP/1.1\r\nHost: node\r\n{bearer}{more}\r\n".encode())
        return wire

    def get(self, path):
        """Status and an answer to be read; None and nobody: the connection was refused."""
        try:
            answer = http.client.HTTPResponse(self.begin(path, more="Connection: close\r\n"))
            answer.begin()
        except (OSError, http.client.HTTPException):
            return None, None
        return answer.status, answer

    def log(self, ns, name, query=""):
        """As kubectl does: a refusal is tried again by who types it."""
        path = f"/containerLogs/{ns}/{name}-job/jt1{query}"
        return until(60, f"the log {path}", lambda: (got := self.get(path))[0] == 200 and got[1], 0.2)


def goes_by_itself():
    """What Slurm and the API server take for a user who needs neither red-box nor a virtual node."""
    subprocess.run(["squeue", "-h", "--partition=good"], check=True, capture_output=True)
    Api().ask("GET", "/api/v1/nodes/slurm-hpc-good")


# ---------------------------------------------------------------- the programs


def as_account(account, *groups):
    return ["setpriv", f"--reuid={IDS[account]}", f"--regid={IDS[account]}", "--groups=" + ",".join(str(IDS[g]) for g in (account, *groups))]


class Program:
    def __init__(self, name, account, *command, groups=()):
        self.log = DIR / f"{name}.log"
        with open(self.log, "a") as log:
            self.process = subprocess.Popen([*as_account(account, *groups), *map(str, command)], stdout=log, stderr=log, cwd=HOME, env={**os.environ, "HOME": str(HOME)})

    def is_alive(self):
        return self.process.poll() is None

    def memory_mb(self, field="VmHWM"):
        with open(f"/proc/{self.process.pid}/status") as f:
            found = re.search(field + r":\s+(\d+) kB", f.read())
        return int(found[1]) / 1024 if found else 0

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as f:
            row = f.read().rsplit(")", 1)[1].split()
        return (int(row[11]) + int(row[12])) / os.sysconf("SC_CLK_TCK")

    def words(self, most=25):
        """What it has logged, without that of which there are many: how often, what, and an example."""
        rows = {}
        for line in open(self.log, errors="replace"):
            said = json.loads(line) if line.startswith("{") else {"msg": line}
            rows.setdefault((said.get("msg"), said.get("method"), said.get("action"), said.get("namespace") == "honest"), []).append(line.strip())
        return "\n".join(f"# {len(lines):6d} x {lines[-1][:300]}" for lines in list(rows.values())[-most:])

    def stop(self):
        self.process.kill()
        self.process.wait()


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stderr=subprocess.DEVNULL, cwd=DIR / "certs")


def given_certificates():
    """An authority of clients, and the certificate of an API server, which attackers show as well: what they ask comes through it."""
    (DIR / "certs").mkdir(mode=0o755)
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *new, "-days", "3", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.crt")
    openssl("req", *new, "-subj", "/CN=kube-apiserver-kubelet-client", "-keyout", "api.key", "-out", "api.csr")
    openssl("x509", "-req", "-in", "api.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-days", "3", "-out", "api.crt")


def kubernetes():
    process = subprocess.Popen([sys.executable, TOP / "tests/wire/kubernetes.py", str(KUBE_PORT)])
    ask = ["curl", "-s", "-o", "/dev/null", f"http://127.0.0.1:{KUBE_PORT}/api/v1/nodes/none"]
    until(20, "the API server", lambda: subprocess.run(ask).returncode == 0)
    (DIR / "kubeconfig").write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "a", "users": [{"name": "a", "user": {}}], "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "clusters": [{"name": "a", "cluster": {"server": f"http://127.0.0.1:{KUBE_PORT}"}}]}))
    return process


def red_box():
    (HOME / "config").write_text(json.dumps({"red-box": {"folders": [str(HOME)], "state_folder": str(HOME / "state")}}))
    box = Program("red-box", "bridge", DIR / "red-box", f"--socket={SOCKET}", f"--config={HOME}/config")
    until(20, "the socket of red-box", SOCKET.exists)
    return box


def virtual_node(*accounts):
    node = Program("virtual-node", "vnode", DIR / "slurm-operator", "virtual-node", f"--red-box=hpc={SOCKET}", *accounts, f"--kubeconfig={DIR}/kubeconfig",
                   f"--health-probe-bind-address=127.0.0.1:{HEALTH_PORT}", "--metrics-bind-address=0", f"--kubelet-bind-address=0.0.0.0:{KUBELET_PORT}",
                   f"--kubelet-client-ca={DIR}/certs/ca.crt", "--node-address=127.0.0.1", groups=("bridge",))
    api = Api()
    until(30, "its nodes", lambda: all(api.ask("GET", f"/api/v1/nodes/slurm-hpc-{p}")[0] == 200 for p in ("good", "bad", "small", "down")))
    return node


def limit_mb():
    """What the chart gives a virtual node."""
    text = (TOP / "deploy/helm/slurm-operator/values.yaml").read_text()
    return int(re.search(r'\nvirtualNode:.*?"limits": \{"memory": "(\d+)Mi"\}', text, re.S)[1])
