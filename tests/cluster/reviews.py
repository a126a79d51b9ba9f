"""Writes NodeSets (dry run) through the API server from N threads until a file is there, and tells how many were refused for a webhook that failed.

    reviews.py THREADS STOP-FILE NAMESPACE

Prints how many were written, put off (429) and failed, and the first failure."""
import base64
import http.client
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

THREADS, STOP, NS = int(sys.argv[1]), sys.argv[2], sys.argv[3]
NODESET = {"apiVersion": "slinky.slurm.net/v1alpha1", "kind": "NodeSet",
           "spec": {"clusterName": "c", "serviceName": "s", "replicas": 0, "selector": {"matchLabels": {"app": "x"}},
                    "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "slurmd", "image": "x"}]}}}}


def config():
    text = subprocess.run(["kubectl", "config", "view", "--raw", "--flatten", "-o", "json"], capture_output=True, text=True, check=True).stdout
    view = json.loads(text)
    cluster, user = view["clusters"][0]["cluster"], view["users"][0]["user"]
    context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # CAs of clusters are what they are
    with tempfile.NamedTemporaryFile("w") as f:
        f.write(base64.b64decode(user["client-certificate-data"]).decode() + base64.b64decode(user["client-key-data"]).decode())
        f.flush()
        context.load_cert_chain(f.name)
    return urllib.parse.urlsplit(cluster["server"]), context


SERVER, TLS = config()
LOCK = threading.Lock()
COUNTS = {"written": 0, "busy": 0, "failed": 0}
FIRST = []


def count(what, text=""):
    with LOCK:
        COUNTS[what] += 1
        if what == "failed" and not FIRST:
            FIRST.append(text)


def work(number):
    path = f"/apis/slinky.slurm.net/v1alpha1/namespaces/{NS}/nodesets?dryRun=All"
    link, i = None, 0
    while not os.path.exists(STOP):
        i += 1
        body = json.dumps({**NODESET, "metadata": {"name": f"load-{number}-{i}"}})
        try:
            link = link or http.client.HTTPSConnection(SERVER.hostname, SERVER.port, context=TLS, timeout=30)
            link.request("POST", path, body, {"Content-Type": "application/json"})
            answer = link.getresponse()
            text = answer.read().decode()
        except OSError as e:
            link = None
            count("failed", repr(e))
            continue
        if answer.status == 429:
            count("busy")
            time.sleep(0.1)
        else:
            count("written" if answer.status == 201 else "failed", text[:500])


threads = [threading.Thread(target=work, args=(n,)) for n in range(THREADS)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(COUNTS["written"], COUNTS["busy"], COUNTS["failed"], *FIRST)
