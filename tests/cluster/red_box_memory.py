"""How much memory red-box has: at rest, and while clients tail files and read nothing."""

import threading
import time

import grpc
import red_box
from red_box import FOLDER, check, message, ok

REST_MB, TAILS_MB = 12, 24
TAILS, CONNECTIONS = 200, 50


def memory_mb(box):
    with open(f"/proc/{box.number()}/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS:"))


def begin_tails(box, never):
    """Each has sent its first piece; of what comes then a client takes what its library takes."""
    def asks():
        yield message(f2="large")
        never.wait()
    channels = [grpc.insecure_channel("unix:" + box.socket, [("grpc.use_local_subchannel_pool", 1)]) for _ in range(CONNECTIONS)]
    calls = [channels[i % CONNECTIONS].stream_stream("/api.WorkloadManager/TailFile")(asks()) for i in range(TAILS)]
    for call in calls:
        check(len(next(call)) > 1, "its first piece")
    return channels, calls  # a call that nobody holds is given up


def most_of(seconds, look):
    end, most = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        most = max(most, look())
        time.sleep(0.1)
    return most


def story_memory_is_bounded(box):
    # given: red-box at rest
    rest, never = memory_mb(box), threading.Event()
    check(rest < REST_MB, "memory at rest, in MB", rest)
    # when: 200 tails of a large file, whose clients are asleep
    with open(f"{box.root}{FOLDER}/home/large", "wb") as f:
        f.truncate(1 << 30)
    channels, calls = begin_tails(box, never)
    # then: what waits for them is bounded
    most = most_of(5, lambda: memory_mb(box))
    check(not any(call.done() for call in calls), "no tail has ended")
    check(most < TAILS_MB, f"memory with {TAILS} tails, in MB", most)
    for channel in channels:
        channel.close()
    never.set()
    # and: it is given back
    after = red_box.until(30, "the memory of tails to be given back", lambda: (now := memory_mb(box)) < REST_MB and now)
    ok(f"{rest:.1f} MB in memory at rest, {most:.1f} MB with {TAILS} tails by {CONNECTIONS} connections whose clients are asleep, {after:.1f} MB afterwards")
