"""A scrape of the exporter for a large Slurm, which one process plays, beside the same bytes sent from memory by another; its memory; what it asks of Slurm."""

import http.client
import http.server
import json
import multiprocessing
import os
import socket
import subprocess
import time
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLURM, METRICS, PROBES, PEER = 19820, 19821, 19822, 19823
NODES, JOBS, USERS, ACCOUNTS, PARTITIONS = 10_000, 50_000, 2_000, 300, 50
ASKERS = 20_000  # users who have sent requests to slurmctld
SCRAPES, READERS, REST_S = 20, 50, 10
UNCHANGED = b'{"jobs":[],"last_update":{"set":true,"number":0},"errors":[],"warnings":[{"description":"No job changes since update_time[998]"}]}'


def answer(key, items):
    return json.dumps({key: items, "last_update": {"set": True, "infinite": False, "number": 1000}, "errors": [], "warnings": []}).encode()


def lists(nodes, jobs):
    """About as long as a real slurmrestd makes each item."""
    states = [["IDLE"], ["ALLOCATED"], ["MIXED", "DRAIN"], ["DOWN", "NOT_RESPONDING"]]
    ends = ["PENDING", "RUNNING", "COMPLETED"]
    return {
        "nodes": answer("nodes", [{"name": f"node-{i}", "state": states[i % 4], "partitions": ["all", f"p{i % PARTITIONS}"], "cpus": 64, "effective_cpus": 64, "alloc_cpus": 3, "alloc_idle_cpus": 61,
                                   "real_memory": 256000, "specialized_memory": 0, "alloc_memory": 5, "free_mem": {"set": True, "number": 1000 + i},
                                   "gres": "gpu:a100:4(S:0-1)", "gres_used": "gpu:a100:2(IDX:0,3)", "rest": "x" * 2000} for i in range(nodes)]),
        "jobs": answer("jobs", [{"job_id": i + 1, "job_state": [ends[i % 3]], "hold": False, "partition": f"p{i % PARTITIONS}", "user_name": f"user{i % USERS}", "user_id": i % USERS,
                                 "account": f"acc{i % ACCOUNTS}", "node_count": {"set": True, "number": 1}, "eligible_time": {"set": True, "number": 1795715286}, "gres_detail": ["gpu:a100:1(IDX:2)"] if i % 3 == 1 else [], "rest": "x" * 6000,
                                 "job_resources": {"nodes": {"allocation": [{"cpus": {"count": 4}, "memory": {"allocated": 100}}]}}} for i in range(jobs)]),
        "partitions": answer("partitions", [{"name": name, "nodes": {"total": 200}, "cpus": {"total": 12800}} for name in ["all"] + [f"p{i}" for i in range(PARTITIONS)]]),
        "diag": json.dumps({"statistics": {"schedule_cycle_last": 5, "rpcs_by_user": [{"user": f"asker{i}", "user_id": i, "count": i, "total_time": i * 100} for i in range(ASKERS)]}, "errors": []}).encode(),
        "openapi": b'{"paths":{"/slurm/v0.0.42/nodes/":{}}}',
    }


def slurm(nodes, jobs, sent, changing):
    """A slurmrestd in which nothing changes, or the nodes each time. sent: requests and bytes so far."""
    texts = lists(nodes, jobs)

    class Answers(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def do_GET(self):
            key = next(k for k in texts if f"/{k}" in self.path)
            conditional = "update_time" in self.path
            again = key == "nodes" and changing.value
            status = 304 if conditional and key != "jobs" and not again else 200
            body = b"" if status == 304 else UNCHANGED if conditional and key == "jobs" else texts[key]
            with sent.get_lock():
                sent[0] += 1
                sent[1] += len(body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    http.server.ThreadingHTTPServer(("127.0.0.1", SLURM), Answers).serve_forever()


def peer(text):
    """The same bytes, from memory."""
    whole = f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n".encode() + text
    listener = socket.create_server(("127.0.0.1", PEER))
    while True:
        link, _ = listener.accept()
        if link.recv(65536):
            link.sendall(whole)
        link.close()


def scrape(port):
    began = time.perf_counter()
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    link.request("GET", "/metrics", headers={"Accept": "text/plain"})
    text = link.getresponse().read()
    link.close()
    return time.perf_counter() - began, text


def until(what, check):
    deadline = time.monotonic() + 120
    while not check():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: waited in vain for {what}")
        time.sleep(0.1)


def is_ready():
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{PROBES}/readyz", timeout=5).status == 200
    except OSError:
        return False


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024


def median(values):
    return sorted(values)[len(values) // 2]


def stuck_readers(pause_s=0):
    """They ask, and never read to the end."""
    links = []
    for _ in range(READERS):
        links.append(socket.create_connection(("127.0.0.1", METRICS)))
        links[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: bench\r\n\r\n")
        time.sleep(pause_s)
    return links


class Running:
    """The exporter, and the Slurm that it reads."""

    def __init__(self, nodes, jobs, cache="2s"):
        self.cache = cache
        self.sent = multiprocessing.Array("q", [0, 0])
        self.changing = multiprocessing.Value("b", 0)
        self.slurm = multiprocessing.Process(target=slurm, args=(nodes, jobs, self.sent, self.changing), daemon=True)

    def __enter__(self):
        self.slurm.start()
        until("the slurmrestd", lambda: not socket.socket().connect_ex(("127.0.0.1", SLURM)))
        self.exporter = subprocess.Popen([f"{TOP}/build/slurm-operator", "exporter", f"--server=http://127.0.0.1:{SLURM}", f"--cache-freq={self.cache}", f"--metrics-bind-address=127.0.0.1:{METRICS}",
                                          f"--health-probe-bind-address=127.0.0.1:{PROBES}"], env={**os.environ, "SLURM_JWT": "a.b.c"}, stderr=subprocess.DEVNULL)
        until("the exporter", is_ready)
        until("nodes and jobs", lambda: all(name in scrape(METRICS)[1] for name in (b"\nslurm_nodes_total ", b"\nslurm_jobs_total ")))
        return self

    def __exit__(self, *why):
        self.exporter.terminate()
        self.exporter.wait()
        self.slurm.terminate()
        self.slurm.join()

    def sent_at_rest(self, seconds=REST_S, settle_s=2):
        """Requests and bytes a second that Slurm answers while nothing changes."""
        time.sleep(settle_s)
        before = list(self.sent)
        time.sleep(seconds)  # what is measured is this time
        return [(after - first) / seconds for first, after in zip(before, self.sent)]


def measure(table):
    with Running(100, 100) as small:
        few_asked, few = small.sent_at_rest()
    with Running(NODES, JOBS) as large:
        text = scrape(METRICS)[1]
        other = multiprocessing.Process(target=peer, args=(text,), daemon=True)
        other.start()
        until("the peer", lambda: not socket.socket().connect_ex(("127.0.0.1", PEER)))
        ours, same = zip(*[(scrape(METRICS)[0], scrape(PEER)[0]) for _ in range(SCRAPES)])
        many_asked, many = large.sent_at_rest()
        links = stuck_readers()
        time.sleep(2)
        beside = median([scrape(METRICS)[0] for _ in range(5)])
        what = f"{JOBS} jobs, {len(text) / 1e6:.1f} MB"
        table.add(f"exporter: a scrape ({what}), median of {SCRAPES}", NODES, median(ours) * 1000, "ms", 200, f"{median(same) * 1000:.3g} ms, the same bytes from memory")
        table.add("exporter: the same, in times of the peer's", NODES, median(ours) / median(same), "x", 1.5)
        table.add(f"exporter: a scrape beside {READERS} that are never read", NODES, beside * 1000, "ms", 200)
        table.add(f"exporter: memory at its highest, with {READERS} scrapes that are never read", NODES, peak_mib(large.exporter.pid), "MiB", 64)
        table.add("exporter: what Slurm sends at rest", NODES, many, "bytes/s", few * 1.2, f"{few:.3g} bytes/s with 100 nodes and 100 jobs")
        table.add("exporter: what Slurm is asked at rest", NODES, many_asked, "requests/s", few_asked * 1.2, f"{few_asked:.3g} requests/s with 100 nodes and 100 jobs")
        large.changing.value = 1
        more = stuck_readers(pause_s=0.25)
        table.add(f"exporter: memory at its highest, with {READERS} more while the nodes change", NODES, peak_mib(large.exporter.pid), "MiB", 64)
        for link in links + more:
            link.close()
        other.terminate()
