"""How long a review takes, beside the same bytes sent to an empty handler of the same server: both over TLS, on connections that are kept, in the same run."""

import http.client
import json
import os
import ssl
import subprocess
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PORT, PROBES = 19443, 19081
PATH = "/validate-slinky-slurm-net-v1alpha1-nodeset"
ROUNDS, CALLS, THREADS = 5, 1000, 4


def nodeset(members):
    """As large as a chart makes them: about 4 kB."""
    env = [{"name": f"SLURM_{i}", "value": "x" * 40} for i in range(40)]
    return {"apiVersion": "slinky.slurm.net/v1alpha1", "kind": "NodeSet", "metadata": {"name": "foo", "namespace": "ns"},
            "spec": {"clusterName": "c", "serviceName": "s", "selector": {"matchLabels": {"app": "x"}}, **members,
                     "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "slurmd", "image": "x", "env": env}]}}}}


def review():
    kind = {"group": "slinky.slurm.net", "version": "v1alpha1", "kind": "NodeSet"}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                       "request": {"uid": "u", "kind": kind, "operation": "UPDATE", "namespace": "ns", "name": "foo",
                                   "object": nodeset({"replicas": 2}), "oldObject": nodeset({"replicas": 1})}})


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.crt"], check=True, capture_output=True)


def ask(link, method, path, body, status):
    began = time.perf_counter()
    link.request(method, path, body, {"Content-Type": "application/json"})
    answer = link.getresponse()
    answer.read()
    if answer.status != status:
        raise SystemExit(f"bench: {path}: {answer.status}")
    return time.perf_counter() - began


def times(context, method, path, body, status):
    """Of CALLS on each of THREADS connections at the same time, in seconds."""
    all_times = []

    def work():
        link = http.client.HTTPSConnection("127.0.0.1", PORT, context=context, timeout=30)
        ask(link, method, path, body, status)
        all_times.extend([ask(link, method, path, body, status) for _ in range(CALLS)])
    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sorted(all_times)


def p99(sorted_times):
    return sorted_times[len(sorted_times) * 99 // 100]


def measure(table):
    """The best of some rounds for both: what else the machine does is no part of either."""
    with tempfile.TemporaryDirectory() as folder:
        certificate(folder)
        server = subprocess.Popen([f"{TOP}/build/slurm-operator", "webhook", f"--cert-dir={folder}", f"--bind-address=127.0.0.1:{PORT}",
                                   f"--health-probe-bind-address=127.0.0.1:{PROBES}", "--metrics-bind-address=0", "--kubeconfig=/nowhere"], stderr=subprocess.DEVNULL)
        try:
            context = ssl.create_default_context(cafile=f"{folder}/tls.crt")
            deadline = time.monotonic() + 20
            while True:
                try:
                    http.client.HTTPSConnection("127.0.0.1", PORT, context=context).connect()
                    break
                except OSError:
                    if time.monotonic() > deadline:
                        raise SystemExit("bench: the webhook does not listen")
                    time.sleep(0.05)
            body, reviews, empty = review(), [], []
            for _ in range(ROUNDS):
                reviews.append(p99(times(context, "POST", PATH, body, 200)))
                empty.append(p99(times(context, "POST", "/nothing", body, 404)))
            table.add(f"review of {len(body) // 1000} kB, p99 of {CALLS * THREADS} on {THREADS} connections", 0, min(reviews) * 1000, "ms", 5,
                      f"{min(empty) * 1000:.3g} ms, the same sent to an empty handler")
        finally:
            server.terminate()
            server.wait()
