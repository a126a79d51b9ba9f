"""Clients of red-box's REST interface. They are written from the description of the first generation alone (seed 001, spec 3.4 and 6.2) and share nothing with our code.

  rest_client.py companion SOCKET SCRIPT-FILE NAME RESULTS-FOLDER  what job-companion does: submits, shows the output as it comes, collects, exits 0 or 1
  rest_client.py hostile REST-SOCKET GRPC-SOCKET                    garbage, half requests, 1 GB, 10,000 connections; prints one line for each
  rest_client.py both REST-SOCKET GRPC-SOCKET JOBS                  submits JOBS jobs, each by both interfaces at once and again after each failure; prints "KEY ID ID"
"""
import concurrent.futures
import http.client
import json
import os
import resource
import socket
import sys
import threading
import time


def connect(path, timeout=60):
    """Waits while the kernel's queue is full: with a time limit connect() would fail at once."""
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.settimeout(timeout)
    return s


class Rest(http.client.HTTPConnection):
    """HTTP over a unix socket, as Go's client dials it: the host is red-box."""

    def __init__(self, path, timeout=60):
        super().__init__("red-box", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = connect(self.path, self.timeout)


def ask(path, method, target, body=None, headers=None):
    """The status and the body of one request on a connection of its own."""
    connection = Rest(path)
    try:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def get(path, target):
    status, body = ask(path, "GET", target)
    if status != 200:
        sys.exit(f"{target}: {status} {body.decode()}")
    return body


# ---------------------------------------------------------------- job-companion

def tail(path, file):
    """The output goes to ours, for as long as the stream lasts."""
    connection = Rest(path, timeout=600)
    connection.request("GET", f"/tail?path={file}")
    answer = connection.getresponse()

    def copy():
        try:
            while piece := answer.read1(4096):
                sys.stdout.buffer.write(piece)
                sys.stdout.buffer.flush()
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass
    threading.Thread(target=copy, daemon=True).start()


def companion(path, script, name, folder):
    with open(script) as f:
        status, body = ask(path, "POST", "/sbatch", json.dumps({"command": f.read()}), {"Content-Type": "application/json"})
    if status != 200:
        sys.exit(body.decode().strip())
    job = int(body)
    info = json.loads(get(path, f"/sjob/{job}"))
    print(f"JobID: {job}", flush=True)
    tail(path, info["std_out"])
    while info["state"] not in ("COMPLETED", "FAILED", "CANCELLED"):
        time.sleep(1)
        info = json.loads(get(path, f"/sjob/{job}"))
    if info["state"] != "COMPLETED":
        for step in json.loads(get(path, f"/sjob/steps/{job}")):
            print(f"JobID:{step['id']} State:{step['state']} ExitCode:{step['exit_code']} Name:{step['name']}")
        sys.exit("job failed" if info["state"] == "FAILED" else "job canceled")
    time.sleep(1)
    os.makedirs(f"{folder}/{name}", exist_ok=True)
    with open(f"{folder}/{name}/slurm-{job}.out", "wb") as f:
        f.write(get(path, f"/open?path=slurm-{job}.out"))
    print("Job finished", flush=True)


# ---------------------------------------------------------------- hostile clients



def say(path, *pieces):
    """Whatever comes back, or nothing."""
    with connect(path) as s:
        try:
            for piece in pieces:
                s.sendall(piece)
            return s.recv(4096)
        except OSError:
            return b""


def first_line(answer):
    return answer.split(b"\r\n", 1)[0].decode(errors="replace") or "nothing"


def gigabyte(path):
    yield b"POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n"
    for _ in range(1024):
        yield b"x" * (1 << 20)


def by_grpc(path):
    """OK, or why a client of the second generation is not served."""
    import grpc
    with grpc.insecure_channel("unix:" + path) as channel:
        try:
            channel.unary_unary("/api.WorkloadManager/WorkloadInfo")(b"", timeout=30)
            return "OK"
        except grpc.RpcError as e:
            return f"{e.code()} {e.details()}"


def crowd(path, grpc_path, n):
    """n connections at a time that send half a request; then one more is served, and so is gRPC."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    held = []
    for _ in range(n):
        s = connect(path)
        try:
            s.send(b"GET /sjob/1 HT")
        except OSError:
            pass
        held.append(s)
    status, body = ask(path, "GET", "/sjob/abc")
    beside = by_grpc(grpc_path)
    for s in held:
        s.close()
    return f"{status} {body.decode().strip()}; gRPC: {beside}"


def hostile(path, grpc_path):
    print("garbage:", first_line(say(path, os.urandom(100) + b"\r\n\r\n")))
    print("TLS:", first_line(say(path, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")))
    print("length:", first_line(say(path, b"POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n")))
    half = connect(path)
    half.sendall(b"POST /sbatch HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"command\": \"#!/bin/sh\\n")
    half.close()
    print("gigabyte:", first_line(say(path, *gigabyte(path))))
    for name in ("../secret", "/etc/shadow", "%2e%2e/secret", "link"):
        status, body = ask(path, "GET", f"/open?path={name}")
        print(f"open {name}:", status, body.decode().strip())
    print("path:", *[text if isinstance(text, int) else text.decode().strip() for text in ask(path, "GET", "/../../etc/passwd")])
    print("crowd:", crowd(path, grpc_path, int(os.environ.get("CROWD", "10000"))))


# ---------------------------------------------------------------- both generations at once

def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, text):
    return varint(number << 3 | 2) + varint(len(text.encode())) + text.encode()


def until_answered(once, key):
    """A client that repeats its request until it has the id, however often red-box dies."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        job = once()
        if job:
            return job
        time.sleep(0.2)
    return f"no answer for {key}"


def both(rest, grpc_path, n):
    import grpc

    def script(key):
        return f"#!/bin/sh\n#SBATCH --time=10\nexit 0 # {key}\n"

    def old(key):
        try:
            status, body = ask(rest, "POST", "/sbatch", json.dumps({"command": script(key)}), {"Idempotency-Key": key})
            return int(body) if status == 200 else print(key, status, body, file=sys.stderr) if status != 503 else None
        except (OSError, http.client.HTTPException):
            return None

    def new(key):
        with grpc.insecure_channel("unix:" + grpc_path) as channel:
            try:
                message = field(1, script(key)) + field(3, key)
                answer = channel.unary_unary("/api.WorkloadManager/SubmitJob")(message, timeout=60)
                job = shift = 0
                for byte in answer[1:]:
                    job, shift = job | (byte & 127) << shift, shift + 7
                return job
            except grpc.RpcError as e:
                return print(key, e.code(), e.details(), file=sys.stderr) if e.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN) else None

    asked = []
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for i in range(n):
            key = f"key-{i}"
            asked.append((key, pool.submit(until_answered, lambda k=key: old(k), key), pool.submit(until_answered, lambda k=key: new(k), key)))
            time.sleep(float(os.environ.get("PACE", "0.1")))
        for key, one, two in asked:
            print(key, one.result(), two.result(), flush=True)


if __name__ == "__main__":
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "companion":
        companion(*arguments)
    elif what == "hostile":
        hostile(*arguments)
    else:
        both(arguments[0], arguments[1], int(arguments[2]))
